"""Markdown and text."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from retrieval.local.documents.front_matter import divided
from retrieval.local.documents.markdown import seen
from retrieval.local.documents.parts import Part
from retrieval.local.documents.sections import titled
from retrieval.local.documents.texts import text_of

_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")


def read_text(path: Path) -> Iterator[Part]:
    yield Part(blocks=_PARAGRAPH.split(text_of(path)))


def read_markdown(path: Path) -> Iterator[Part]:
    """The title is that of the front matter, else the first heading. Raises Unreadable."""
    members, text = divided(text_of(path))
    title = members.get("title", "")
    yield from titled(seen(text, is_mdx=path.suffix.lower() == ".mdx"), title if isinstance(title, str) else "")
