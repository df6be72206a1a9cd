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
    """The words of `text` in their order, side by side."""

    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Any word that begins with `text`; case is the only thing that analysis changes of it."""

    text: str


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


Query: TypeAlias = All | Words | Phrase | Prefix | Both | Either | Except
