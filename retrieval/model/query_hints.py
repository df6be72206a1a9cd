"""Query hints of a knowledge source (2026-08-01-preview), and the filter and boosts that a plan makes from them."""

from dataclasses import dataclass

from retrieval.filters.tree import Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterHint:
    """A field that a plan may filter by. `values` are some of its values. `instructions` say when the plan should use
    the field."""

    field: str
    values: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostHint:
    """A hint to change the rank of documents that have one of the values in `field`. Without a `field` the values are
    searched in any field. `factor` multiplies the score of the values. It is positive and not 1.
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
    """Each of `values` weighs `factor` times as much as a word of the query. The values are searched in `field`, or in
    any field if it is None."""

    factor: float
    values: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinted:
    """A plan's filter and boosts from the hints of one knowledge source. They apply to every search of the plan in that
    source."""

    source: str
    filter: Filter | None = None
    boosts: tuple[Boost, ...] = ()
