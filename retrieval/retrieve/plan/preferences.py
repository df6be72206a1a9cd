"""Finds the facets that the question of a call names. The plan is made at the same time."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from retrieval import threads
from retrieval.call.run import Run
from retrieval.errors import BackendError
from retrieval.model.conversation import question_of
from retrieval.model.search import Facets, Preferences
from retrieval.ports import IndexFacets
from retrieval.retrieve.plan import shown_values
from retrieval.retrieve.plan.facet_preferences import preferences_of


async def facets_of(run: Run, *, until: float) -> Mapping[str, Facets]:
    """The facets of each index with reranking. Indexes that cannot be read are left out. If the facets are not read by
    `until`, a time of the event loop, the result is empty."""
    if run.ports.facets is None:
        return {}
    names = dict.fromkeys(
        target.index for target in run.request.targets if target.recall.rerank and target.server is None
    )
    try:
        async with asyncio.timeout_at(until):
            readings = [_facets(run.ports.facets, index) for index in names]
            facets_read = (
                await asyncio.gather(*readings) if len(readings) > 1 else [await reading for reading in readings]
            )
    except TimeoutError:
        return {}
    return {index: of_index for index, of_index in zip(names, facets_read, strict=True) if of_index is not None}


async def shown_to_model(run: Run, facets_by_index: Mapping[str, Facets]) -> tuple[Facets, ...]:
    """The facets that a model may read; their values are read ahead of its prompt. Values of facets come
    from all documents of an index. So where a filter or permissions may hide documents from the caller, the values are
    left out."""
    request = run.request
    limited_indexes = {
        target.index for target in request.targets if target.filter is not None or target.check is not None
    }
    is_hidden = not run.ports.values_shown or request.user_token is not None
    shown = tuple(
        replace(of_index, values={}) if is_hidden or index in limited_indexes else of_index
        for index, of_index in facets_by_index.items()
    )
    for of_index in shown:
        if of_index.values:
            await threads.work(of_index.extent, partial(shown_values.read_ahead, of_index))
    return shown


async def find(run: Run, facets_by_index: Mapping[str, Facets]) -> Preferences:
    """For each index, the facet values and years that the question names."""
    if not any(of_index.values or of_index.dates for of_index in facets_by_index.values()):
        return {}
    question = question_of(run.request.messages)
    by_index = {
        index: await threads.work(of_index.extent, partial(preferences_of, question, of_index))
        for index, of_index in facets_by_index.items()
    }
    return {index: preferences for index, preferences in by_index.items() if preferences}


async def _facets(port: IndexFacets, index: str) -> Facets | None:
    try:
        return await port.facets(index)
    except BackendError:
        return None
