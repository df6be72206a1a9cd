"""Questions as people have them: a CSV or JSONL over a folder, with the file, heading or chunk that answers each.

docs/developing/evaluation.md describes the columns. Whichever chunk of the file or the section is found, it counts
as it.
"""

import csv
import io
from collections.abc import Collection as Some
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NoReturn

from retrieval.errors import NotConfigured
from retrieval.local import json_lines
from retrieval.local.documents import reading
from retrieval.local.documents.parts import Unreadable
from retrieval.local.documents.texts import text_of
from retrieval.local.evaluation.collections import UNANSWERABLE, Collection, Question, alone, name_of, turn
from retrieval.model.conversation import Message
from retrieval.model.json_value import JsonValue

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question", "query", "text", "prompt", "user_input", "input", "q"),
    "file": ("file", "source", "path", "filename", "file_name", "document", "doc"),
    "heading": ("heading", "section", "heading_path"),
    "chunk": ("chunk", "chunk_id", "chunk_ids", "doc_key", "key"),
    "answer": ("answer", "expected_answer", "ground_truth", "reference_answer", "expected", "answers"),
    "answerable": ("answerable", "answerability"),
    "id": ("id", "_id", "question_id", "query_id"),
    "history": ("history",),
}
"""The names of a column, in any case, with blanks or underscores."""

