"""An alias as a source: its index gives the fields, and the searches name the alias."""

import json
import logging
from typing import Final

import pytest

from tests.scenarios.indexes.conftest import READER_KEY, Deployment, error, index, text

HERON: Final = {"id": "1", "title": "Heron", "content": "A heron waits."}
NEW_HERON: Final = {"id": "2", "headline": "Heron", "body": "The heron flew."}
CALM: Final = {"rerankerThreshold": 0}


async def mapped(deployment: Deployment, to: str) -> None:
    await deployment.manage("PUT", "/aliases('birds')", {"name": "birds", "indexes": [to]})


@pytest.fixture
async def birds(deployment: Deployment) -> Deployment:
    """Two indexes with other names of fields, and an alias for the first."""
    await deployment.make(index("birds-1", "title", "content"), HERON)
    await deployment.make(index("birds-2", "headline", "body", title="headline", content="body"), NEW_HERON)
    await mapped(deployment, "birds-1")
    return deployment


async def test_an_alias_is_searched_by_its_name_with_the_fields_of_its_index(birds: Deployment) -> None:
    await birds.base("birds", "birds")
    expected = [{"ref_id": 0, "title": "Heron", "content": "A heron waits."}]
    assert text(await birds.retrieve("birds", **CALM)) == expected
    searched = [one.target for one in birds.requests if "/docs/search" in one.target]
    assert searched and all("/indexes('birds')/" in target for target in searched)
    read = birds.definitions_read
    assert text(await birds.retrieve("birds", **CALM)) == expected
    assert birds.definitions_read == read


async def test_an_alias_that_was_moved_is_followed_after_a_refused_field(
    birds: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    await birds.base("birds", "birds")
    await birds.retrieve("birds", **CALM)
    await mapped(birds, "birds-2")
    with caplog.at_level(logging.WARNING, "retrieval.backends"):
        answer = await birds.retrieve("birds", **CALM)
    assert text(answer) == [{"ref_id": 0, "title": "Heron", "content": "The heron flew."}]
    (line,) = caplog.messages
    assert all(name in line for name in ("'birds'", "'birds-1'", "'birds-2'"))
    assert len(birds.searches) == 3


async def test_an_alias_with_configured_fields_needs_no_definition(birds: Deployment) -> None:
    birds.settings |= {
        "AZURE_SEARCH_API_KEY": READER_KEY,
        "INDEX_FIELDS": json.dumps({"birds": {"key": "id", "title": "title", "content": ["content"]}}),
    }
    await birds.base("birds", "birds")
    assert text(await birds.retrieve("birds", **CALM))[0]["content"] == "A heron waits."


async def test_a_filter_of_a_caller_is_checked_by_the_fields_of_the_index(birds: Deployment) -> None:
    await birds.base("birds", "birds")
    assert text(await birds.retrieve("birds", filterAddOn="title eq 'Heron'", **CALM))
    assert text(await birds.retrieve("birds", filterAddOn="title eq 'Stork'", **CALM)) == []


@pytest.mark.room("doctor")
async def test_the_doctor_finds_an_alias_sound(birds: Deployment) -> None:
    await birds.base("birds", "birds")
    assert await birds.findings("birds") == ["It holds 1 document, and is searched and ranked."]


async def test_a_name_that_is_neither_index_nor_alias_is_missing(birds: Deployment) -> None:
    await birds.base("birds", "birds")
    await birds.manage("DELETE", "/aliases('birds')")
    status, _, message = error(await birds.retrieve("birds", **CALM))
    assert status == 502 and "no such index" in message
