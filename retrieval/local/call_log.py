"""One line a call: the method, the target, the status, the milliseconds; in colour on a terminal."""

from time import perf_counter
from typing import Final

from retrieval.local.wire import WireRequest, WireResponse, WireService

GREEN, YELLOW, RED, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
_COLOURS: Final = {4: YELLOW, 5: RED}


def told(service: WireService, *, colour: bool) -> WireService:
    """The same service, with a line printed for each answer."""

    async def answer(request: WireRequest) -> WireResponse:
        begun = perf_counter()
        response = await service(request)
        line = f"{request.method} {request.target} {response.status} {(perf_counter() - begun) * 1000:.0f} ms"
        shown = _COLOURS.get(response.status // 100, GREEN)
        print(f"{shown}{line}{PLAIN}" if colour else line, flush=True)
        return response

    return answer
