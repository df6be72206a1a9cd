"""The precondition of a write to a store of definitions. Its rules are those of RFC 9110, section 13.1."""

from dataclasses import dataclass
from typing import Final

from retrieval.errors import PreconditionFailed
from retrieval.model.definitions import Defined, Stored

ANY: Final = "*"


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
