"""A definition as a store keeps it, and the precondition of a write to it.

The rules of preconditions are those of RFC 9110, section 13.1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from retrieval.errors import PreconditionFailed
from retrieval.model.definitions import Definition

Defined = TypeVar("Defined", bound=Definition)

ANY: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Generic[Defined]):
    """A stored definition. `etag` is opaque, without quotes, and changes with every write.

    If the definition is a copy from the configuration, `seed` is the fingerprint of the configured definition. It is
    None once a caller has written the definition. `ignored` are the paths of members that this release does not know,
    and that the release which wrote them calls harmless.
    """

    value: Defined
    etag: str
    seed: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.value.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A stored definition that cannot be read; it can be deleted and replaced. `members` are the paths of the members
    that this release does not know, or that are given more than once."""

    name: str
    etag: str
    members: tuple[str, ...] = ()


Kept: TypeAlias = Stored[Defined] | Unreadable


def readable_values(entries: Iterable[Kept[Defined]]) -> list[Defined]:
    """The definitions that can be read."""
    return [entry.value for entry in entries if isinstance(entry, Stored)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult(Generic[Defined]):
    """The result of a write. `created` says that nothing was stored under the name before."""

    stored: Stored[Defined]
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Precondition:
    """The precondition of a write. The stored etag must be in `match`, and must not be in `none_match`. `ANY` stands
    for every etag.

    `match` None and an empty `none_match` set no condition.
    """

    match: frozenset[str] | None = None
    none_match: frozenset[str] = frozenset()

    def holds(self, etag: str | None) -> bool:
        """Whether a write may replace a definition with that etag. The etag is None if nothing is stored."""
        return (self.match is None or _among(etag, self.match)) and not _among(etag, self.none_match)

    def check(self, name: str, etag: str | None) -> None:
        """Raises PreconditionFailed with the name of the definition if a write may not replace it."""
        if not self.holds(etag):
            raise PreconditionFailed(name)

    @property
    def something_stored(self) -> bool:
        """Whether the only condition is that something is stored."""
        return self.match is not None and ANY in self.match and not self.none_match

    @property
    def nothing_stored(self) -> bool:
        """Whether the only condition is that nothing is stored."""
        return self.match is None and ANY in self.none_match


def _among(etag: str | None, etags: frozenset[str]) -> bool:
    return etag is not None and (etag in etags or ANY in etags)


UNCONDITIONAL: Final = Precondition()
ABSENT: Final = Precondition(none_match=frozenset({ANY}))


def exactly(stored: Stored[Defined]) -> Precondition:
    """The precondition that the stored definition still has this etag."""
    return Precondition(match=frozenset({stored.etag}))
