"""A folder or a file as documents: the lines of `.jsonl`, and the chunks of every other kind of file."""

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local import json_lines, progress
from retrieval.local.documents.converters import convert
from retrieval.local.documents.facts import MODIFIED
from retrieval.local.documents.fields import Fields
from retrieval.local.documents.files import EMPTY, Found, files
from retrieval.local.documents.parts import NoText, Unreadable
from retrieval.local.documents.pieces import pieces
from retrieval.local.documents.records import record
from retrieval.local.documents.sections import LONGEST_HEADING
from retrieval.local.documents.summary import Skipped, Summary
from retrieval.local.json_lines import JsonLine
from retrieval.model.json_value import JsonValue
from retrieval.text.counted_noun import how_many, listed
from retrieval.text.source_labels import whole

JSON_LINES: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
MOST_CHUNKS: Final = 250_000
MOST_OF_A_FILE: Final = 50_000
NO_TEXT: Final = "it has no text"
MODIFIED_BY: Final = "modified_by"
MOST_LOGGED: Final = 3
_TEXTS: Final = frozenset({"title", "text"})
"""Members that are searched, and no fields of their own."""

_UNSEEN: Final = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
_NOT_IN_KEYS: Final = re.compile(r"[^A-Za-z0-9]+")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderText:
    """The documents as lines of `.jsonl` would have them, and the summary."""

    lines: tuple[JsonLine, ...] = field(repr=False)
    summary: Summary


def is_json_lines(path: Path) -> bool:
    return path.name.lower().endswith(JSON_LINES)


def read(path: Path, *, name: str) -> FolderText:
    """Every file of a folder, or the one. A terminal shows the progress. Raises NotConfigured where nothing is read."""
    found = files(path)
    tell = progress.counted(f"reading {name}", len(found), of="file")
    lines: list[JsonLine] = []
    skipped: list[Skipped] = []
    chunks_of: dict[str, int] = {}
    fields = Fields()
    for number, one in enumerate(found, 1):
        try:
            of_file = documents(one, skip=skipped.append, fields=fields)
            chunks_of[one.source] = len(of_file)
            lines.extend(of_file)
        except Unreadable as error:
            skipped.append(Skipped(source=one.source, reason=str(error)))
        if len(lines) > MOST_CHUNKS:
            raise NotConfigured([f"{name}: more than {MOST_CHUNKS:,} chunks."])
        tell(number)
    summary = Summary(files=len(chunks_of), chunks=len(lines), skipped=skipped, chunks_of=chunks_of)
    warn(name, skipped)
    if not lines:
        raise NotConfigured(["\n".join([*summary.lines(name), f"{path.name} has no document that can be read."])])
    return FolderText(lines=tuple(lines), summary=summary)


def warn(name: str, skipped: Sequence[Skipped]) -> None:
    """Log what was left out of the index of that name."""
    if skipped:
        of_each = listed([str(one) for one in skipped], most=MOST_LOGGED)
        _log.warning("%s: %s left out: %s", name, how_many(len(skipped), "thing"), of_each)


def documents(one: Found, *, skip: Callable[[Skipped], None], fields: Fields) -> list[JsonLine]:
    """The documents of a file; `skip` is told of lines that are none, and of what is left out. Raises Unreadable."""
    if one.reason is not None:
        raise NoText(one.reason) if one.reason == EMPTY else Unreadable(one.reason)
    if not is_json_lines(one.path):
        lines = list(_chunks(one, skip=skip, fields=fields))
    else:
        of_file = json_documents(one, skip=skip, fields=fields)
        of_all: dict[str, JsonValue] = {"source": one.source, **_place(one, one.source, None)}
        lines = [replace(line, value=of_all | line.value) for line in of_file]
    if not lines:
        raise NoText(NO_TEXT)
    return lines


def json_documents(one: Found, *, skip: Callable[[Skipped], None], fields: Fields) -> Iterator[JsonLine]:
    """The lines of a file that are documents, and the others as records; `skip` is told of those that are neither.

    Raises Unreadable beyond a limit.
    """

    def skipped(line: int, reason: str) -> None:
        skip(Skipped(source=one.source, reason=reason, line=line))

    try:
        for line in json_lines.read(one.path, skip=skipped, check=_check):
            yield from [line] if "_id" in line.value else _of_record(line, one.source, fields)
    except NotConfigured as error:
        raise Unreadable(" ".join(error.sentences)) from None


def _check(value: Mapping[str, JsonValue]) -> None:
    """Raises ValueError for what is neither a document nor a record."""
    if "_id" not in value:
        if not "".join(record(dict(value)).blocks):
            raise ValueError("it has no text")
        return
    key, texts = value["_id"], (value.get("title", ""), value.get("text", ""))
    if not isinstance(key, str) or not key or not all(isinstance(text, str) for text in texts):
        raise ValueError("a document needs the strings _id, title and text")


def _of_record(line: JsonLine, source: str, fields: Fields) -> Iterator[JsonLine]:
    """The chunks of a line without a key: a line of text for each member, and the members as fields."""
    part = record(line.value)
    members = {name: value for name, value in line.value.items() if name.lower() not in _TEXTS}
    for number, text in enumerate(pieces(part.blocks), 1):
        value: dict[str, JsonValue] = {
            "_id": f"{_key(source)}-{line.number}{f'-{number}' if number > 1 else ''}",
            "title": part.title or PurePosixPath(source).name.partition(".")[0],
            "text": text,
            "heading_path": f"line {line.number}",
            **fields.of(members),
        }
        yield replace(line, value=value)


def _chunks(one: Found, *, skip: Callable[[Skipped], None], fields: Fields) -> Iterator[JsonLine]:
    """The chunks of a file; `skip` is told what of it is left out. Raises Unreadable."""
    numbers: Counter[str] = Counter()
    count = 0
    for part in convert(one.path):
        source = f"{one.source}/{part.within}" if part.within else one.source
        if part.left_out:
            skip(Skipped(source=one.source, reason=part.left_out, is_part=True))
        for text in pieces(part.blocks):
            numbers[source] += 1
            count += 1
            if count > MOST_OF_A_FILE:
                raise Unreadable(f"it has more than {MOST_OF_A_FILE:,} chunks")
            value: dict[str, JsonValue] = {
                "_id": f"{_key(source)}-{numbers[source]}",
                "title": _seen((part.title or PurePosixPath(source).stem)[:LONGEST_HEADING]),
                "text": _seen(text),
                "heading_path": _seen(" > ".join(part.heading_path)),
                "source": whole(source),
                "page": part.page,
                **_place(one, source, part.facts.get(MODIFIED)),
                **fields.of({name: value for name, value in part.facts.items() if name != MODIFIED}),
            }
            yield JsonLine(value=value, place=f"{source}, chunk {numbers[source]}")


def _seen(text: str) -> str:
    """The text without signs that nobody sees and that cut a word in two."""
    return whole(text).translate(_UNSEEN)


def _place(one: Found, source: str, modified: JsonValue) -> dict[str, JsonValue]:
    """Where a document is, and when it was modified: as it says itself, else as its file does."""
    by = "document" if modified else "file"
    return {"path": whole(source), MODIFIED: modified or one.modified, MODIFIED_BY: by}


def _key(source: str) -> str:
    """What the keys of a file's chunks begin with: readable, of the signs that Azure allows, one a path."""
    readable = _NOT_IN_KEYS.sub("-", source).strip("-")[:60]
    return f"{readable or 'file'}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
