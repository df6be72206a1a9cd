"""Files of one JSON object a line (`.jsonl`, `.jsonl.gz`), read as a stream and within limits that errors say.

A file is read once to check its limits before anything of it is kept, so an endless archive costs only one line.
"""

import codecs
import gzip
import io
import json
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from retrieval.errors import NotConfigured
from retrieval.model.json_value import JsonValue
from retrieval.text import strict_json

MOST_LINES: Final = 250_000
LONGEST_LINE: Final = 4 * 1024 * 1024
"""Bytes."""

MOST_BYTES: Final = 512 * 1024 * 1024
"""Of a whole file, unpacked."""

MOST_TIMES: Final = 100
"""How many times its size a file may unpack to; texts come to 3 to 20 times."""

NEVER_TOO_MUCH: Final = 16 * 1024 * 1024
"""Bytes that any file may unpack to."""


JsonObject: TypeAlias = dict[str, JsonValue]
Skip: TypeAlias = Callable[[int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """An object and its place: the file's name and the line, counted from 1; `number` is that of the line, if any."""

    value: JsonObject
    place: str
    number: int = 0


def read(
    path: Path, *, skip: Skip | None = None, check: Callable[[JsonObject], None] | None = None
) -> Iterator[JsonLine]:
    """The objects of a file that pass the `check`, which raises ValueError; blank lines are passed over.

    `skip` is told the number of each line that is none, and why. Raises NotConfigured, naming the line, for what is
    beyond a limit, and without `skip` for what cannot be read.
    """
    for _ in _lines(path):
        pass
    for number, line in _lines(path):
        if line.strip():
            try:
                value = _object(line)
                if check is not None:
                    check(value)
            except (ValueError, RecursionError) as error:
                if skip is None:
                    raise _unreadable(path, number, error) from None
                skip(number, _reason(error))
            else:
                yield JsonLine(value=value, place=f"{path.name}, line {number}", number=number)


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
    return NotConfigured([f"{path.name}, line {number}, cannot be read: {_reason(error)}."])


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)


def _room(path: Path) -> tuple[int, str]:
    """How many bytes the file may unpack to, and the sentence where it has more."""
    times = max(MOST_TIMES * path.stat().st_size, NEVER_TOO_MUCH)
    if path.suffix == ".gz" and times < MOST_BYTES:
        return times, f"it unpacks to more than {MOST_TIMES} times its size and {NEVER_TOO_MUCH:,} bytes"
    return MOST_BYTES, f"a file has at most {MOST_BYTES:,} bytes, unpacked"


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _object(line: bytes) -> JsonObject:
    if strict_json.holds_too_much(line):
        raise ValueError(f"it has more than {strict_json.MOST:,} objects, arrays and members")
    value = json.loads(line.decode(), parse_constant=_no_number, parse_float=_finite)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    if b"\\u" in line and (holder := _half(value)):
        raise ValueError(f"{holder!r} has half a surrogate pair, which is no character")
    return value


def _half(value: JsonObject) -> str:
    """The member that has half a surrogate pair, in its name or its value; empty for none."""
    for name, member in value.items():
        try:
            json.dumps([name, member], ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return name.encode("ascii", "backslashreplace").decode()
    return ""


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
