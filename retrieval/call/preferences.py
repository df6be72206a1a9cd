"""What the question of a call names of the facets of its indexes, found beside the plan."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from retrieval import threads
from retrieval.call.rounds import Run
from retrieval.errors import BackendError
from retrieval.model.conversation import question_of
from retrieval.model.facets import Facets, Preferences
from retrieval.ports import IndexFacets


async def known(run: Run, *, until: float) -> Mapping[str, Facets]:
    """The facets of the ranked indexes, as far as they are known at that time of the loop."""
    if run.facets is None:
        return {}
    names = dict.fromkeys(target.index for target in run.request.targets if target.recall.rerank)
    try:
        async with asyncio.timeout_at(until):
            read = [_facets(run.facets, index) for index in names]
            facets = await asyncio.gather(*read) if len(read) > 1 else [await one for one in read]
    except TimeoutError:
        return {}
    return {index: of_index for index, of_index in zip(names, facets, strict=True) if of_index is not None}


def shown(run: Run, known: Mapping[str, Facets]) -> tuple[Facets, ...]:
    """What a model may read of them. Values are of all documents, so where a filter or permissions keep documents from
    the caller only the languages are shown."""
    request = run.request
    limited = {target.index for target in request.targets if target.filter is not None or target.check is not None}
    hidden = not run.values_shown or request.user_token is not None
    return tuple(
        replace(facets, values={}) if hidden or index in limited else facets for index, facets in known.items()
    )


async def named(run: Run, known: Mapping[str, Facets]) -> Preferences:
    """By index."""
    if not any(one.values or one.dates for one in known.values()):
        return {}
    await threads.once(_load)
    from retrieval.rules import facets

    question = question_of(run.request.messages)
    named = {
        index: await threads.work(one.extent, partial(facets.named, question, one)) for index, one in known.items()
    }
    return {index: preferences for index, preferences in named.items() if preferences}


def _load() -> None:
    from retrieval.rules import facets  # noqa: F401


async def _facets(facets: IndexFacets, index: str) -> Facets | None:
    try:
        return await facets.facets(index)
    except BackendError:
        return None
