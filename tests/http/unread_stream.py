"""A program: answers without an end, over the extension for HTTP streams. It prints a line when the work of one ends.

Those of `/late` have a second to leave, others for ever.
"""

import asyncio

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from retrieval.contracts.rendered import Events, Rendered
from retrieval.http.call import Call
from retrieval.http.delivery import deliver
from retrieval.http.stream_extension import forwarded

CALL = Call(method="GET", headers={}, query={}, route={}, origin="", path="", raw_query="", body=b"")


async def events() -> Events:
    try:
        while True:
            yield b"x" * 60_000
            await asyncio.sleep(0)
    finally:
        print("ended", flush=True)


def failure(error: Exception) -> Rendered:
    raise error


async def answer(request: Request, body: bytes) -> Rendered:
    until = asyncio.get_running_loop().time() + 1 if request.url.path == "/late" else None
    unread = events()
    return (await deliver(Rendered(status=200, body=unread, until=until), unread, CALL, failure))[0]


async def main() -> None:
    app = Starlette(routes=[Route("/{path:path}", forwarded(answer))])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving


if __name__ == "__main__":
    asyncio.run(main())
