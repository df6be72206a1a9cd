"""Markdown and text."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from retrieval.local.documents.markdown import seen
from retrieval.local.documents.parts import Part
from retrieval.local.documents.sections import titled
from retrieval.local.documents.texts import text_of

_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE: Final = re.compile(r"^title[ \t]*[:=][ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")


def read_text(path: Path) -> Iterator[Part]:
    yield Part(blocks=_PARAGRAPH.split(text_of(path)))


def read_markdown(path: Path) -> Iterator[Part]:
    """The title is that of the front matter, else the first heading. Raises Unreadable."""
    text = text_of(path)
    front = _FRONT_MATTER.match(text)
    found = _TITLE.search(front[2]) if front else None
    shown = seen(text[front.end() :] if front else text, is_mdx=path.suffix.lower() == ".mdx")
    yield from titled(shown, found[1] if found else "")
