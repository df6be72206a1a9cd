"""The address of a call of Retrieve, 2023-12-29: its path, its action and version, the tokens beside a signature."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from retrieval.errors import NoSuchCall

BODY_HASH: Final = "x-acs-content-sha256"

_HASH_OF_NOTHING: Final = sha256(b"").hexdigest()

_EXPECTED: Final = {"x-acs-action": "Retrieve", "x-acs-version": "2023-12-29"}
_RESEMBLING = re.compile(r"(?:.*/)?index/retrieve/?", re.IGNORECASE | re.DOTALL)


def resembles(path: str) -> bool:
    """Whether a path without a route was meant for this contract."""
    return _RESEMBLING.fullmatch(path) is not None


def paths(workspace: str) -> tuple[str, ...]:
    """The path as clients write and sign it. The host leaves an encoded slash in the workspace as it is."""
    spellings = dict.fromkeys((workspace, workspace.replace("%2F", "/").replace("%2f", "/")))
    return tuple(f"/{quote(spelling, safe='')}/index/retrieve" for spelling in spellings)


def is_meant_empty(headers: Mapping[str, str], query: str) -> bool:
    """Whether an empty body was sent empty; the SDK for Java sends an empty body in chunks.

    The parameters are in the query then, and the hash of the body is that of no bytes.
    """
    return bool(query) and headers.get(BODY_HASH, _HASH_OF_NOTHING).strip().lower() == _HASH_OF_NOTHING


def check_action(headers: Mapping[str, str]) -> None:
    """Raises NoSuchCall for a call that names another action or version. A call without an action and a version
    passes."""
    for name, expected in _EXPECTED.items():
        header = headers.get(name, expected)
        if header != expected:
            raise NoSuchCall(name.removeprefix("x-acs-"), header[:100])
