"""A program: opens the test app on the engine named, sends it the requests of standard input, prints the answers.

One process runs one engine over one app, so every engine under test gets a process of its own.
"""

import asyncio
import json
import sys
from pathlib import Path

from retrieval.local.host import Host, OpenEngine, open_host
from retrieval.local.wire import WireRequest
from tests.local.host.runtime_engine import ENGINES

APP = Path(__file__).parent / "app"


async def ask(opening: OpenEngine, questions: list[dict[str, str]]) -> dict[str, object]:
    host = await open_host(APP, opening=opening)
    answers = [await _answer(host, question) for question in questions]
    return {"title": host.engine.title, "listing": host.listing("http://local"), "answers": answers}


async def _answer(host: Host, question: dict[str, str]) -> dict[str, object]:
    """`headers` holds lines; `chunked` leaves the length out."""
    body = question.get("body", "").encode()
    lines = ["host: local:7071", *question.get("headers", "").splitlines()]
    if body and "chunked" not in question:
        lines.append(f"content-length: {len(body)}")
    pairs = (line.partition(": ") for line in lines)
    response = await host(
        WireRequest(
            method=question.get("method", "GET"),
            target=question["target"],
            headers=tuple((name, value) for name, _, value in pairs),
            body=body,
        )
    )
    return {"status": response.status, "headers": response.headers, "body": response.body.decode("latin-1")}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(ask(ENGINES[sys.argv[1]], json.load(sys.stdin)))))
