"""What is behind every peer, in a process of its own: `python -m tests.benchmarks.peers.upstream KIND`.

A chat model that plans five queries, as a JSON object where it is asked for JSON and as lines otherwise, and an index
that gives each of them 50 documents; as they share some, together they find `ALL`.
"""

import asyncio
import json
import sys
from typing import Final, Literal, TypeAlias, get_args

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.benchmarks.upstream import FIVE, MODEL_SECONDS, page
from tests.scripted_azure import ScriptedAzure, answering, by_search, definition, delayed, failing, found, replying
from tests.scripted_azure.scripts import Document

Kind: TypeAlias = Literal["quick", "usual", "fails", "hangs", "junk"]
UPSTREAM: Final = "tests.benchmarks.peers.upstream"
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

SEARCH_SECONDS: Final = dict(zip(FIVE, (0.1, 0.125, 0.15, 0.175, 0.2), strict=True))
TROUBLED: Final = FIVE[1]
ALL: Final = len({one["id"] for name in FIVE for one in page(name)})
JUNK: Final = "I am afraid that I cannot help with that."
INDEXES: Final = answering({"value": [{"name": "atlas"}]})


def planning() -> WireService:
    """Five queries: as a JSON object where the prompt asks for JSON, as lines otherwise."""
    as_json, as_lines = replying(json.dumps({"queries": FIVE})), replying("\n".join(FIVE))

    async def answer(request: WireRequest) -> WireResponse:
        return await (as_json if b"json" in request.body.lower() else as_lines)(request)

    return answer


def once(begun: asyncio.Event, trouble: WireService, *, before: WireService) -> WireService:
    async def answer(request: WireRequest) -> WireResponse:
        return await (trouble if begun.is_set() else before)(request)

    return answer


def searches(kind: Kind, begun: asyncio.Event) -> WireService:
    """A query that was not planned is answered as the last one is: some peers search the question too."""
    pages = {name: found(*(_described(one) for one in page(name))) for name in FIVE}
    if kind == "quick":
        return by_search(pages, otherwise=pages[FIVE[-1]])
    scripts = {name: delayed(SEARCH_SECONDS[name], pages[name]) for name in FIVE}
    troubled = {"fails": delayed(SEARCH_SECONDS[TROUBLED], failing(503)), "hangs": delayed(10, pages[TROUBLED])}
    if kind in troubled:
        scripts[TROUBLED] = once(begun, troubled[kind], before=scripts[TROUBLED])
    return by_search(scripts, otherwise=scripts[FIVE[-1]])


def _described(one: Document) -> Document:
    return {**one, "metadata": json.dumps({"source": one["id"]})}


def azure(kind: Kind) -> WireService:
    """Trouble begins with a call of `/trouble`: until then a peer can warm up."""
    begun = asyncio.Event()
    plan = once(begun, replying(JUNK), before=planning()) if kind == "junk" else planning()
    scripted = ScriptedAzure(
        search=searches(kind, begun),
        index=definition(),
        chat=plan if kind == "quick" else delayed(MODEL_SECONDS, plan),
    )

    async def answer(request: WireRequest) -> WireResponse:
        if request.target == "/trouble":
            begun.set()
            return WireResponse(status=204)
        return await (INDEXES if request.target.startswith("/indexes?") else scripted)(request)

    return answer


async def main(kind: str) -> None:
    [known] = [one for one in KINDS if one == kind]
    async with serving(azure(known)) as address:
        print(address, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
