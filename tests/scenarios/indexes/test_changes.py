"""An index that changes while the service runs: its definition is read again in time, and at once after a refusal."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.scenarios.failures.jumping_loop import jump
from tests.scenarios.indexes.conftest import TEXT, Deployment, error, index, text

OLD: Final = index("birds", "title", "content")
NEW: Final = index("birds", "headline", "body", title="headline", content="body")
OLD_BIRD: Final = {"id": "1", "title": "Heron", "content": "A heron waits."}
NEW_BIRD: Final = {"id": "1", "headline": "Heron", "body": "The heron flew."}
WAITS: Final = [{"ref_id": 0, "title": "Heron", "content": "A heron waits."}]
FLEW: Final = [{"ref_id": 0, "title": "Heron", "content": "The heron flew."}]
CALM: Final = {"rerankerThreshold": 0}


async def started(deployment: Deployment) -> None:
    await deployment.make(OLD, OLD_BIRD)
    await deployment.base("birds", "birds")
    assert text(await deployment.retrieve("birds", **CALM)) == WAITS


def with_key(definition: dict[str, Any], name: str) -> dict[str, Any]:
    key, *others = definition["fields"]
    return {**definition, "fields": [{**key, "name": name}, *others]}


async def test_an_index_that_was_built_anew_with_other_names_is_served_at_once(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    await started(deployment)
    await deployment.make(NEW, NEW_BIRD, anew=True)
    read = deployment.definitions_read
    with caplog.at_level(logging.WARNING, "retrieval.backends"):
        assert text(await deployment.retrieve("birds", **CALM)) == FLEW
        assert text(await deployment.retrieve("birds", **CALM)) == FLEW
    assert (deployment.definitions_read - read, len(deployment.searches)) == (1, 4)
    (line,) = caplog.messages
    assert "'birds' has changed" in line and "new: 'headline', 'body'; gone: 'title', 'content'" in line


async def test_a_key_and_a_configuration_with_other_names_are_read_too(deployment: Deployment) -> None:
    await started(deployment)
    renamed = with_key(OLD, "chunk_id")
    await deployment.make(renamed, {"chunk_id": "7", "content": "A heron waits."}, anew=True)
    assert (await deployment.retrieve("birds", **CALM)).status == 200
    semantic = {"configurations": [{**OLD["semantic"]["configurations"][0], "name": "other"}]}
    await deployment.make({**OLD, "semantic": {"defaultConfiguration": "other", **semantic}}, OLD_BIRD, anew=True)
    assert text(await deployment.retrieve("birds", **CALM)) == WAITS


async def test_the_searches_of_concurrent_calls_share_one_reading(deployment: Deployment) -> None:
    await started(deployment)
    await deployment.make(NEW, NEW_BIRD, anew=True)
    read, searched = deployment.definitions_read, len(deployment.searches)
    questions = [f"heron {number}" for number in range(5)]
    calls = (deployment.retrieve("birds", *questions, **CALM) for _ in range(3))
    assert [text(answer) for answer in await asyncio.gather(*calls)] == [FLEW] * 3
    assert deployment.definitions_read - read == 1
    assert len(deployment.searches) - searched <= 2 * 15


async def test_a_field_that_was_added_is_read_after_ten_minutes(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    await started(deployment)
    grown = index("birds", "title", "content", "body", content="body")
    await deployment.make(grown, {**OLD_BIRD, "body": "The heron flew."})
    assert text(await deployment.retrieve("birds", **CALM)) == WAITS
    jump(601)
    assert text(await deployment.retrieve("birds", **CALM)) == FLEW
    assert "'birds' has changed" in caplog.text


async def test_a_definition_that_is_as_it_was_is_no_line_of_the_log(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    await started(deployment)
    read = deployment.definitions_read
    jump(601)
    assert text(await deployment.retrieve("birds", **CALM)) == WAITS
    assert (deployment.definitions_read - read, "has changed" in caplog.text) == (1, False)


async def test_a_configured_field_that_the_index_lacks_is_named_with_the_setting(deployment: Deployment) -> None:
    deployment.settings["INDEX_FIELDS"] = '{"birds": {"key": "id", "title": "title", "content": ["content"]}}'
    await started(deployment)
    await deployment.make(NEW, NEW_BIRD, anew=True)
    read, searched = deployment.definitions_read, len(deployment.searches)
    status, code, message = error(await deployment.retrieve("birds", **CALM))
    assert (status, code) == (502, "BackendMisconfigured")
    assert all(word in message for word in ("'birds'", "'title'", "INDEX_FIELDS"))
    assert (deployment.definitions_read - read, len(deployment.searches) - searched) == (0, 1)


@pytest.mark.parametrize("member", ["sourceDataFields", "searchFields"])
async def test_a_field_of_a_source_that_the_index_lacks_is_named_with_the_source(
    member: str, deployment: Deployment
) -> None:
    await deployment.make(OLD, OLD_BIRD)
    await deployment.base("birds", "birds", **{member: [{"name": "colour"}]})
    status, code, message = error(await deployment.retrieve("birds", **CALM))
    assert (status, code) == (502, "BackendMisconfigured")
    assert all(word in message for word in ("'birds'", "'colour'", f"{member} of the knowledge source 'birds'"))


TENANT: Final = {"name": "tenant", **TEXT, "filterable": True}
OF_TENANT: Final = "tenant eq 'colour' and title ne 'tenant'"
COMPARED: Final[Mapping[str, object]] = {"filterable": True, "type": "Edm.Int32"}


@pytest.mark.parametrize(
    "rebuilt",
    [
        index("birds", {"name": "title", **TEXT, "filterable": True}, "content"),
        index("birds", {"name": "title", **TEXT, "filterable": True}, "content", {"name": "tenant", **COMPARED}),
        index("birds", {"name": "title", **TEXT, "filterable": True}, "content", {**TENANT, "filterable": False}),
    ],
    ids=["gone", "a number", "not filterable"],
)
async def test_a_field_of_a_source_s_filter_that_the_index_lacks_is_named_with_the_source(
    rebuilt: Mapping[str, Any], deployment: Deployment
) -> None:
    await deployment.make(index("birds", {"name": "title", **TEXT, "filterable": True}, "content", TENANT))
    await deployment.base("birds", "birds", baseFilter=OF_TENANT)
    assert (await deployment.retrieve("birds", **CALM)).status == 200
    await deployment.make(rebuilt, anew=True)
    for own in ({}, {"filterAddOn": "title eq 'tenant'"}):
        status, code, message = error(await deployment.retrieve("birds", **own, **CALM))
        assert (status, code) == (502, "BackendMisconfigured")
        assert all(word in message for word in ("'birds'", "'tenant'", "baseFilter of the knowledge source 'birds'"))


async def test_a_field_of_a_caller_s_filter_beside_that_of_a_source_stays_the_caller_s_fault(
    deployment: Deployment,
) -> None:
    await deployment.make(index("birds", "title", "content", TENANT))
    await deployment.base("birds", "birds", baseFilter="tenant eq 'a'")
    for callers in ("colour eq 'tenant'", "tenant eq 1"):
        assert error(await deployment.retrieve("birds", filterAddOn=callers, **CALM))[0] == 400


async def test_a_field_of_a_caller_s_filter_stays_the_caller_s_fault(deployment: Deployment) -> None:
    await started(deployment)
    read = deployment.definitions_read
    answer = await deployment.retrieve("birds", filterAddOn="colour eq 'red'", **CALM)
    assert answer.status == 400 and deployment.definitions_read == read
