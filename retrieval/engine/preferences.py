"""What the question of a call names of the facets of its indexes, found beside the plan."""

import asyncio
from functools import partial

from retrieval import threads
from retrieval.engine.rounds import Run
from retrieval.errors import BackendError
from retrieval.model.conversation import question_of
from retrieval.model.facets import Facets, Preferences
from retrieval.ports import IndexFacets


async def named(run: Run, *, until: float) -> Preferences:
    """By index; nothing of an index whose facets are not known at that time of the loop."""
    if run.facets is None:
        return {}
    try:
        async with asyncio.timeout_at(until):
            return await _named(run, run.facets)
    except TimeoutError:
        return {}


async def _named(run: Run, facets_of: IndexFacets) -> Preferences:
    names = dict.fromkeys(target.index for target in run.request.targets if target.recall.rerank)
    read = [_facets(facets_of, index) for index in names]
    found = await asyncio.gather(*read) if len(read) > 1 else [await one for one in read]
    known = {index: one for index, one in zip(names, found, strict=True) if one is not None}
    if not any(one.values or one.dates for one in known.values()):
        return {}
    await threads.once(_load)
    from retrieval.engine import facets

    question = question_of(run.request.messages)
    named = {
        index: await threads.work(one.extent, partial(facets.named, question, one)) for index, one in known.items()
    }
    return {index: preferences for index, preferences in named.items() if preferences}


def _load() -> None:
    from retrieval.engine import facets  # noqa: F401


async def _facets(facets: IndexFacets, index: str) -> Facets | None:
    try:
        return await facets.facets(index)
    except BackendError:
        return None
