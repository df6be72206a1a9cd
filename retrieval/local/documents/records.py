"""CSV and JSON: a part for each record, a line for each of its members."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.texts import text_of
from retrieval.model.json_value import JsonValue
from retrieval.text.source_labels import whole

MOST_OBJECTS: Final = 500_000
_DELIMITERS: Final = ",;\t|"
_TITLES: Final = ("title", "name", "subject", "headline")


def read_csv(path: Path) -> Iterator[Part]:
    """The first line names the columns; the delimiter is the most frequent in it. Raises Unreadable.

    A cell has at most 131,072 characters, the limit of Python's reader.
    """
    text = text_of(path)
    head = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True)
    number = 0
    try:
        names = next(rows, [])
        number = 1
        for number, row in enumerate(rows, 2):
            if any(map(str.strip, row)):
                cells = [f"{name}: {cell}" for name, cell in zip(names, row, strict=False) if cell.strip()]
                extra = [cell for cell in row[len(names) :] if cell.strip()]
                yield Part(blocks=["\n".join([*cells, *extra])], heading_path=(f"row {number}",))
    except csv.Error as error:
        raise Unreadable(f"row {number + 1}: {error}") from None


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
