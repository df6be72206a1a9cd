"""pytest's fixtures, in every project that has this package installed.

`search_service` and `retrieval_service` are one for the session, `fresh_search_service` and `fresh_retrieval_service`
one for each test. What they have is the fixture `retrieval_options`, which a conftest.py may replace, out of
`retrieval_load`, `retrieval_definitions` and `retrieval_in_process` of pytest's configuration.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.local.testing.running import RunningRetrieval, RunningSearch
from retrieval.local.testing.services import CannotStart, Options
from retrieval.local.testing.services import retrieval_service as open_retrieval
from retrieval.local.testing.services import search_service as open_search

LOAD = "retrieval_load"
DEFINITIONS = "retrieval_definitions"
IN_PROCESS = "retrieval_in_process"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(LOAD, "NAME=PATH of the documents that retrieval_service loads, one a line", type="linelist")
    parser.addini(DEFINITIONS, "a JSON file of indexes, documents, sources and bases that it makes", default="")
    parser.addini(IN_PROCESS, "whether it has no socket", type="bool", default=False)


@pytest.fixture(scope="session")
def retrieval_options(pytestconfig: pytest.Config) -> Options:
    """What the services have; paths begin at pytest's rootdir."""
    root, definitions = pytestconfig.rootpath, str(pytestconfig.getini(DEFINITIONS))
    return Options(
        load=dict(_load(line, root) for line in pytestconfig.getini(LOAD)),
        definitions=root / definitions if definitions else {},
        in_process=bool(pytestconfig.getini(IN_PROCESS)),
    )


def _load(line: str, root: Path) -> tuple[str, Path]:
    name, equals, path = (part.strip() for part in line.partition("="))
    if not (name and equals and path):
        raise CannotStart(f"{LOAD}: {line!r} must be NAME=PATH.")
    return name, root / path


@pytest.fixture(scope="session")
def search_service(retrieval_options: Options) -> Iterator[RunningSearch]:
    """A local Azure AI Search that the tests of the session share."""
    with open_search(retrieval_options) as running:
        yield running


@pytest.fixture
def fresh_search_service(retrieval_options: Options) -> Iterator[RunningSearch]:
    """A local Azure AI Search of this test alone, which may change it."""
    with open_search(retrieval_options) as running:
        yield running


@pytest.fixture(scope="session")
def retrieval_service(retrieval_options: Options) -> Iterator[RunningRetrieval]:
    """The whole service, over a search service of its own, that the tests of the session share."""
    with open_retrieval(retrieval_options) as running:
        yield running


@pytest.fixture
def fresh_retrieval_service(retrieval_options: Options) -> Iterator[RunningRetrieval]:
    """The whole service for this test alone, which may change it."""
    with open_retrieval(retrieval_options) as running:
        yield running
