"""An answer as data: blocks in order, each a claim with the chunks that support it."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["paragraph", "sentence", "heading", "bullet", "step", "header", "row", "code", "missing"]
"""`sentence` continues a paragraph, a bullet or a step; `header` is the first row of a table; `missing` names
information that the chunks lack."""

FLOWING: Final[frozenset[Kind]] = frozenset({"paragraph", "bullet", "step"})
"""The kinds that a `sentence` can continue."""

TABULAR: Final[frozenset[Kind]] = frozenset({"header", "row"})
"""The kinds whose text has one cell on each line."""

NAMING: Final = frozenset({"heading", "header"})
"""The kinds that make no claim, and only name the topic of the blocks below them."""


MARK: Final = "\ufffc"
"""The sign in a text that stands for a citation within the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that a chunk has, according to the model."""

    text: str
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A claim. `text` is plain text. It is on one line, except in code and in the rows of a table. `chunks` are ids of
    chunks; an id may belong to no chunk. `marks` are the ids of the chunks that are cited within the text, one for each
    `MARK` in `text`, in the same order."""

    kind: Kind
    text: str
    chunks: tuple[str, ...] = ()
    quotations: tuple[Quotation, ...] = ()
    marks: tuple[str, ...] = ()
