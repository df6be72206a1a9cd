"""Tokens of a text, counted from its UTF-8 bytes: four bytes are one token."""

from typing import Final

BYTES_PER_TOKEN: Final = 4


def tokens(text: str | None) -> int:
    """UTF-8 bytes over four, rounded up."""
    if not text:
        return 0
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)
