"""How many files and chunks were read, and what was skipped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.text.counted_noun import how_many

MOST_NAMED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that is not read, or a line or a part of one that is, and why. A part's reason names it."""

    source: str
    reason: str
    line: int | None = None
    is_part: bool = False

    @property
    def is_file(self) -> bool:
        return self.line is None and not self.is_part


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Of one reading: files that were read, chunks that they made, files that were skipped."""

    files: int
    chunks: int
    skipped: Sequence[Skipped] = ()

    def lines(self, name: str) -> Iterator[str]:
        """For people; a name cannot write to the terminal."""
        count = sum(not one.is_part for one in self.skipped)
        skipped = f", {count:,} skipped" if count else ""
        yield f"{name}: {how_many(self.files, 'file')}, {how_many(self.chunks, 'chunk')}{skipped}"
        for one in self.skipped[:MOST_NAMED]:
            line = "" if one.line is None else f", line {one.line}"
            yield f"  {'left out of' if one.is_part else 'skipped'} {_shown(one.source)}{line}: {_shown(one.reason)}"
        if len(self.skipped) > MOST_NAMED:
            yield f"  skipped or left out {len(self.skipped) - MOST_NAMED:,} more"


def _shown(source: str) -> str:
    return source if source.isprintable() else ascii(source)