_NO: Final = frozenset({"no", "false", "0", "n", UNANSWERABLE})
_DELIMITERS: Final = ",;\t|"
_BETWEEN: Final = ";"
"""Several files, headings or chunks in a cell; JSON has lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question's members by the names that the file gives them, and its place."""

    place: str
    members: Mapping[str, JsonValue]

    def column(self, role: str) -> str | None:
        """The name that the file has for it."""
        names = {_plain(name): name for name in self.members}
        return next((names[one] for one in COLUMNS[role] if one in names), None)

    def texts(self, role: str) -> list[str]:
        name = self.column(role)
        value = None if name is None else self.members[name]
        values = value if isinstance(value, list) else [value]
        between = _BETWEEN if role in ("file", "heading", "chunk") else "\0"
        cells = [cell for one in values if isinstance(one, str | int | float) for cell in str(one).split(between)]
        return [cell.strip() for cell in cells if cell.strip()]

    def wrong(self, role: str, why: str) -> NoReturn:
        """Raises NotConfigured."""
        raise NotConfigured([f"{self.place}, column {self.column(role) or role!r}: {why}."])


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    key: str
    file: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The chunks of a folder by their files, and the keys of all."""

    chunks: Mapping[str, Sequence[Chunk]]
    keys: frozenset[str]


def read(path: Path, folder: Path, *, last_turn: bool = False, most: int | None = None) -> Collection:
    """The questions of a file over a folder, the first `most`. Raises NotConfigured with the line and the column."""
    for one in (path, folder):
        if not one.exists():
            raise NotConfigured([f"{one}: there is no such file or folder."])
    if path.resolve().is_relative_to(folder.resolve()):
        raise NotConfigured([f"{path} is in {folder}: it would be found as a document. Put it beside the folder."])
    name = name_of(folder)
    files = _files(folder, name)
    rows = list(_json_rows(path) if reading.is_json_lines(path) else _csv_rows(path))
    found = [_question(row, number, files) for number, row in enumerate(rows, 1)]
    if not found:
        raise NotConfigured([f"{path.name} has no questions."])
    seen: set[str] = set()
    for row, question in zip(rows, found, strict=True):
        if question.id in seen:
            row.wrong("id", f"the id {question.id[:80]!r} is there twice")
        seen.add(question.id)
    found = [alone(one) for one in found] if last_turn else found
    return Collection(name=name, questions=tuple(found[:most]), corpus=folder)


def _files(folder: Path, name: str) -> Files:
    """Raises NotConfigured."""
    found: dict[str, list[Chunk]] = {}
    for line in reading.read(folder, name=name).lines:
        file, headings = str(line.value["source"]), str(line.value.get("heading_path") or "").split(" > ")
        chunk = Chunk(key=str(line.value["_id"]), file=file, headings=tuple(map(_plain, headings)))
        found.setdefault(file, []).append(chunk)
    return Files(chunks=found, keys=frozenset(one.key for chunks in found.values() for one in chunks))


def _json_rows(path: Path) -> Iterator[Row]:
    for line in json_lines.read(path):
        yield Row(place=line.place, members=line.value)


def _csv_rows(path: Path) -> Iterator[Row]:
    """The first line names the columns; the delimiter is the most frequent in it. Raises NotConfigured."""
    at = 1
    try:
        text = text_of(path)
        delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = next(rows, [])
        at = rows.line_num + 1
        for row in rows:
            if any(map(str.strip, row)):
                place = f"{path.name}, line {at}"
                if len(row) > len(names):
                    raise NotConfigured([f"{place}: it has {len(row)} cells, and the first line {len(names)} columns."])
                yield Row(place=place, members={**dict.fromkeys(names, ""), **dict(zip(names, row, strict=False))})
            at = rows.line_num + 1
    except (csv.Error, Unreadable, OSError) as error:
        raise NotConfigured([f"{path.name}, line {at}, cannot be read: {error}."]) from None


def _question(row: Row, number: int, files: Files) -> Question:
    """Raises NotConfigured."""
    texts = row.texts("question")
    if row.column("question") is None:
        there = ", ".join(row.members) or "none"
        wanted = ", ".join(COLUMNS["question"])
        raise NotConfigured([f"{row.place}: no column is the question ({wanted}); there are: {there[:300]}."])
    if not texts:
        row.wrong("question", "it is empty")
    history = row.members.get(row.column("history") or "") or []
    units = _units(row, files)
    return Question(
        id=next(iter(row.texts("id")), str(number)),
        messages=(
            *(turn(one, row.place) for one in (history if isinstance(history, list) else ())),
            Message(role="user", text=texts[0]),
        ),
        grades=dict.fromkeys(units.values(), 1),
        answers=tuple(row.texts("answer")),
        labels=_labels(row),
        units=units,
    )


def _labels(row: Row) -> dict[str, str]:
    taken = {row.column(role) for role in COLUMNS}
    others = {name: value for name, value in row.members.items() if name not in taken}
    labels = {name: str(value) for name, value in others.items() if isinstance(value, str | bool) and value != ""}
    says_no = any(one.casefold() in _NO for one in row.texts("answerable"))
    return {**labels, "answerability": UNANSWERABLE} if says_no else labels


def _units(row: Row, files: Files) -> dict[str, str]:
    """What answers, by the keys of its chunks. Raises NotConfigured for a file, heading or chunk that is not there."""
    named = [_file(row, one, files) for one in row.texts("file")]
    within = (
        [one for file in named or files.chunks for one in files.chunks[file]] if named or row.texts("heading") else []
    )
    units: dict[str, str] = {}
    for key in row.texts("chunk"):
        if key not in files.keys:
            row.wrong("chunk", f"no chunk has the key {key[:80]!r}{_near(key, files.keys)}")
        units[key] = key
    headings = row.texts("heading")
    for heading in headings:
        wanted = tuple(_plain(one) for one in heading.split(">"))
        found = [one for one in within if _is_under(one.headings, wanted)]
        if not found:
            where = " or ".join(named) or "the folder"
            near = _near(wanted[-1], {one.headings[-1] for one in within})
            row.wrong("heading", f"there is no heading {heading[:80]!r} in {where}{near}")
        units |= {one.key: f"{one.file}, {heading}" for one in found}
    return units if headings or units else {one.key: one.file for one in within}


def _file(row: Row, name: str, files: Files) -> str:
    """The file of that path, or of the end of one. Raises NotConfigured."""
    if name in files.chunks:
        return name
    wanted = f"/{name}".replace("\\", "/").casefold()
    found = [
        one for one in files.chunks if f"/{one}".casefold().endswith(wanted) or wanted.endswith(f"/{one}".casefold())
    ]
    if len(found) > 1:
        row.wrong("file", f"{name[:80]!r} may be {' or '.join(found[:3])}")
    if not found:
        row.wrong("file", f"no file {name[:80]!r} was read{_near(name, files.chunks)}")
    return found[0]


def _is_under(headings: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the wanted headings are in a row among these."""
    return any(tuple(headings[at : at + len(wanted)]) == tuple(wanted) for at in range(len(headings)))


def _near(name: str, known: Some[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; the nearest is {near[0]!r}" if near else ""


def _plain(name: str) -> str:
    return "_".join(name.strip().casefold().replace("_", " ").split())
