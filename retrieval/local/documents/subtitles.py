"""Subtitles, WebVTT and SubRip: what is said, in paragraphs that begin at a time."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Final

from retrieval.local.documents.parts import Part
from retrieval.local.documents.texts import text_of

LONGEST_PARAGRAPH: Final = 1_200
"""Characters; a paragraph ends with the cue that fills it."""

_TIMING: Final = re.compile(r"^[ \t]*((?:\d{1,3}:)?\d\d:\d\d)[.,]\d{1,3}[ \t]*-->.*\n?", re.MULTILINE)
_BLANK: Final = re.compile(r"^[ \t]*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"\n[ \t]*\d{1,6}[ \t]*\n\Z")
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
    """The time and the words of each cue, which end at an empty line or before the next cue.

    Notes, styles and settings have no time, and are passed over.
    """
    speaker = ""
    for timing, after in pairwise([*_TIMING.finditer(text), None]):
        assert timing is not None
        words = text[timing.end() : after.start() if after else len(text)]
        blank = _BLANK.search(words)
        is_cut = after is not None and (blank is None or blank.start() == len(words))
        cue = _NUMBER.sub("", f"\n{words}") if is_cut else words[: blank.start() if blank else None]
        said, speaker = _said(cue, speaker)
        if said:
            yield timing[1], said


def _said(words: str, speaker: str) -> tuple[str, str]:
    """The words with the name of who says them, where that is another one than before; and the last who speaks."""
    texts = list[str]()
    before, *voices = _SPEAKER.split(words)
    for name, said in zip(["", *voices[::2]], [before, *voices[1::2]], strict=True):
        if name and name != speaker:
            speaker = name
            texts.append(f"{name}:")
        texts.append(unescape(_TAG.sub("", said)))
    return " ".join(" ".join(texts).split()), speaker
