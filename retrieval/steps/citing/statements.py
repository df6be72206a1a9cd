"""Statements: the sentences of an answer, each with the citations that stand behind its full stop.

Together they are the whole text, so that what is not removed stays as it was.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

CITATION: Final = "\x02"
"""Stands for a citation in the text that is divided."""

OTHER: Final = "\x03"
"""Stands for anything else that is not shown, or is no text."""

HIDDEN: Final = "\x1a"
"""Stands for a character of code, of an address or of a quotation, where no sentence ends."""

_END: Final = re.compile(
    rf"(?P<stop>(?P<wide>[。！？｡]++)|[.!?…]++)(?P<shut>[\"'”’»«“)\]*_~」』）{OTHER}]*+)"
    rf"(?P<cites>(?:[ \t]*+{CITATION}++)*+)(?P<gap>[ \t\n]*+)"
    rf"|(?P<line>(?:{CITATION}[ \t]*+|[:;：；][ \t]*+| {{2}}|\\)\n)"
)
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(\"'])(?:[^\W\d_]|[^\W\d_]\.[^\W\d_]|dr|mr|mrs|ms|prof|st|vs|cf|figs?|nos?|vol|pp|al|ca|approx|inc|ltd|co"
    r"|corp|jr|sr|dept|est|ph\.d|bzw|usw|nr|abs|art|sec|ch|eq|ed|eds|jan|feb|apr|aug|sept?|oct|nov|dec|[0-9]{1,3})$",
    re.IGNORECASE,
)
_FARTHEST: Final = 12
"""How far back an abbreviation is looked for."""


class Span(NamedTuple):
    """From `start` up to `end`; blanks after a sentence are part of it."""

    start: int
    end: int


def statements(text: str) -> tuple[Span, ...]:
    """The sentences one after the other, without gaps."""
    bounds = [0, *_ends(text), len(text)]
    return tuple(Span(start, end) for start, end in pairwise(bounds) if start < end)


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        if match["line"]:
            yield match.end()
        elif match.end() < len(text):
            end = _end(text, match)
            if end is not None:
                yield end


def _end(text: str, match: re.Match[str]) -> int | None:
    """Where the sentence ends that a full stop may end; None where it goes on."""
    following = text[match.end() : match.end() + 2].lstrip(f"\"'“„«»「*_([{OTHER}")
    if match["wide"]:
        return match.end()
    if not match["gap"]:
        return match.end("cites") if match["cites"] and not following[:1].islower() else None
    if following[:1].islower():
        return match.end("shut") + 1 if match["cites"] and match["cites"][0].isspace() else None
    before = text[max(match.start() - _FARTHEST, 0) : match.start()]
    return None if match["stop"] == "." and not match["cites"] and _ABBREVIATED.search(before) else match.end()
