"""What MCP costs beyond a retrieve: the same search by the same agent, once as `retrieve` and once as a tool.

CPU time of this process, from the call as the host hands it over to the bytes of the answer. The index answers from
memory, fifty documents of 1.4 kB, so that nothing of a search is in it.
"""

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from statistics import median
from time import process_time
from typing import Final

from retrieval.compose import compose_service
from retrieval.contracts.rendered import Rendered
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.service import Service
from retrieval.http.serving import answer
from retrieval.model.search import Hit, Page, Subquery
from retrieval.settings.settings import LOCAL_KEY, Settings
from tests.benchmarks.table import Row, show
from tests.conftest import ask
from tests.mcp_messages import ACCEPT, calling, endpoint, modern

AGENT: Final = "earth-at-night"
ROUNDS: Final = 9
CALLS: Final = 40
DOCUMENTS: Final = 50
QUESTION: Final = "Which roads follow rivers to harbours?"
WORDS: Final = "abcdefghijklmnopqrstuvwxyz"

Work = Callable[[], Awaitable[Rendered]]


class FixedIndex:
    """Finds the same documents, whatever is searched."""

    def __init__(self) -> None:
        texts = [
            " ".join(f"{one}{two}{n % 10}{n // 10}" for one in WORDS for two in WORDS[:10]) for n in range(DOCUMENTS)
        ]
        self._page = Page(
            hits=tuple(Hit(key=f"d{n}", score=4 - n / 50, title=f"T{n}", content=text) for n, text in enumerate(texts))
        )

    async def search(self, subquery: Subquery) -> Page:
        return self._page

    async def exists(self, index: str) -> bool | None:
        return True


def call(message: object, *, query: str = "", **headers: str) -> Call:
    """A POST as the host hands it over."""
    usual = {"api-key": LOCAL_KEY, "content-type": "application/json", "accept": ACCEPT}
    version = {"api-version": query} if query else {}
    return Call(headers={**usual, **headers}, query=version, route={"name": AGENT}, body=json.dumps(message).encode())


def works(service: Service) -> dict[str, Work]:
    """The retrieve, and the ways to have it as a tool."""
    retrieve = call(ask(QUESTION), query="2025-05-01-preview")
    tool = calling("knowledge_base_retrieve", {"messages": [{"role": "user", "content": QUESTION}]})
    rag = calling("rag_retrieve", {"query": QUESTION})
    newer, headers = modern(tool)
    tools = endpoint()
    return {
        "retrieve": lambda: answer(RETRIEVE, service, retrieve, contract_name="agents"),
        "tool": lambda: answer(tools, service, call(tool), contract_name="mcp"),
        "tool 2026": lambda: answer(tools, service, call(newer, **headers), contract_name="mcp"),
        "rag": lambda: answer(tools, service, call(rag), contract_name="mcp"),
    }


async def milliseconds(work: Work) -> float:
    """CPU time a call, collected garbage aside."""
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        assert (await work()).status == 200
    return (process_time() - start) * 1000 / CALLS


async def main() -> None:
    composed = compose_service(Settings(local=True))
    service = replace(composed, indexes=replace(composed.indexes, search=FixedIndex()))
    found = works(service)
    for work in found.values():
        assert (await work()).status == 200
    rounds = [{name: await milliseconds(work) for name, work in found.items()} for _ in range(ROUNDS)]
    typical = {name: median(one[name] for one in rounds) for name in found}
    note = f"beyond the {typical['retrieve']:.2f} ms of a retrieve"
    rows = [
        Row(name=name, value=typical[name] - typical["retrieve"], target=target, unit="ms", note=note)
        for name, target in (("tool", 2), ("tool 2026", 2), ("rag", 6))
    ]
    show(f"CPU time that MCP adds to a call, {DOCUMENTS} documents", rows)


if __name__ == "__main__":
    asyncio.run(main())
