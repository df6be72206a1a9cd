"""What a converter gives of a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LONGEST_TEXT: Final = 16 * 1024 * 1024
"""Characters of one file's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page, a slide, a record or a whole file. `page` counts from 1; `blocks` are paragraphs, tables, lists.

    `within` is the path of a file in an archive. `left_out` says for people what of the file is in no part.
    """

    blocks: Sequence[str]
    title: str = ""
    heading_path: Sequence[str] = ()
    page: int | None = None
    within: str = ""
    left_out: str = ""


class Unreadable(Exception):
    """A file is skipped; the sentence says why."""
