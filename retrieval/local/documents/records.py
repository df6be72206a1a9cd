"""CSV and JSON: a part for each record, a line for each of its members."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final

from retrieval.local.documents import headers
from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.texts import text_of
from retrieval.model.json_value import JsonValue
from retrieval.text.source_labels import whole

MOST_OBJECTS: Final = 500_000
_DELIMITERS: Final = ",;\t|"
_SEPARATOR: Final = re.compile(r"sep=([,;\t|])\n")
"""What Excel reads as the delimiter, on a first line of its own."""

_BEGINNING: Final = 20
"""Lines among which the header and the delimiter are found."""

_QUOTED: Final = re.compile(r"\"[^\"]*+\"")
_SAMPLE: Final = 100_000
_TITLES: Final = ("title", "name", "subject", "headline")


def read_csv(path: Path) -> Iterator[Part]:
    """A part for each row below the header, which may have rows of a title above it. Raises Unreadable.

    A cell has at most 131,072 characters, the limit of Python's reader.
    """
    text = text_of(path)
    declared = _SEPARATOR.match(text)
    delimiter = declared[1] if declared else _delimiter(text)
    file, is_quoted = io.StringIO(text, newline=""), delimiter != "\t" or _is_quoted(text)
    rows = csv.reader(
        file,
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
    )
    beginning = list[tuple[int, list[str]]]()
    number = 0
    try:
        for number, row in zip(range(1, _BEGINNING + 1), rows, strict=False):
            beginning.append((number, row))
        del beginning[: 1 if declared else 0]
        header = _header([row for _, row in beginning])
        above = [" ".join(cell.strip() for cell in row if cell.strip()) for _, row in beginning[:header]]
        names, height = _names([row for _, row in beginning[header : header + headers.AHEAD + 2]])
        title, read = next(filter(None, above), ""), number
        below = chain(beginning[header + height :], enumerate(rows, read + 1))
        first = beginning[header + height - 1][0] if beginning else 0
        for number, cells, kind in headers.with_headers(below, first):
            names = cells if kind == "header" else names
            if kind != "header":
                yield from _row(names if kind == "row" else (), cells, number, title=title)
        yield Part(blocks=[text for text in above if text], heading_path=("title",))
    except csv.Error as error:
        raise Unreadable(f"row {number + 1}: {error}") from None


def _is_quoted(text: str) -> bool:
    """Whether quotes are around cells; most programs write tabs between cells and nothing around them."""
    if '"' not in text:
        return True
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True):
            pass
    except csv.Error:
        return False
    return True


def _names(rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], int]:
    """The names of the columns, and how many of the rows have them."""
    if not rows or headers.is_data(rows[0]):
        return (), 0
    return (headers.joined(rows[0], rows[1]), 2) if headers.has_second(rows[0], rows[1:]) else (rows[0], 1)


def _row(names: Sequence[str], row: Sequence[str], number: int, *, title: str) -> Iterator[Part]:
    cells = zip_longest(names[: len(row)], row, fillvalue="")
    said = [f"{name}: {cell}" if name.strip() else cell for name, cell in cells if cell.strip()]
    if said:
        yield Part(blocks=["\n".join(said)], title=title[:200], heading_path=(f"row {number}",))


def _delimiter(text: str) -> str:
    """The sign that most of the first lines have equally often outside quotes; of several, the most frequent."""
    lines = [line for line in _QUOTED.sub("", text[:_SAMPLE]).split("\n")[:_BEGINNING] if line.strip()]

    def agreeing(sign: str) -> tuple[int, int]:
        ((count, times),) = Counter(line.count(sign) for line in lines if sign in line).most_common(1) or [(0, 0)]
        return times, count

    return max(_DELIMITERS, key=agreeing)


def _header(rows: Sequence[Sequence[str]]) -> int:
    """The number of the row that names the columns: the first that has more cells than a title or a date above it."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    widest = max(filled, default=0)
    for at, (row, count) in enumerate(zip(rows, filled, strict=True)):
        first = at == 0 and count == len(row) > 1 and filled[1:2] != [0]
        if count == widest or (2 * count >= widest and (first or count > 2 or (count > 1 and _is_of_columns(row)))):
            return at
    return 0


def _is_of_columns(row: Sequence[str]) -> bool:
    """Whether the first cell is empty, or one between names, as no title or date above a header has it."""
    filled = [at for at, cell in enumerate(row) if cell.strip()]
    return filled[0] > 0 or (len(filled) <= filled[-1] and not any(headers.is_value(row[at]) for at in filled))


def read_json(path: Path) -> Iterator[Part]:
    """A part for each item of an array, be it the whole or the only member of an object. Raises Unreadable."""
    text = text_of(path)
    if text.count("{") + text.count("[") > MOST_OBJECTS:
        raise Unreadable(f"it has more than {MOST_OBJECTS:,} objects and arrays")
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no JSON: {str(error)[:200]}") from None
    if "\\u" in text and whole(text := json.dumps(value, ensure_ascii=False)) != text:
        raise Unreadable("it has half a surrogate pair, which is no character")
    if isinstance(value, dict) and len(value) == 1:
        (only,) = value.values()
        value = only if isinstance(only, list) else value
    if not isinstance(value, list):
        yield record(value)
        return
    for number, item in enumerate(value, 1):
        part = record(item)
        yield Part(blocks=part.blocks, title=part.title, heading_path=(f"item {number}",))


def read_json_lines(path: Path) -> Iterator[Part]:
    """A part for each line, of a file that is in another one; a line that is no JSON is named. Raises Unreadable."""
    text = text_of(path)
    if text.count("{") + text.count("[") > MOST_OBJECTS:
        raise Unreadable(f"it has more than {MOST_OBJECTS:,} objects and arrays")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            part = record(json.loads(line))
        except (ValueError, RecursionError):
            yield Part(blocks=(), left_out=f"line {number}: it is no JSON")
            continue
        yield Part(blocks=part.blocks, title=part.title, heading_path=(f"line {number}",))


def record(value: JsonValue) -> Part:
    """A line for each member; the title is that of the record, if it has one."""
    members = {name.lower(): said for name, said in value.items()} if isinstance(value, dict) else {}
    titles = (members.get(name) for name in _TITLES)
    title = next((one for one in titles if isinstance(one, str) and one), "")
    return Part(blocks=["\n".join(_lines(value, ""))], title=title[:200])


def _lines(value: JsonValue, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for member, inner in value.items():
            yield from _lines(inner, f"{name} > {member}" if name else member)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from _lines(item, name)
    elif value is not None and value != "" and value != []:
        said = ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)
        yield f"{name}: {said}" if name else said


def _scalar(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)
