"""How many files and chunks were read, and what was left out of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    def __str__(self) -> str:
        """For people; a name cannot write to the terminal."""
        line = "" if self.line is None else f", line {self.line}"
        return f"{_shown(self.source)}{line}: {_shown(self.reason)}"


class LeftOut:
    """What was left out of the indexes of this process, file by file, as the latest reading of each file found it."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, Sequence[Skipped]]] = {}

    def note(self, index: str, skipped: Iterable[Skipped], *, sources: Iterable[str] = ()) -> None:
        """Replace what is known of the files of `skipped`, and of the other files of `sources`."""
        files: dict[str, list[Skipped]] = {source: [] for source in sources}
        for one in skipped:
            files.setdefault(one.source, []).append(one)
        self._of = {**self._of, index: {**self._of.get(index, {}), **files}}

    def warnings(self, *, named: bool) -> tuple[str, ...]:
        """A sentence for each thing, a hundred of them at most; without `named` one for each index, with the number."""
        of_each = {index: [one for found in files.values() for one in found] for index, files in self._of.items()}
        if named:
            return shortened([f"{index}: {one}" for index, all_of_it in of_each.items() for one in all_of_it])
        return tuple(f"{index}: {how_many(len(found), 'thing')} left out" for index, found in of_each.items() if found)


def shortened(lines: Sequence[str]) -> tuple[str, ...]:
    """A hundred lines at most, the last of which tells how many more there are."""
    more = len(lines) - MOST_NAMED
    return tuple(lines) if more <= 0 else (*lines[: MOST_NAMED - 1], f"{more + 1:,} more")


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
        yield from (f"  skipped {one}" for one in shortened([str(one) for one in whole]))
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
