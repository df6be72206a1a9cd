"""A folder or a file as documents: the lines of `.jsonl`, and the chunks of every other kind of file."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local import json_lines, progress
from retrieval.local.documents.converters import convert
from retrieval.local.documents.files import Found, files
from retrieval.local.documents.parts import Unreadable
from retrieval.local.documents.pieces import pieces
from retrieval.local.documents.sections import LONGEST_HEADING
from retrieval.local.documents.summary import Skipped, Summary
from retrieval.local.json_lines import JsonLine
from retrieval.model.json_value import JsonValue

JSON_LINES: Final = (".jsonl", ".jsonl.gz")
MOST_CHUNKS: Final = 250_000
MOST_OF_A_FILE: Final = 50_000
NO_TEXT: Final = "it has no text"
_NOT_IN_KEYS: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The documents as lines of `.jsonl` would have them, and the summary."""

    lines: tuple[JsonLine, ...] = field(repr=False)
    summary: Summary


def is_json_lines(path: Path) -> bool:
    return path.name.lower().endswith(JSON_LINES)


def read(path: Path, *, name: str) -> Reading:
    """Every file of a folder, or the one. A terminal shows the progress. Raises NotConfigured where nothing is read."""
    found = files(path)
    tell = progress.counted(f"reading {name}", len(found), of="file")
    lines: list[JsonLine] = []
    skipped: list[Skipped] = []
    for number, one in enumerate(found, 1):
        try:
            lines.extend(documents(one))
        except Unreadable as error:
            skipped.append(Skipped(source=one.source, reason=str(error)))
        if len(lines) > MOST_CHUNKS:
            raise NotConfigured([f"{name}: more than {MOST_CHUNKS:,} chunks."])
        tell(number)
    summary = Summary(files=len(found) - len(skipped), chunks=len(lines), skipped=skipped)
    if not lines:
        raise NotConfigured(["\n".join([*summary.lines(name), f"{path.name} has no document that can be read."])])
    return Reading(lines=tuple(lines), summary=summary)


def documents(one: Found) -> list[JsonLine]:
    """The documents of a file. Raises Unreadable where it has none."""
    if one.reason is not None:
        raise Unreadable(one.reason)
    try:
        lines = list(_json_lines(one) if is_json_lines(one.path) else _chunks(one))
    except NotConfigured as error:
        raise Unreadable(" ".join(error.problems)) from None
    if not lines:
        raise Unreadable(NO_TEXT)
    return lines


def _json_lines(one: Found) -> Iterator[JsonLine]:
    for line in json_lines.read(one.path):
        yield replace(line, value={"source": one.source, **line.value})


def _chunks(one: Found) -> Iterator[JsonLine]:
    key = _key(one.source)
    number = 0
    for part in convert(one.path):
        for text in pieces(part.blocks):
            number += 1
            if number > MOST_OF_A_FILE:
                raise Unreadable(f"it has more than {MOST_OF_A_FILE:,} chunks")
            value: dict[str, JsonValue] = {
                "_id": f"{key}-{number}",
                "title": (part.title or Path(one.source).stem)[:LONGEST_HEADING],
                "text": text,
                "heading_path": " > ".join(part.heading_path),
                "source": one.source,
                "page": part.page,
            }
            yield JsonLine(value=value, place=f"{one.source}, chunk {number}")


def _key(source: str) -> str:
    """What the keys of a file's chunks begin with: readable, of the signs that Azure allows, one a path."""
    readable = _NOT_IN_KEYS.sub("-", source).strip("-")[:60]
    return f"{readable or 'file'}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
