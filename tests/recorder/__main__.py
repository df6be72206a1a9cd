"""`python -m tests.recorder FOLDER`: writes the record, or with `--compare` says what is unlike it."""

import argparse
import sys
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path

from tests.recorder.calls import scenes
from tests.recorder.recording import recorded


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorder", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compare", action="store_true", help="compare the calls with the record in the folder")
    options = parser.parse_args()
    record = dict(recorded(scenes()))
    if options.compare:
        differences = unlike(read(options.folder), record)
        print(*differences, f"{len(record)} calls, {len(differences)} unlike the record", sep="\n")
        return 1 if differences else 0
    if options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty")
    for name, text in record.items():
        file = options.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    print(f"{len(record)} calls")
    return 0


def read(folder: Path) -> dict[str, str]:
    """The record in a folder."""
    files = sorted(folder.rglob("*.txt"))
    return {file.relative_to(folder).as_posix(): file.read_bytes().decode() for file in files}


def unlike(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """A line for each call that is unlike the record, with the first place where it is."""
    names = sorted(before.keys() | after.keys())
    return [
        f"{name}: {_difference(before.get(name, ''), after.get(name, ''))}"
        for name in names
        if before.get(name) != after.get(name)
    ]


def _difference(before: str, after: str) -> str:
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = max(at - 60, 0)
    return f"{before[start : at + 60]!r} is now {after[start : at + 60]!r}"


if __name__ == "__main__":
    sys.exit(main())
