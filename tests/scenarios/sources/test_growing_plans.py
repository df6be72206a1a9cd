"""Several sources and a plan that is still being written: which are searched at once, and which wait for its end."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import pytest

from retrieval.call.ports import Ports
from retrieval.errors import UnsupportedFilter
from retrieval.model.activity import SearchActivity
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.retrieval import Outcome
from retrieval.model.search import FilterHint, Hit, Page, QueryHints, SearchTarget, Subquery
from retrieval.ports import Hear
from retrieval.retrieve.retrieve_documents import retrieve as searching
from tests.call.test_observing import Watcher
from tests.scenarios.sources.conftest import REQUEST, RIVERS, ROADS, Retrieve, with_targets
from tests.scripted_azure import ScriptedAzure, document, found, streaming
from tests.scripted_azure.streams import ending, piece, pieces

ALWAYS: Final = replace(ROADS, always=True), replace(RIVERS, always=True)
BEGUN: Final = '{"queries": ["coast", "har'
REST: Final = 'bour"]'


def searched(outcome: Outcome) -> list[tuple[str, str]]:
    """The index and the text of each search."""
    searches = [one.searched.subquery for one in outcome.activity if isinstance(one, SearchActivity)]
    return [(one.target.index, one.search) for one in searches]


async def test_sources_that_are_always_searched_are_searched_at_once(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    """Records are in the order in which their searches began, which events count by."""
    azure.search = found(document("road", 3.1))
    azure.chat = streaming(piece(BEGUN), partial(azure.asked, "search", 2), piece(REST + "}"), ending())
    watcher = Watcher()
    outcome = await retrieve(with_targets(*ALWAYS), watcher=watcher)
    expected = [("roads", "coast"), ("rivers", "coast"), ("roads", "harbour"), ("rivers", "harbour")]
    assert searched(outcome) == expected
    begun = [told.removeprefix("search ").removesuffix(" begun") for told in watcher.told if told.startswith("search")]
    assert [text for text in begun if "ended" not in text] == [text for _, text in expected]
    assert watcher.told.index("search coast begun") < watcher.told.index("plan ended")


class Speaking:
    """A model that says a plan of two queries, as it writes it if it may."""

    def __init__(self, *, streams: bool) -> None:
        self._streams = streams

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        if self._streams and hear is not None:
            hear(BEGUN)
            await asyncio.sleep(0)
            hear(REST + "}")
        return Reply(text=BEGUN + REST + "}", input_tokens=1, output_tokens=1)


class Equal:
    """An index whose documents all have the same score."""

    async def search(self, subquery: Subquery) -> Page:
        key = f"{subquery.target.index} {subquery.search}"
        return Page(hits=(Hit(key, 2.5, 1.0, None, None, key, {}),))


@pytest.mark.parametrize("targets", [ALWAYS, ALWAYS[::-1], (ROADS, ALWAYS[1])])
async def test_equal_documents_are_in_one_order_however_the_model_answers(targets: tuple[SearchTarget, ...]) -> None:
    request, clock = replace(REQUEST, targets=targets), lambda: datetime(2026, 1, 1, tzinfo=UTC)
    streamed, whole = [
        await searching(request, Ports(index=Equal(), model=Speaking(streams=streams), clock=clock))
        for streams in (True, False)
    ]
    assert searched(streamed) != searched(whole)
    assert [one.hit.key for one in streamed.references] == [one.hit.key for one in whole.references]
    for outcome in (streamed, whole):
        sources = [f"{index} {text}" for index, text in searched(outcome)]
        assert all(sources[one.subquery] == one.hit.key for one in outcome.references)


async def test_a_source_that_may_be_picked_waits_for_the_end(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = found(document("road", 3.1))
    text = json.dumps({"queries": ["coast", "harbour"], "sources": ["river-source"]})
    azure.chat = streaming(piece(text[:22]), partial(azure.asked, "search", 1), piece(text[22:]), ending())
    outcome = await retrieve(with_targets(ALWAYS[0], RIVERS))
    assert searched(outcome) == [("roads", "coast"), ("roads", "harbour"), ("rivers", "coast"), ("rivers", "harbour")]
    assert len(azure.searches) == 4


@pytest.mark.parametrize(
    "targets", [(ROADS, RIVERS), (replace(ROADS, hints=QueryHints(filters=(FilterHint(field="year"),))),)]
)
async def test_where_every_source_waits_no_stream_is_asked_for(
    targets: tuple[SearchTarget, ...], azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = found(document("road", 3.1)), streaming(*pieces(BEGUN + REST + "}", 9), ending())
    outcome = await retrieve(replace(REQUEST, targets=targets))
    assert {text for _, text in searched(outcome)} == {"coast", "harbour"}
    assert "stream" not in azure.chats[0].json


async def test_a_source_gets_no_more_queries_than_it_takes(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.chat = found(document("road", 3.1)), streaming(*pieces(BEGUN + REST + "}", 9), ending())
    outcome = await retrieve(with_targets(replace(ALWAYS[0], max_subqueries=1), ALWAYS[1]))
    assert searched(outcome) == [("roads", "coast"), ("rivers", "coast"), ("rivers", "harbour")]


class Talkative:
    """A model that says the beginning of a plan and then nothing."""

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        assert hear is not None
        hear(BEGUN)
        await asyncio.Event().wait()
        raise AssertionError


class Refusing:
    """An index that cannot express the caller's filter."""

    async def search(self, subquery: Subquery) -> Page:
        raise UnsupportedFilter("geo.distance", side="roads")


async def test_a_filter_that_a_target_cannot_express_ends_the_plan_too() -> None:
    with pytest.raises(UnsupportedFilter):
        await searching(
            with_targets(*ALWAYS),
            Ports(index=Refusing(), model=Talkative(), clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)),
        )
