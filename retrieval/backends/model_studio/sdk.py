"""Alibaba's SDK without redirects, for which it has no setting.

A redirect would send the signed headers of a call to another host. The SDK opens a session of aiohttp for every
call; importing this module gives it sessions that fail at a redirect.
"""

from functools import partial
from types import SimpleNamespace

import aiohttp
from alibabacloud_bailian20231229 import client
from darabonba import core

__all__ = ["Redirected", "client"]


class Redirected(aiohttp.ClientError):
    """The service answered with a redirect."""


async def _end(*_: object) -> None:
    raise Redirected


_trace = aiohttp.TraceConfig()
_trace.on_request_redirect.append(_end)
_session = partial(aiohttp.ClientSession, trace_configs=[_trace])
core.aiohttp = SimpleNamespace(**{**vars(aiohttp), "ClientSession": _session})
