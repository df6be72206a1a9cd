"""What a converter gives of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.model.json_value import JsonValue

LONGEST_TEXT: Final = 16 * 1024 * 1024
"""Characters of one file's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page, a slide, a record or a whole file. `page` counts from 1; `blocks` are paragraphs, tables, lists.

    `within` is the path of a file in an archive. `left_out` says for people what of the file is in no part.
    `facts` are what the file says of itself, by their fields.
    """

    blocks: Sequence[str]
    title: str = ""
    heading_path: Sequence[str] = ()
    page: int | None = None
    within: str = ""
    left_out: str = ""
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


class Unreadable(Exception):
    """A file is skipped; the sentence says why."""


class NoText(Unreadable):
    """A file that can be read, and has no text."""
