"""Files of one JSON object a line (`.jsonl`, `.jsonl.gz`), read as a stream and within limits that errors say.

A file is read once to check its limits before anything of it is kept, so an endless archive costs only one line.
"""

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.model.json_value import JsonValue
from retrieval.text import json_bounds

MOST_LINES: Final = 250_000
LONGEST_LINE: Final = 4 * 1024 * 1024
"""Bytes."""

MOST_BYTES: Final = 512 * 1024 * 1024
"""Of a whole file, unpacked."""

MOST_TIMES: Final = 100
"""How many times its size a file may unpack to; texts come to 3 to 20 times."""

NEVER_TOO_MUCH: Final = 16 * 1024 * 1024
"""Bytes that any file may unpack to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """An object and its place: the file's name and the line, counted from 1."""

    value: dict[str, JsonValue]
    place: str


def read(path: Path) -> Iterator[JsonLine]:
    """The objects of a file; blank lines are passed over.

    Raises NotConfigured, naming the line, for what cannot be read or is beyond a limit.
    """
    for _ in _lines(path):
        pass
    for number, line in _lines(path):
        if line.strip():
            try:
                value = _object(line)
            except (ValueError, RecursionError) as error:
                raise _unreadable(path, number, error) from None
            yield JsonLine(value=value, place=f"{path.name}, line {number}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines by their numbers, without a byte order mark. Raises NotConfigured."""
    number = 1
    try:
        left, why = _room(path)
        with _open(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                left -= len(line)
                if left < 0:
                    raise ValueError(why)
                if len(line) > LONGEST_LINE:
                    raise ValueError(f"a line has at most {LONGEST_LINE:,} bytes")
                if number > MOST_LINES:
                    raise ValueError(f"a file has at most {MOST_LINES:,} lines")
                yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                number += 1
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _unreadable(path, number, error) from None


def _unreadable(path: Path, number: int, error: Exception) -> NotConfigured:
    said = f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
    return NotConfigured([f"{path.name}, line {number}, cannot be read: {said}."])


def _room(path: Path) -> tuple[int, str]:
    """How many bytes the file may unpack to, and the sentence where it has more."""
    times = max(MOST_TIMES * path.stat().st_size, NEVER_TOO_MUCH)
    if path.suffix == ".gz" and times < MOST_BYTES:
        return times, f"it unpacks to more than {MOST_TIMES} times its size and {NEVER_TOO_MUCH:,} bytes"
    return MOST_BYTES, f"a file has at most {MOST_BYTES:,} bytes, unpacked"


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _object(line: bytes) -> dict[str, JsonValue]:
    if json_bounds.holds_too_much(line):
        raise ValueError(f"it has more than {json_bounds.MOST:,} objects, arrays and members")
    value = json.loads(line.decode())
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value
