"""The part of a chat model's text that is its reply: without the thinking before it, and what stands around it."""

import re
from collections.abc import Callable
from typing import Final

THOUGHT: Final = "</think>"
"""The end of the thinking. Its beginning, `<think>`, is missing where a template writes it."""
_REPLY: Final = re.compile(re.escape(THOUGHT) + r"\s*+(?=[{`])")


def after_thought(text: str) -> str:
    """The text after the thinking. A reply that begins with a brace is the text itself, whatever its strings hold."""
    text = text.strip()
    begun = None if text.startswith("{") else _REPLY.search(text)
    return text if begun is None else text[begun.end() :]


def visible(text: str) -> str:
    """The reply in a text: from its first brace to its last, without the fence or the prose around it."""
    text = after_thought(text)
    first, last = text.find("{"), text.rfind("}")
    return text[first : last + 1] if 0 <= first < last else text


class VisibleText:
    """Passes the pieces of a growing text on to `hear`, from the brace with which the reply begins."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear = hear
        self._begun = False
        self._held = ""

    def __call__(self, piece: str) -> None:
        if self._begun:
            self._hear(piece)
            return
        text = (self._held + piece).lstrip()
        if not text.startswith("{") and THOUGHT in text:
            text = text.rpartition(THOUGHT)[2].lstrip()
        if text.startswith("{"):
            self._begun = True
            self._hear(text)
            return
        # Of a text that is not the reply, only the end is kept, in which the end of the thinking may begin.
        self._held = text if len(text) < len(THOUGHT) and not text.startswith("<") else "?" + text[1 - len(THOUGHT) :]
