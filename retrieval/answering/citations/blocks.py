"""An answer as data: blocks in their order, each one claim with the chunks that it rests on."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["paragraph", "sentence", "heading", "bullet", "step", "header", "row", "code", "missing"]
"""`sentence` goes on where a paragraph, a bullet or a step was begun; `header` is the first row of a table, whose cells
`|` divides; `missing` says what the chunks do not tell."""

FLOWING: Final = frozenset({"paragraph", "bullet", "step"})
"""What a `sentence` goes on in."""

NAMING: Final = frozenset({"heading", "header"})
"""What says nothing itself, but what others are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that are said to stand in a chunk."""

    text: str
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A claim. `text` is plain text, on one line if it is not code; `chunks` are ids, whether there are such or not."""

    kind: Kind
    text: str
    chunks: tuple[str, ...] = ()
    quotations: tuple[Quotation, ...] = ()
