"""Answers the calls of standard input in one service: a JSON array of method, path and body, one in a line."""

import asyncio
import json
import os
import sys

from retrieval.local.testing.composed import composed
from retrieval.local.wire import WireRequest, WireService


async def answered(host: WireService) -> None:
    for line in sys.stdin:
        method, target, body = json.loads(line)
        content = json.dumps(body).encode()
        headers = {
            "api-key": "admin-key",
            "content-type": "application/json",
            "content-length": str(len(content)),
            "prefer": "return=representation",
            "accept": "application/json, text/event-stream" if target.endswith("/mcp") else "application/json",
        }
        answer = await host(WireRequest(method=method, target=target, headers=tuple(headers.items()), body=content))
        print(json.dumps([answer.status, json.loads(answer.body or b"null")]))


if __name__ == "__main__":
    with composed(os.environ) as (host, _):
        asyncio.run(answered(host))
