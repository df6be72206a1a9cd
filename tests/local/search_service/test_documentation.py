"""docs/developing/local-search.md tells the truth: its Python runs, its lists of rights hold for every request."""

import re
import subprocess
import sys

import pytest

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.api.routes import OPERATIONS
from retrieval.local.search_service.api.versions import API_VERSIONS
from retrieval.local.wire import WireRequest
from tests.environments import ROOT

PAGE = (ROOT / "docs" / "developing" / "local-search.md").read_text(encoding="utf-8")
CREDENTIALS = {"admin": "local-dev-key", "query": "query-key", "reader": "reader-key", "wrong": "other", "none": None}


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def rights() -> dict[tuple[str, ...], tuple[str, str, str]]:
    """Each request of the lists with what an admin key, a query key and a data reader get."""
    found: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for lead, others in (
        ("Every key", "yes"),
        ("Only an admin key", "403"),
    ):
        listed = PAGE.split(f"\n{lead} may:\n\n")[1].split("\n\n")[0]
        for methods, path in re.findall(r"`([A-Z,]+) /(.*?)`", listed):
            found |= {(method, *path.split("/")): ("yes", others, others) for method in methods.split(",")}
    return found


@pytest.mark.parametrize(("code", "said"), list(zip(examples(), ["[]\n"], strict=True)))
def test_an_example_runs_and_says_what_it_should(code: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_every_version_stands_on_the_page() -> None:
    said = PAGE.partition("knows these api-versions: ")[2].partition("\n\n")[0].replace("\n", " ")
    stable, _, previews = said.partition("previews")
    dates = {*re.findall(r"[\d-]{10}", stable), *(f"{one}-preview" for one in re.findall(r"[\d-]{10}", previews))}
    assert dates == set(API_VERSIONS)


def test_every_request_stands_in_a_list() -> None:
    assert rights().keys() == OPERATIONS.keys()


async def status(request: tuple[str, ...], key: str | None) -> int:
    method, *path = request
    service = SearchService(query_keys=["query-key"], reader_keys=["reader-key"])
    target = "/" + "/".join("boats" if part == "*" else part for part in path)
    headers = () if key is None else (("api-key", key),)
    sent = WireRequest(method=method, target=f"{target}?api-version=2026-04-01", headers=headers, body=b"{}")
    return (await service(sent)).status


@pytest.mark.parametrize("request_", sorted(OPERATIONS), ids=" ".join)
@pytest.mark.parametrize("credential", CREDENTIALS)
async def test_every_request_is_answered_as_the_list_says(request_: tuple[str, ...], credential: str) -> None:
    columns = dict(zip(("admin", "query", "reader"), rights()[request_], strict=True))
    answered = await status(request_, CREDENTIALS[credential])
    if credential == "none":
        assert answered == 401
    elif columns.get(credential, "403") == "403":
        assert answered == 403
    else:
        assert answered in (200, 400, 404)
