"""Replaces secrets in the answers of the services behind. A service may quote a request, and the caller sees its
message."""

import re
from functools import lru_cache
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9]+")
_ESCAPED: Final = rb"(?:\\{0,7}%s|\\{1,7}u(?i:%04x))"
"""A character as JSON may write it, also in JSON that is a text within JSON. Each level doubles the backslashes."""


def without(content: bytes, secret: str, *, replacement: bytes) -> bytes:
    """The content without the secret. JSON may write the characters of the secret that are not letters or digits as
    escapes. An empty secret is nowhere."""
    longest = max(_PLAIN.findall(secret), key=len, default="")
    is_there = bool(secret) and longest.encode() in content
    return _pattern(secret).sub(replacement, content) if is_there else content


@lru_cache(maxsize=256)
def _pattern(secret: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_written, secret)))


def _written(character: str) -> bytes:
    if _PLAIN.fullmatch(character):
        return character.encode()
    return _ESCAPED % (re.escape(character.encode()), ord(character))
