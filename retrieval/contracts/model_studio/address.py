"""The address of a call of Retrieve, 2023-12-29: its path, and the headers that name the action and the version."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from retrieval.errors import BadRequest, NoSuchCall

BODY_HASH: Final = "x-acs-content-sha256"

_UNSIGNED: Final = "unsigned-payload"
_HASH_OF_NOTHING: Final = sha256(b"").hexdigest()

_EXPECTED: Final = {"x-acs-action": "Retrieve", "x-acs-version": "2023-12-29"}
_RESEMBLING = re.compile(r"(?:.*/)?index/retrieve/?", re.IGNORECASE | re.DOTALL)


def resembles(path: str) -> bool:
    """Whether a path that has no route is probably meant for this contract."""
    return _RESEMBLING.fullmatch(path) is not None


def paths(workspace: str) -> tuple[str, ...]:
    """The paths that clients may have signed for this workspace. The Functions host does not decode a slash in the
    workspace, so there may be two paths."""
    spellings = dict.fromkeys((workspace, workspace.replace("%2F", "/").replace("%2f", "/")))
    return tuple(f"/{quote(spelling, safe='')}/index/retrieve" for spelling in spellings)


def is_meant_empty(headers: Mapping[str, str], query: str) -> bool:
    """Whether the client sent an empty body on purpose. The SDK for Java sends an empty body with chunked encoding.

    The body is empty on purpose if there is a query string, and the hash header is missing or is the hash of zero
    bytes.
    """
    return bool(query) and headers.get(BODY_HASH, _HASH_OF_NOTHING).strip().lower() == _HASH_OF_NOTHING


def check_body_hash(headers: Mapping[str, str], body: bytes) -> None:
    """Raises BadRequest if the hash header has the hash of another body. A call without the header is accepted."""
    stated = headers.get(BODY_HASH, "").strip().lower()
    if stated not in ("", _UNSIGNED, sha256(body).hexdigest()):
        raise BadRequest("The body is not the one whose hash this header has.", target=BODY_HASH)


def check_action(headers: Mapping[str, str]) -> None:
    """Raises NoSuchCall for a call that names another action or version. A call without these headers is accepted."""
    for name, expected in _EXPECTED.items():
        header = headers.get(name, expected)
        if header != expected:
            raise NoSuchCall(name.removeprefix("x-acs-"), header[:100])
