"""A folder or a file as documents: the lines of `.jsonl`, and the chunks of every other kind of file."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
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
from retrieval.text.source_labels import whole

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
            lines.extend(documents(one, skip=skipped.append))
        except Unreadable as error:
            skipped.append(Skipped(source=one.source, reason=str(error)))
        if len(lines) > MOST_CHUNKS:
            raise NotConfigured([f"{name}: more than {MOST_CHUNKS:,} chunks."])
        tell(number)
    files_skipped = sum(one.line is None for one in skipped)
    summary = Summary(files=len(found) - files_skipped, chunks=len(lines), skipped=skipped)
    if not lines:
        raise NotConfigured(["\n".join([*summary.lines(name), f"{path.name} has no document that can be read."])])
    return Reading(lines=tuple(lines), summary=summary)


def documents(one: Found, *, skip: Callable[[Skipped], None]) -> list[JsonLine]:
    """The documents of a file; `skip` is told of lines that are none. Raises Unreadable where it has none."""
    if one.reason is not None:
        raise Unreadable(one.reason)
    if not is_json_lines(one.path):
        lines = list(_chunks(one))
    else:
        lines = [replace(line, value={"source": one.source, **line.value}) for line in json_documents(one, skip=skip)]
    if not lines:
        raise Unreadable(NO_TEXT)
    return lines


def json_documents(one: Found, *, skip: Callable[[Skipped], None]) -> Iterator[JsonLine]:
    """The lines of a file that are documents; `skip` is told of the others. Raises Unreadable beyond a limit."""

    def skipped(line: int, reason: str) -> None:
        skip(Skipped(source=one.source, reason=reason, line=line))

    try:
        yield from json_lines.read(one.path, skip=skipped, check=_check)
    except NotConfigured as error:
        raise Unreadable(" ".join(error.sentences)) from None


def _check(value: Mapping[str, JsonValue]) -> None:
    """Raises ValueError for what is no document."""
    key, texts = value.get("_id"), (value.get("title", ""), value.get("text", ""))
    if not isinstance(key, str) or not key or not all(isinstance(text, str) for text in texts):
        raise ValueError("a document needs the strings _id, title and text")


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
                "title": whole((part.title or Path(one.source).stem)[:LONGEST_HEADING]),
                "text": whole(text),
                "heading_path": whole(" > ".join(part.heading_path)),
                "source": one.source,
                "page": part.page,
            }
            yield JsonLine(value=value, place=f"{one.source}, chunk {number}")


def _key(source: str) -> str:
    """What the keys of a file's chunks begin with: readable, of the signs that Azure allows, one a path."""
    readable = _NOT_IN_KEYS.sub("-", source).strip("-")[:60]
    return f"{readable or 'file'}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
