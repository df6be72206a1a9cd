"""What is behind all: an index, and a model that writes 60 tokens a second: `python -m … KIND`, `paced` or `quick`.

Asked by our schemas, or as `timed` asks, it replies with blocks in JSON, otherwise with the same sentences as text.
"""

import asyncio
import json
import sys
from typing import Final

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.answer.scripts import judgement, step_of
from tests.benchmarks.streamed_answer.timed import AS_BLOCKS
from tests.benchmarks.upstream import page
from tests.scripted_azure import ScriptedAzure, answering, definition, delayed, found, replying
from tests.scripted_azure.streams import ending, paced, pieces, streaming

UPSTREAM: Final = "tests.benchmarks.streamed_answer.upstream"
TOKENS_A_SECOND: Final = 60
TOKEN: Final = 4
"""Characters."""
DECIDING_SECONDS: Final = 0.3
SENTENCES: Final = tuple(
    f"A street grid that is lit evenly shows from orbit as sharply as it does on a map, as part {number} tells."
    for number in range(8)
)
TEXT: Final = "\n\n".join(SENTENCES)
WRITTEN: Final[dict[str, object]] = {
    "blocks": [{"kind": "paragraph", "text": text, "chunk_ids": ["c1"]} for text in SENTENCES]
}
BLOCKS: Final = json.dumps(WRITTEN, separators=(",", ":"))
READ: Final = json.dumps({**WRITTEN, **judgement("c1")}, separators=(",", ":"))
DECISIONS: Final = {
    "route": json.dumps({"should_run_rag": True, "route": "run_rag", "assistant_message": ""}),
    "plan": json.dumps({"queries": ["roads by night"], "retrieval_goals": ["Find roads."], "filter": "", "next": ""}),
}
INDEXES: Final = answering({"value": [{"name": "atlas"}]})


def model(kind: str) -> WireService:
    """The model."""

    async def answer(request: WireRequest) -> WireResponse:
        body = json.loads(request.body)
        step = step_of(body) if "response_format" in body else ""
        decides = step in DECISIONS or (not step and "standalone" in request.body.decode().lower())
        written = READ if step else BLOCKS if AS_BLOCKS.encode() in request.body else TEXT
        text = DECISIONS.get(step, SENTENCES[0]) if decides else written
        parts = (*pieces(text, TOKEN), ending())
        seconds = 0 if kind == "quick" else DECIDING_SECONDS if decides else len(text) / TOKEN / TOKENS_A_SECOND
        if not body.get("stream"):
            return await delayed(seconds, replying(text))(request)
        return await (streaming(*parts) if kind == "quick" else paced(seconds, *parts))(request)

    return answer


def azure(kind: str) -> WireService:
    """The whole service behind."""
    documents = [{**one, "metadata": "{}"} for one in page("roads by night")[:8]]
    scripted = ScriptedAzure(search=found(*documents), index=definition(), chat=model(kind))

    async def answer(request: WireRequest) -> WireResponse:
        return await (INDEXES if request.target.startswith("/indexes?") else scripted)(request)

    return answer


async def main(kind: str) -> None:
    async with serving(azure(kind)) as address:
        print(address, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
