"""How many files and chunks were read, and what was skipped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from retrieval.text.counted_noun import how_many

MOST_NAMED: Final = 100
LONGEST_REASON: Final = 300
"""Characters of what is left out of a file, in its row."""


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
    """Of one reading: files that were read, chunks that they made, files that were skipped.

    `chunks_of` are the chunks of each file that was read, by its path.
    """

    files: int
    chunks: int
    skipped: Sequence[Skipped] = ()
    chunks_of: Mapping[str, int] = field(default_factory=dict)

    def lines(self, name: str) -> Iterator[str]:
        """For people; a name cannot write to the terminal."""
        whole = [one for one in self.skipped if not one.is_part]
        skipped = f", {len(whole):,} skipped" if whole else ""
        yield f"{name}: {how_many(self.files, 'file')}, {how_many(self.chunks, 'chunk')}{skipped}"
        for one in whole[:MOST_NAMED]:
            line = "" if one.line is None else f", line {one.line}"
            yield f"  skipped {_shown(one.source)}{line}: {_shown(one.reason)}"
        if len(whole) > MOST_NAMED:
            yield f"  skipped {len(whole) - MOST_NAMED:,} more"
        yield from self._table()

    def _table(self) -> Iterator[str]:
        """A row for each file that was read, first for those of which something was left out."""
        left_out: dict[str, list[str]] = {}
        for one in self.skipped:
            if one.is_part:
                left_out.setdefault(one.source, []).append(one.reason)
        rows = [("file", "kind", "chunks", "left out")]
        for source in sorted(self.chunks_of, key=lambda source: source not in left_out)[:MOST_NAMED]:
            reasons = "; ".join(left_out.get(source, ()))[:LONGEST_REASON]
            kind = PurePosixPath(source).suffix.lower().lstrip(".") or "text"
            rows.append((_shown(source), _shown(kind), f"{self.chunks_of[source]:,}", _shown(reasons)))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        for file, kind, chunks, reasons in rows if self.chunks_of else ():
            yield f"  {file:<{widths[0]}}  {kind:<{widths[1]}}  {chunks:>{widths[2]}}  {reasons}".rstrip()
        if len(self.chunks_of) > MOST_NAMED:
            yield f"  {len(self.chunks_of) - MOST_NAMED:,} more"


def _shown(source: str) -> str:
    return source if source.isprintable() else ascii(source)
