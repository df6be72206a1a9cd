"""The facets of an index: the values that its documents have in fields that a question may name, and its languages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facets:
    """The facets of an index. `values` are those of each field, as facets give them, `dates` the fields of dates with
    time and zone, `languages` the codes of those that the texts are in."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def extent(self) -> int:
        """The work that their forms are, in characters read."""
        return 500 * sum(map(len, self.values.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A question names these `values` of a field, or these `years` of its dates: such documents rank higher."""

    field: str
    values: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()


Preferences: TypeAlias = Mapping[str, tuple[Preference, ...]]
"""The preferences of a question, by index."""
