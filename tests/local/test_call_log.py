"""One line a call, in colour on a terminal."""

import re

import pytest

from retrieval.local.call_log import told
from retrieval.local.wire import WireRequest, WireResponse


@pytest.mark.parametrize(("status", "colour"), [(200, "\x1b[32m"), (404, "\x1b[33m"), (502, "\x1b[31m")])
async def test_a_line_has_the_call_its_status_and_its_time(
    capsys: pytest.CaptureFixture[str], status: int, colour: str
) -> None:
    async def service(request: WireRequest) -> WireResponse:
        return WireResponse(status=status)

    for in_colour in (True, False):
        await told(service, colour=in_colour)(WireRequest(method="GET", target="/ready"))
    shown, plain = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"GET /ready {status} \d+ ms", plain)
    assert shown.startswith(f"{colour}GET /ready {status} ") and shown.endswith("\x1b[0m")
