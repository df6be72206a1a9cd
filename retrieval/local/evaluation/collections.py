"""A test collection in the form of BEIR, with conversations, answers and labels where its questions have them.

A folder has `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (or `qrels/test.tsv`), each also as `.gz`.
docs/developing/evaluation.md describes the members.
"""

import csv
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local import json_lines
from retrieval.local.json_lines import JsonLine
from retrieval.model.conversation import Message
from retrieval.model.json_value import JsonValue

MOST_GROUPS: Final = 12
"""A label with more values than this does not make groups."""

QRELS: Final = ("qrels.tsv", "qrels/test.tsv")
UNANSWERABLE: Final = "unanswerable"

_ROLES: Final = {"agent": "assistant", "bot": "assistant"}
_NOT_LABELS: Final = frozenset({"_id", "text", "title", "history", "answer", "answers", "labels", "metadata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with the turns before it. `grades` are its judged documents by key, 0 for those that do not help.

    `answers` are texts of which each is an answer; `labels` what else the file says of it. `units` are what documents
    count as, where any chunk of a file or a section answers: the file or the section is judged.
    """

    id: str
    messages: tuple[Message, ...]
    grades: Mapping[str, int] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def unit(self, key: str) -> str:
        """What a document counts as."""
        return self.units.get(key, key)

    @property
    def text(self) -> str:
        """The last turn."""
        return self.messages[-1].text

    @property
    def gold(self) -> frozenset[str]:
        """The documents that are needed."""
        return frozenset(key for key, grade in self.grades.items() if grade > 0)

    @property
    def answerable(self) -> bool | None:
        """False where the file says that no document answers it, True where a document does; None is unknown."""
        if self.labels.get("answerability", "").casefold() == UNANSWERABLE:
            return False
        return True if self.gold else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Its questions, and the file of its documents, None where there is none (a deployment has them already)."""

    name: str
    questions: tuple[Question, ...]
    corpus: Path | None

    @property
    def fingerprint(self) -> str:
        """The same for the same questions with the same judgements."""
        parts = [
            (one.id, [(turn.role, turn.text) for turn in one.messages], sorted(one.grades.items())) for one in self
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def groups(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """The ids of the questions, by label and value: of each label with 2 to 12 values, and of the turn."""
        named = Counter(label for one in self for label in one.labels)
        found: dict[str, dict[str, set[str]]] = {}
        for label in named:
            for one in self:
                if label in one.labels:
                    found.setdefault(label, {}).setdefault(one.labels[label], set()).add(one.id)
        return {
            label: {value: frozenset(ids) for value, ids in sorted(values.items())}
            for label, values in found.items()
            if 2 <= len(values) <= MOST_GROUPS
        }


def read(folder: Path, *, name: str | None = None, last_turn: bool = False, most: int | None = None) -> Collection:
    """The collection of a folder, its first `most` questions. With `last_turn` questions lose the turns before.

    Raises NotConfigured, naming the file and the line that cannot be read.
    """
    queries, qrels = _file(folder, "queries.jsonl"), _file(folder, *QRELS)
    if queries is None or qrels is None:
        missing = "queries.jsonl" if queries is None else " or ".join(QRELS)
        raise NotConfigured([f"{folder} has no {missing}, nor the same with .gz."])
    grades = _grades(qrels)
    questions = [_question(line, grades) for line in json_lines.read(queries)]
    if repeated := [id for id, count in Counter(one.id for one in questions).items() if count > 1]:
        raise NotConfigured([f"{queries.name}: the _id {repeated[0][:80]!r} is there twice."])
    if not questions:
        raise NotConfigured([f"{queries.name} has no questions."])
    if last_turn:
        questions = [alone(one) for one in questions]
    return Collection(
        name=name or name_of(folder), questions=tuple(questions[:most]), corpus=_file(folder, "corpus.jsonl")
    )


def _file(folder: Path, *names: str) -> Path | None:
    return next((path for name in names for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def name_of(folder: Path) -> str:
    """A name that an index can have."""
    plain = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower())[:100].strip("-")
    return plain if len(plain) > 1 else f"collection-{plain}".strip("-")


def alone(question: Question) -> Question:
    return replace(question, messages=question.messages[-1:])


def _grades(path: Path) -> dict[str, dict[str, int]]:
    """Judgements by query and document. The first line may be a header. Raises NotConfigured."""
    found: dict[str, dict[str, int]] = {}
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8-sig") as file
        ):
            for number, row in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
                if not row or (number == 1 and len(row) >= 3 and not _is_grade(row[2])):
                    continue
                if len(row) < 3 or not _is_grade(row[2]):
                    raise ValueError(f"line {number}: a judgement is a query, a document and a grade from 0, by tabs")
                found.setdefault(row[0], {})[row[1]] = int(row[2])
    except (OSError, EOFError, csv.Error, ValueError) as error:
        raise NotConfigured([f"{path.name} cannot be read: {error}."]) from None
    return found


def _is_grade(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit()


def _question(line: JsonLine, grades: Mapping[str, Mapping[str, int]]) -> Question:
    value = line.value
    id, text, history = value.get("_id"), value.get("text"), value.get("history") or []
    if not isinstance(id, str) or not id or not isinstance(text, str) or not text.strip():
        raise NotConfigured([f"{line.place}: a question needs the strings _id and text."])
    if not isinstance(history, list):
        raise NotConfigured([f"{line.place}: history is an array of turns."])
    turns = [turn(one, line.place) for one in history]
    labels = {**_labels(value.get("metadata")), **_labels(value.get("labels")), **_labels(value, but=_NOT_LABELS)}
    which = {"turn": "later" if any(one.role == "user" for one in turns) else "first"}
    return Question(
        id=id,
        messages=(*turns, Message(role="user", text=text)),
        grades=grades.get(id, {}),
        answers=tuple(_texts([value.get("answer"), value.get("answers")])),
        labels={**which, **labels},
    )


def turn(value: JsonValue, place: str) -> Message:
    role = value.get("role") if isinstance(value, dict) else None
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(role, str) or not isinstance(text, str):
        raise NotConfigured([f"{place}: a turn of the history needs the strings role and text."])
    return Message(role=_ROLES.get(role, role), text=text)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _labels(value: JsonValue, *, but: frozenset[str] = frozenset()) -> dict[str, str]:
    """Members that are texts, booleans, or lists of texts."""
    if not isinstance(value, dict):
        return {}
    found = {name: _label(one) for name, one in value.items() if name not in but}
    return {name: label for name, label in found.items() if label is not None}


def _label(value: JsonValue) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    texts: Sequence[str] = list(_texts(value))
    return ", ".join(texts) if texts else None
