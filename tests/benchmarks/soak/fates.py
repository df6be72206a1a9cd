"""What becomes of a search and of a plan: decided by its text alone, so that whoever reads an answer can check it.

`python -m tests.benchmarks.soak.fates` is the Azure of the soak, in a process of its own. It prints `ready` and its
address.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Final
from zlib import crc32

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    cutting,
    delayed,
    document,
    failing,
    found,
    queries,
    replying,
    stalling,
)
from tests.scripted_azure.scripts import Document

WELL: Final = "well"
SLOW: Final = "slow"
DOCUMENTS: Final = 10
PARTS: Final = ("north", "south", "harbour")
SENTENCE: Final = "A street grid that is lit evenly shows from orbit as sharply as it does on a map. "

FAILING: Final[Mapping[str, WireService]] = {
    "429": failing(429),
    "429 for long": failing(429, retry_after=30),
    "503": failing(503),
    "500": failing(500),
    "403": failing(403),
    "404": failing(404),
    "400": failing(400, "No such field."),
    "hang": stalling(),
    "cut": cutting(),
    "half a JSON": answering(b'{"value": [{"id": "a", "@search.re'),
    "HTML": answering(b"<html>Bad Gateway</html>", content_type="text/html"),
    "no gzip": answering(b"not gzip at all", content_encoding="gzip"),
    "204": answering(b"", status=204),
    "lone surrogate": answering(b'{"value": [{"id": "\\ud800", "@search.rerankerScore": 3.0}]}'),
    "a null": answering({"value": [None]}),
}
"""A search that fails like this has an error in its record, or counts the documents that it could not read."""

UNPLANNED: Final[Mapping[str, WireService]] = {
    "429": failing(429),
    "500": failing(500),
    "hang": stalling(),
    "cut": cutting(),
    "nonsense": replying("I would rather not."),
}
"""With a model that fails like this a request is planned without it."""


def fate(text: str, failing: Mapping[str, WireService]) -> str:
    """One in five fails, one in fifty is slow."""
    number = crc32(text.encode())
    if number % 100 < 20:
        return sorted(failing)[number // 100 % len(failing)]
    return SLOW if number % 100 < 22 else WELL


def question(number: int) -> str:
    return f"Which lights shine at place {number}?"


def planned(number: int) -> tuple[str, ...]:
    """The queries of a plan that the model makes."""
    return tuple(f"lights of the {part} of place {number}" for part in PARTS)


def keys(text: str) -> list[str]:
    """Of the documents that a search finds when all is well."""
    return [f"{crc32(text.encode()):08x}-{place}" for place in range(DOCUMENTS)]


async def _search(request: WireRequest) -> WireResponse:
    text = str(json.loads(request.body)["search"])
    fated = fate(text, FAILING)
    if fated in FAILING:
        return await FAILING[fated](request)
    seconds = 3.0 if fated == SLOW else 0.2 + crc32(text.encode()) % 600 / 1000
    return await delayed(seconds, found(*_page(text)))(request)


def _page(text: str) -> list[Document]:
    return [
        document(key, 3.9 - place * 0.05, title=f"{text}, part {place}", content=SENTENCE * 15)
        for place, key in enumerate(keys(text))
    ]


async def _chat(request: WireRequest) -> WireResponse:
    asked = re.search(rb"at place (\d+)", request.body)
    number = int(asked[1]) if asked else 0
    script = UNPLANNED.get(fate(question(number), UNPLANNED), queries(*planned(number)))
    return await (script if script is UNPLANNED.get("hang") else delayed(0.4, script))(request)


class Forgetful(list[object]):
    """Keeps nothing: ten thousand requests are not to be remembered."""

    def append(self, one: object) -> None:
        """Nothing happens."""


async def main() -> None:
    azure = ScriptedAzure(search=_search, chat=_chat)
    azure.recorded = Forgetful()  # type: ignore[assignment]
    async with serving(azure) as address:
        print(f"ready {address}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
