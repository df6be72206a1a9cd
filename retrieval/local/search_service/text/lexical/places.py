"""Where in a text the anchors of a regular expression hold."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from retrieval.local.search_service.text.lexical.pattern_tree import At

_LINE_END: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_UNIX_LINE_END: Final = re.compile("\n")
_EDGE: Final = re.compile(r"\b")


def places(anchors: Sequence[At], text: str) -> list[int]:
    """For every place of the text, the one after its last character included, the anchors that hold there, as bits."""
    held = [0] * (len(text) + 1)
    for number, at in enumerate(anchors):
        bit = 1 << number
        if at.place == "no word edge":
            held = [one | bit for one in held]
        for place in _where(at, text):
            held[place] ^= bit
    return held


def _where(at: At, text: str) -> Iterable[int]:
    """The places of an anchor, each once; of "no word edge" those where it does not hold."""
    line_end = _UNIX_LINE_END if at.unix else _LINE_END
    match at.place:
        case "start":
            return (0,)
        case "end":
            return (len(text),)
        case "line start":
            return (0, *(end.end() for end in line_end.finditer(text) if end.end() < len(text)))
        case "line end":
            return (*(end.start() for end in line_end.finditer(text)), len(text))
        case "last line end":
            last = next((end for end in (text[-2:], text[-1:]) if end and line_end.fullmatch(end)), "")
            return {len(text), len(text) - len(last)}
        case "word edge" | "no word edge":
            return (edge.start() for edge in _EDGE.finditer(text))
