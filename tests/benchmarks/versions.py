"""CPU time of what a version does to a retrieve: it parses the request and renders the answer.

The retrieve is that of `cpu`, with a model and five sub-queries: each version parses a question and renders that
outcome. What one takes more than 2025-05-01-preview does is its share of the whole retrieve's CPU time.
"""

import asyncio
import gc
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from time import process_time
from typing import Final

from retrieval.call.ports import Ports
from retrieval.contracts.served_versions import CONTRACTS, Contract, contract
from retrieval.errors import BadRequest
from retrieval.http.service import Service
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Address, Outcome
from retrieval.retrieve.retrieve_documents import retrieve
from tests.benchmarks.cpu import WARM_UP, milliseconds
from tests.benchmarks.served import BODY, composed, ours
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import upstream

ROUNDS: Final = 15
REPEATS: Final = 20
FIRST: Final = ("agents", "2025-05-01-preview")
AGENT: Final = Agent(name="planner", targets=(Target(index="atlas"),))
INTENTS: Final = json.dumps({"intents": [{"type": "semantic", "search": "Which roads follow rivers?"}]}).encode()


async def found(service: Service) -> Outcome:
    agent = await service.agents.lookup.find("planner")
    assert agent is not None
    request = contract(*FIRST).parse(BODY, agent, user_token=None)
    deployment, clock = service.models.usual, service.process.clock
    assert deployment is not None
    model = service.models.of(deployment)
    return await retrieve(request, Ports(index=service.indexes.search, model=model, clock=clock))


def edge(spoken: Contract[Outcome], body: bytes, outcome: Outcome) -> None:
    spoken.parse(body, AGENT, user_token=None)
    spoken.render(outcome)


def question(spoken: Contract[Outcome]) -> bytes:
    """The conversation, or an intent where a version takes no conversation."""
    try:
        spoken.parse(BODY, AGENT, user_token=None)
    except BadRequest:
        return INTENTS
    return BODY


def cost(work: Callable[[], None]) -> float:
    """Milliseconds of CPU time, collected garbage aside."""
    gc.collect()
    start = process_time()
    for _ in range(REPEATS):
        work()
    return (process_time() - start) * 1000 / REPEATS


async def main() -> None:
    with upstream("cpu") as address:
        async with composed(address) as service:
            outcome, *_ = await asyncio.gather(*(found(service) for _ in range(WARM_UP)))
            whole = median([await milliseconds(partial(ours, service)) for _ in range(ROUNDS)])
    called = Address(endpoint="https://retrieval.example", version="2026-10-01")
    outcome = replace(outcome, request=replace(outcome.request, address=called))
    named = replace(
        outcome,
        references=tuple(
            one._replace(target=replace(one.target, include_source_data=True)) for one in outcome.references
        ),
    )
    for kind, rendered in (("without source data", outcome), ("with source data", named)):
        work = {
            key: partial(edge, spoken, question(spoken), rendered)
            for key, spoken in ((key, contract(*key)) for key in CONTRACTS)
        }
        rounds = [{key: cost(one) for key, one in work.items()} for _ in range(ROUNDS)]
        spent = {key: median(one[key] for one in rounds) for key in work}
        rows = [
            Row(
                name=key[1].removesuffix("-preview"),
                value=median((one[key] - one[FIRST]) / whole for one in rounds),
                target=0.05,
                note=f"{spent[key]:.2f} ms of a retrieve's {whole:.1f} ms",
            )
            for key in work
        ]
        show(f"CPU time of a version beyond {FIRST[1]}'s, {len(outcome.references)} references {kind}", rows)


if __name__ == "__main__":
    asyncio.run(main())
