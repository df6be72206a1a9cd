"""A program: serves the app on the engine named until its input ends.

It prints one line of JSON: its address, and what the app answers where nobody carries parts of an answer, as in the
Functions host, which has no socket to the caller in the worker's process.
"""

import asyncio
import json
import sys
from pathlib import Path

from retrieval.local.host import Host, OpenEngine, open_host
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest
from tests.http.events_app import KEY
from tests.local.host.runtime_engine import ENGINES

APP = Path(__file__).parent


async def main(opening: OpenEngine) -> None:
    host = await open_host(APP, opening=opening)
    await _ask(host, "/release/whole")
    whole = {name: await _ask(host, f"/events/{name}") for name in ("whole", "fails", "breaks", "refused")}
    async with serving(host) as address:
        print(json.dumps({"address": address, "title": host.engine.title, "whole": whole}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def _ask(host: Host, target: str) -> dict[str, object]:
    response = await host(WireRequest(method="POST", target=target, headers=(("api-key", KEY),)))
    return {"status": response.status, "headers": dict(response.headers), "body": response.body.decode()}


if __name__ == "__main__":
    asyncio.run(main(ENGINES[sys.argv[1]]))
