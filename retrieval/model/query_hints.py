"""Query hints of a knowledge source (2026-08-01-preview), and a plan's filter and boosts from them for one call."""

from dataclasses import dataclass

from retrieval.filters.tree import Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterHint:
    """A field that a plan may filter by. `values` are some of its values, `instructions` say when to use it."""

    field: str
    values: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostHint:
    """A hint to rank higher: documents with one of the values in `field`.

    Without a `field` the values are expressions of several words, in any field. `factor` multiplies the score of the
    words, is positive and not 1.
    """

    factor: float
    field: str | None = None
    values: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryHints:
    filters: tuple[FilterHint, ...] = ()
    boosts: tuple[BoostHint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Boost:
    """Any of `values`, in `field` or (None) in any field, weighs `factor` times as much as a word of the query."""

    factor: float
    values: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinted:
    """A plan's filter and boosts from the hints of one knowledge source, for every search of the plan in it."""

    source: str
    filter: Filter | None = None
    boosts: tuple[Boost, ...] = ()
