"""Retrieve, and where the request asks for an answer, write it from what was found."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from retrieval.call import retrieve as pipeline
from retrieval.call import synthesis
from retrieval.call.budget import ModelCalls
from retrieval.call.late import Pace
from retrieval.model.definitions import ModelDeployment
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import ChatModel, Clock, IndexFacets, IndexSchemas, Observer, SearchIndex


async def retrieve_and_answer(
    request: RetrievalRequest,
    *,
    index: SearchIndex,
    model: ChatModel | None,
    clock: Clock,
    deployment: ModelDeployment | None = None,
    schemas: IndexSchemas | None = None,
    pace: Pace | None = None,
    facets: IndexFacets | None = None,
    values_shown: bool = False,
    start: float | None = None,
    observers: Sequence[Observer] = (),
) -> Outcome:
    """What `pipeline.retrieve` gives and raises, with an answer where `output_mode` is answerSynthesis.

    Both share `request.max_runtime` seconds from `start` (loop time; None is now).
    """
    writes = request.output_mode == "answerSynthesis"
    if writes and model is not None:
        request = replace(request, targets=tuple(replace(one, dated=True) for one in request.targets))
    began = asyncio.get_running_loop().time() if start is None else start
    outcome = await pipeline.retrieve(
        request,
        index=index,
        model=model,
        clock=clock,
        deployment=deployment,
        schemas=schemas,
        pace=pace,
        facets=facets,
        values_shown=values_shown,
        start=began,
        observers=observers,
    )
    if not writes:
        return outcome
    calls = ModelCalls(model, runtime=request.max_runtime, start=began, observers=observers)
    return await synthesis.synthesised(outcome, calls=calls, clock=clock, deployment=deployment)
