"""Corpora: files of documents that become an index and an agent each. One is part of the project; others are loaded.

A file holds one JSON object a line (`.jsonl`, or `.jsonl.gz`) with `_id`, `title` and `text`; every further member
becomes a filterable field of the type that its values have.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from retrieval.errors import NotConfigured
from retrieval.model import Agent, JsonValue, Target

SAMPLE: Final = Path(__file__).parent / "corpus" / "earth_at_night.jsonl"
SEMANTIC_CONFIGURATION: Final = "default"

JsonObject: TypeAlias = dict[str, JsonValue]

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|[_-](?![_-])){1,126}(?<![_-])")
_RESERVED: Final = frozenset({"_id", "title", "text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """An index definition as the REST API takes it, the documents for it, and the agent that searches it."""

    index: str
    definition: JsonObject
    documents: Sequence[JsonObject] = field(repr=False)
    agent: Agent


def sample() -> Corpus:
    """`earth-at-night` over `earth_at_night`: the corpus that is part of the project."""
    name = "earth_at_night"
    fields: list[JsonValue] = [
        _field("id", "Edm.String", key=True),
        _field("page_number", "Edm.String"),
        *(_text_field(text) for text in ("title", "terms", "content")),
    ]
    return Corpus(
        index=name,
        definition=_definition(name, fields, terms="terms", content="content"),
        documents=list(_lines(SAMPLE)),
        agent=Agent(name="earth-at-night", targets=(Target(index=name),)),
    )


def load(name: str, path: Path) -> Corpus:
    """The corpus of a file, its agent with threshold 0. Raises NotConfigured, naming the line that cannot be read."""
    if not _NAME.fullmatch(name):
        raise NotConfigured([f"{name!r} cannot name an index: lower-case letters, digits, dashes, underscores."])
    metadata = _Metadata()
    documents = [_document(line, metadata, place=f"{path.name}, line {n}") for n, line in enumerate(_lines(path), 1)]
    fields: list[JsonValue] = [_field("id", "Edm.String", key=True), _text_field("title"), _text_field("text")]
    fields.extend(_field(name, kind) for name, kind in metadata.types().items())
    return Corpus(
        index=name,
        definition=_definition(name, fields, terms=None, content="text"),
        documents=[metadata.fit(document) for document in documents],
        agent=Agent(name=name, targets=(Target(index=name, reranker_threshold=0.0),)),
    )


class _Metadata:
    """The members beyond `_id`, `title` and `text`: their field names, and a type that fits all their values."""

    def __init__(self) -> None:
        self._kinds: dict[str, set[str]] = {}

    def name(self, member: str, value: JsonValue) -> str:
        """The field name for a member: letters, digits and underscores, beginning with a letter."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", member)
        name = plain if plain[:1].isalpha() and plain not in {"id", "title", "text"} else f"m_{plain}"
        if value is not None:
            self._kinds.setdefault(name, set()).add(_kind(value))
        return name

    def types(self) -> dict[str, str]:
        return {name: self._type(name) for name in self._kinds}

    def fit(self, document: JsonObject) -> JsonObject:
        """The document with values of mixed or structured members as JSON text."""
        texts = {name for name, kinds in self._kinds.items() if self._type(name) == "Edm.String" and kinds != {"str"}}
        return {name: _as_text(value) if name in texts else value for name, value in document.items()}

    def _type(self, name: str) -> str:
        match sorted(self._kinds[name]):
            case ["bool"]:
                return "Edm.Boolean"
            case ["int"]:
                return "Edm.Int64"
            case ["float"] | ["float", "int"]:
                return "Edm.Double"
            case ["strings"]:
                return "Collection(Edm.String)"
            case _:
                return "Edm.String"


def _document(line: JsonObject, metadata: _Metadata, *, place: str) -> JsonObject:
    key, title, text = line.get("_id"), line.get("title", ""), line.get("text", "")
    if not isinstance(key, str) or not key or not isinstance(title, str) or not isinstance(text, str):
        raise NotConfigured([f"{place}: a document needs the strings _id, title and text."])
    further = {metadata.name(name, value): value for name, value in line.items() if name not in _RESERVED}
    return {"id": key, "title": title, "text": text, **further}


def _lines(path: Path) -> Iterator[JsonObject]:
    number = 1
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield _object(line)
                number += 1
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise NotConfigured([f"{path.name}, line {number}, cannot be read: {error}."]) from None


def _object(line: str) -> JsonObject:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _kind(value: JsonValue) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "strings"
    return type(value).__name__


def _as_text(value: JsonValue) -> JsonValue:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(name: str, kind: str, *, key: bool = False) -> JsonObject:
    return {"name": name, "type": kind, "key": key, "searchable": False, "filterable": True}


def _text_field(name: str) -> JsonObject:
    return {
        "name": name,
        "type": "Edm.String",
        "searchable": True,
        "filterable": False,
        "sortable": False,
        "facetable": False,
        "analyzer": "en.lucene",
    }


def _definition(name: str, fields: list[JsonValue], *, terms: str | None, content: str) -> JsonObject:
    prioritized: Mapping[str, JsonValue] = {
        "titleField": {"fieldName": "title"},
        "prioritizedContentFields": [{"fieldName": content}],
        "prioritizedKeywordsFields": [{"fieldName": terms}] if terms else [],
    }
    return {
        "name": name,
        "fields": fields,
        "semantic": {
            "defaultConfiguration": SEMANTIC_CONFIGURATION,
            "configurations": [{"name": SEMANTIC_CONFIGURATION, "prioritizedFields": prioritized}],
        },
    }
