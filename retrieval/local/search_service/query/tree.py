"""What a query syntax is read into, and what `text_index` runs. A leaf is text still to be analysed, field by field."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["any", "all"]


@dataclass(frozen=True, slots=True)
class All:
    """Every document, with the same score."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words that analysis finds in `text`, joined as the request's search mode says."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words of `text` in their order, side by side; `slop` is how many places they may be moved in all."""

    text: str
    slop: int = 0


@dataclass(frozen=True, slots=True)
class Prefix:
    """Any word that begins with `text`; case is the only thing that analysis changes of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Any word of this shape: text, and between its `parts` what `gaps` say, "?" one character, "*" any number."""

    parts: tuple[str, ...]
    gaps: str


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """Any word that `edits` insertions, deletions, substitutions or swaps of neighbours make of `text`."""

    text: str
    edits: int


@dataclass(frozen=True, slots=True)
class Regex:
    """Any word that `pattern` describes whole, as `lucene_regex` wrote it; `size` is that of its automaton, about."""

    pattern: str
    size: int


@dataclass(frozen=True, slots=True)
class Both:
    """Every part must match."""

    parts: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part must match; the scores of those that do are added."""

    parts: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class Except:
    """Every document that `part` does not match."""

    part: "Query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """Lucene's boolean query: all of `must`, none of `must_not`; of `should` at least one where `must` is empty."""

    must: tuple["Query", ...] = ()
    should: tuple["Query", ...] = ()
    must_not: tuple["Query", ...] = ()


@dataclass(frozen=True, slots=True)
class Within:
    """`part`, looked for in one field instead of those of the request."""

    part: "Query"
    field: str


@dataclass(frozen=True, slots=True)
class Boosted:
    """`part`, its score multiplied."""

    part: "Query"
    factor: float


Pattern: TypeAlias = Prefix | Wildcard | Fuzzy | Regex
"""Leaves that describe words; each gives every document it matches the score 1.0."""

Leaf: TypeAlias = Words | Phrase | Pattern

Query: TypeAlias = All | Leaf | Both | Either | Except | Clauses | Within | Boosted
