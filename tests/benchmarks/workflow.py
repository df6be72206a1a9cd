"""Wall time of an answer over its model calls one after another, its own and those of the workflow it replaces.

The Foundry workflow's agents run in a row: router, planner, a retriever a query, reranker, evidence, answer; 8 calls
with three queries, thirteen with a follow-up of three more. Every call of a model takes the same simulated time, and a
search its own; the original's searches are not counted, though its retrievers wait for them.
"""

import asyncio
import json
from time import perf_counter
from typing import Any, Final

from retrieval.local.host import Host
from retrieval.local.wire import WireRequest, WireService
from tests.answer.scripts import answered, by_step, planned, routed, written
from tests.benchmarks.deployment import AGENT, KEY, over_azure
from tests.benchmarks.table import Row, quantile, show
from tests.scripted_azure import ScriptedAzure, by_search, definition, delayed, document, found

MODEL_SECONDS: Final = 0.25
SEARCH_SECONDS: Final = 0.02
ORIGINAL: Final = 8
ORIGINAL_WITH_FOLLOW_UP: Final = 13
ROUNDS: Final = 8
TARGET: Final = 0.6

TEXT: Final = "The road follows the river [c1]."
SCRIPTS: Final = {
    "route": routed(),
    "plan": planned("roads along rivers", "harbours at river mouths", "tolls at bridges"),
    "again": answered(TEXT, "c1"),
}
ENOUGH: Final = written(TEXT)
NOT_ENOUGH: Final = answered(TEXT, "c1", sufficient=False, confidence=0.2, more=("one", "two", "three"))


def model(answer: WireService) -> WireService:
    return delayed(MODEL_SECONDS, by_step({**SCRIPTS, "answer": answer}))


def search() -> WireService:
    """Fifty documents for the plan's queries, others for each of the follow-up's."""
    words = [f"stone{n} bridge{n} coin{n} cart{n} barge{n} grain{n} harbour{n}" for n in range(80)]
    documents = [document(f"d{n}", 3.5 - n / 40, title=f"T{n}", content=text) for n, text in enumerate(words)]
    more = {name: found(*documents[50 + 10 * n : 60 + 10 * n]) for n, name in enumerate(("one", "two", "three"))}
    return delayed(SEARCH_SECONDS, by_search(more, otherwise=found(*documents[:50])))


async def timed(host: Host) -> tuple[float, dict[str, Any]]:
    body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads?"}]}]}).encode()
    headers = (("api-key", KEY), ("content-type", "application/json"), ("content-length", str(len(body))))
    start = perf_counter()
    response = await host(WireRequest(method="POST", target=f"/agents/{AGENT}/answer", headers=headers, body=body))
    assert response.status == 200, response.body
    return perf_counter() - start, json.loads(response.body)


async def measure(host: Host, *, calls: int) -> tuple[float, float]:
    """The middle of the wall times, and of the sums of the model calls as the answer's activity tells them."""
    walls, sums = [], []
    for _ in range(ROUNDS):
        wall, answer = await timed(host)
        asked = [one for one in answer["activity"] if one["type"] == "step" and one["prompt"]]
        assert len(asked) == calls and all(one["by"] == "model" for one in asked), answer["activity"]
        walls.append(wall)
        sums.append(sum(one["elapsed_ms"] for one in asked) / 1000)
    return quantile(walls, 0.5), quantile(sums, 0.5)


def row(name: str, wall: float, against: float, what: str) -> Row:
    note = f"{wall * 1000:.0f} ms over {against * 1000:.0f} ms: {what}"
    return Row(name=name, value=wall / against, target=TARGET, note=note)


async def main() -> None:
    azure = ScriptedAzure(search=search(), index=definition(), chat=model(ENOUGH))
    async with azure.listening(), over_azure(azure.address) as host:
        await timed(host)
        wall, own = await measure(host, calls=3)
        azure.chat = model(NOT_ENOUGH)
        longest, _ = await measure(host, calls=4)
        rows = [
            row("own calls", wall, own, "its three calls one after another"),
            row("original", wall, ORIGINAL * MODEL_SECONDS, f"the original's {ORIGINAL} calls, three queries"),
            row(
                "follow-up",
                longest,
                ORIGINAL_WITH_FOLLOW_UP * MODEL_SECONDS,
                f"the original's {ORIGINAL_WITH_FOLLOW_UP} calls, its longest path",
            ),
        ]
        show("wall time of an answer over model calls in a row", rows)


if __name__ == "__main__":
    asyncio.run(main())
