"""Subtitles, WebVTT and SubRip: what is said, in paragraphs that begin at a time."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Final

from retrieval.local.documents.parts import Part
from retrieval.local.documents.texts import text_of

LONGEST_PARAGRAPH: Final = 1_200
"""Characters; a paragraph ends with the cue that fills it."""

_TIMING: Final = re.compile(r"^[ \t]*((?:\d{1,3}:)?\d\d:\d\d)[.,]\d{1,3}[ \t]*-->", re.MULTILINE)
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_SPEAKER: Final = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]{1,200})>")
_TAG: Final = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")


def read_subtitles(path: Path) -> Iterator[Part]:
    """A part for each paragraph; its heading is the time at which it begins. Raises Unreadable."""
    start, cues, length = "", list[str](), 0
    for begin, cue in _cues(text_of(path)):
        if not cues:
            start = begin
        if cue != (cues[-1] if cues else ""):
            cues.append(cue)
            length += len(cue)
        if length > LONGEST_PARAGRAPH:
            yield Part(blocks=[" ".join(cues)], heading_path=(start,))
            cues, length = [], 0
    yield Part(blocks=[" ".join(cues)] if cues else [], heading_path=(start,))


def _cues(text: str) -> Iterator[tuple[str, str]]:
    """The time and the words of each cue; notes, styles and settings have no time, and are passed over."""
    speaker = ""
    for block in _BLANK.split(text):
        timing = _TIMING.search(block)
        if timing is None:
            continue
        _, _, words = block[timing.end() :].partition("\n")
        named = _SPEAKER.search(words)
        cue = " ".join(unescape(_TAG.sub("", words)).split())
        if named and named[1] != speaker:
            speaker = named[1]
            cue = f"{speaker}: {cue}"
        if cue:
            yield timing[1], cue
