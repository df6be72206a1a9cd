"""CPU time that telemetry adds to a retrieve: every span, count and header of one, without an SDK and with one."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from statistics import median
from time import process_time
from typing import Final

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

from retrieval.model.activity import RankerActivity
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.retrieval import Grounding, Limits, Outcome, RetrievalRequest
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.ports import Hear
from retrieval.telemetry import names, spans
from retrieval.telemetry.outgoing_calls import CalledService, TracedIndex, TracedModel
from tests.benchmarks.table import Row, show

ROUNDS: Final = 15
CALLS: Final = 400
SUBQUERIES: Final = 5
AZURE: Final = CalledService(system=names.AZURE_SEARCH, endpoint="https://s.search.windows.net")
MODEL: Final = CalledService(system=names.AZURE_OPENAI, endpoint="https://m.openai.azure.com")
SUBQUERY: Final = Subquery(search="roads", target=SearchTarget(index="atlas", threshold=1.0))
PROMPT: Final = Prompt(name="plan-6", instructions="", data="", schema={})
REPLY: Final = Reply(text="", input_tokens=100, output_tokens=20)
REQUEST: Final = RetrievalRequest(messages=(), targets=(SUBQUERY.target,), limits=Limits(output_tokens=10, runtime=60))
OUTCOME: Final = Outcome(
    request=REQUEST,
    grounding=Grounding(text="[]", included=()),
    references=(),
    activity=(RankerActivity(input_tokens=0, elapsed_ms=0),),
)


class Instant:
    """A search service and a model that take no time, and make the headers that they would send along."""

    async def search(self, subquery: Subquery) -> Page:
        spans.outgoing()
        return Page()

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        spans.outgoing()
        return REPLY


async def told(index: TracedIndex, model: TracedModel) -> None:
    """All telemetry of a retrieve with a model and five sub-queries."""
    with spans.request("retrieve", {}, id="1") as request:
        spans.described({names.AGENT: "agent"})
        with spans.step("plan") as step:
            await model.complete(PROMPT)
            step.set({names.QUERIES: SUBQUERIES, names.BY: "model"})
        for _ in range(SUBQUERIES):
            await index.search(SUBQUERY)
        with spans.step("merge"):
            pass
        with spans.step("ground") as step:
            step.set({names.GROUNDED: 1})
        found, dropped = OUTCOME.found, OUTCOME.dropped.items()
        spans.documents(subqueries=SUBQUERIES, found=found, returned=len(OUTCOME.references), dropped=dropped)
        request.answered(200, contract="agents 2025-05-01-preview")


async def microseconds(call: Callable[[], Awaitable[None]]) -> float:
    """CPU time a call, the middle of several rounds."""
    rounds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = process_time()
        for _ in range(CALLS):
            await call()
        rounds.append((process_time() - start) * 1e6 / CALLS)
    return median(rounds)


async def main() -> None:
    index = TracedIndex(Instant(), service_of=lambda index, kind: AZURE, content=False)
    model = TracedModel(Instant(), deployment="planner", service=MODEL)
    off = await microseconds(lambda: told(index, model))
    trace.set_tracer_provider(TracerProvider())
    metrics.set_meter_provider(MeterProvider([InMemoryMetricReader()]))
    on = await microseconds(lambda: told(index, model))
    show(
        "CPU time that telemetry adds to a retrieve, a model and five sub-queries",
        [
            Row(name="no SDK", value=off, target=150, unit="µs", note="1.3 % of a retrieve of 3.4 ms"),
            Row(name="an SDK", value=on, target=1_000, unit="µs", note="every span kept, nothing exported"),
        ],
    )


if __name__ == "__main__":
    asyncio.run(main())
