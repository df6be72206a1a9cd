"""Corpora: documents that become an index and an agent each. One corpus is part of the project; others are loaded.

A file of documents holds one JSON object a line (`.jsonl`, or `.jsonl.gz`) with `_id`, `title` and `text`; files of
other kinds, and folders, are read and split into such objects (`documents`). Every further member becomes a filterable
field of the type that its values have: text, number, boolean, date with time and zone, or a list of one of these;
anything else is JSON text. A name that cannot be a field's is changed (`documents.fields`).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval.errors import NotConfigured
from retrieval.local import json_lines
from retrieval.local.analyzers import ANALYZERS, ENGLISH
from retrieval.local.documents import reading
from retrieval.local.documents.fields import Fields, field_name
from retrieval.local.documents.files import files
from retrieval.local.documents.parts import Unreadable
from retrieval.local.documents.summary import Skipped, Summary
from retrieval.local.json_lines import JsonLine
from retrieval.local.search_service.definitions.fields import MAX_FIELDS
from retrieval.model.definitions import Agent, Source, Target
from retrieval.model.json_value import JsonValue

SAMPLE: Final = Path(__file__).parent / "corpus" / "earth_at_night.jsonl"
SEMANTIC_CONFIGURATION: Final = "default"
THRESHOLD: Final = 0.3
"""The threshold of every local base and source. Scores of the stand-in's ranker are lower than Azure's. On hotpot100,
mtragmini and xquad-th it costs at most .01 of recall@10; a threshold of 1 costs up to .1."""

LONGEST_FILTERABLE: Final = 8_000
HEADING_PATH: Final = "heading_path"
CHUNK: Final[Mapping[str, str]] = {
    HEADING_PATH: "str",
    "source": "str",
    "page": "int",
    "path": "str",
    "modified": "moment",
    "modified_by": "str",
}
"""What a chunk of a file has beyond `_id`, `title` and `text`, with the kinds of the values."""

_CITED: Final = ("source", HEADING_PATH, "page")
_NOT_NAMED: Final = frozenset({"path", "modified_by"})
"""Fields of chunks whose values no question names: they are no facets."""

JsonObject: TypeAlias = dict[str, JsonValue]

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|[_-](?![_-])){1,126}(?<![_-])")
_RESERVED: Final = frozenset({"_id", "title", "text"})


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)")
_INT64: Final = 2**63
_SCALARS: Final = {
    frozenset({"bool"}): "Edm.Boolean",
    frozenset({"int"}): "Edm.Int64",
    frozenset({"float"}): "Edm.Double",
    frozenset({"int", "float"}): "Edm.Double",
    frozenset({"moment"}): "Edm.DateTimeOffset",
    frozenset({"str"}): "Edm.String",
    frozenset({"str", "moment"}): "Edm.String",
}
_TYPES: Final = {
    **_SCALARS,
    **{frozenset(f"{kind} list" for kind in kinds): f"Collection({name})" for kinds, name in _SCALARS.items()},
}


VECTOR: Final = "text_vector"
"""The vector field of a corpus where a model makes vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """An index definition as the REST API takes it, the documents for it, and the agent that searches it.

    `vector` is the field where a model makes vectors.
    """

    index: str
    definition: JsonObject
    documents: Sequence[JsonObject] = field(repr=False)
    agent: Agent
    vector: str = VECTOR
    summary: tuple[str, ...] = ()
    """What was read and what was skipped, for people."""
    left_out: Sequence[Skipped] = ()


def with_vectors(corpus: Corpus, dimensions: int) -> Corpus:
    """With a vector field, whose vectorizer means the model of the search service, as an index in Azure would have."""
    fields, name = corpus.definition["fields"], "default"
    assert isinstance(fields, list)
    field: JsonObject = {
        "name": corpus.vector,
        "type": "Collection(Edm.Single)",
        "searchable": True,
        "retrievable": False,
        "dimensions": dimensions,
        "vectorSearchProfile": name,
    }
    search: JsonObject = {
        "algorithms": [{"name": name, "kind": "hnsw"}],
        "vectorizers": [{"name": name, "kind": "customWebApi", "customWebApiParameters": {}}],
        "profiles": [{"name": name, "algorithm": name, "vectorizer": name}],
    }
    return replace(corpus, definition={**corpus.definition, "fields": [*fields, field], "vectorSearch": search})


def sample() -> Corpus:
    """`earth-at-night` over `earth_at_night`: the corpus that is part of the project."""
    name = "earth_at_night"
    fields: list[JsonValue] = [
        plain_field("id", "Edm.String", key=True),
        plain_field("page_number", "Edm.String"),
        *(text_field(text) for text in ("title", "terms", "content")),
    ]
    return Corpus(
        index=name,
        definition=definition_of(name, fields, title="title", terms="terms", content="content"),
        documents=[line.value for line in json_lines.read(SAMPLE)],
        agent=replace(agent_of(name), name="earth-at-night"),
    )


def load(name: str, path: Path, *, language: str = ENGLISH) -> Corpus:
    """The corpus of a file or a folder.

    Raises NotConfigured where it has no document, and for `.jsonl` beyond a limit.
    """
    if language not in ANALYZERS:
        raise NotConfigured([f"{language[:80]!r} is no language of a corpus: {', '.join(ANALYZERS)}."])
    if not _NAME.fullmatch(name):
        rule = "2 to 128 lower-case letters and digits, single dashes or underscores between them"
        raise NotConfigured([f"{name!r} cannot name an index: {rule}."])
    if path.is_file() and reading.is_json_lines(path):
        return _of_json_lines(name, path, language=language)
    read = reading.read(path, name=name)
    corpus = of_lines(name, read.lines, language=language, kinds=CHUNK)
    return replace(corpus, summary=tuple(read.summary.lines(name)), left_out=read.summary.skipped)


def _of_json_lines(name: str, path: Path, *, language: str) -> Corpus:
    """Its documents as they are, and where lines are none what was skipped. Raises NotConfigured."""
    skipped: list[Skipped] = []
    (file,) = files(path)
    try:
        corpus = of_lines(name, reading.json_documents(file, skip=skipped.append, fields=Fields()), language=language)
    except Unreadable as error:
        raise NotConfigured([str(error)]) from None
    summary = tuple(Summary(files=1, chunks=len(corpus.documents), skipped=skipped).lines(name)) if skipped else ()
    if not corpus.documents:
        raise NotConfigured(["\n".join([*summary, f"{path.name} has no document."])])
    reading.warn(name, skipped)
    return replace(corpus, summary=summary, left_out=skipped)


def of_lines(
    name: str, lines: Iterable[JsonLine], *, language: str, kinds: Mapping[str, str] = MappingProxyType({})
) -> Corpus:
    """The corpus of documents; `kinds` are members that it has in any case. Raises NotConfigured with the place."""
    metadata = _Metadata(kinds)
    documents: dict[str, JsonObject] = {}
    for line in lines:
        document = _document(line.value, metadata, place=line.place)
        if documents.setdefault(str(document["id"]), document) is not document:
            raise NotConfigured([f"{line.place}: the _id {str(document['id'])[:80]!r} was there before."])
    headings = [HEADING_PATH] if HEADING_PATH in kinds else []
    fields: list[JsonValue] = [plain_field("id", "Edm.String", key=True)]
    fields.extend(text_field(text, language) for text in ("title", "text", *headings))
    fields.extend(plain_field(name, kind) for name, kind in metadata.types().items() if name not in headings)
    return Corpus(
        index=name,
        definition=definition_of(name, fields, title="title", terms=HEADING_PATH if headings else None, content="text"),
        documents=[metadata.fit(document) for document in documents.values()],
        agent=agent_of(name),
    )


def agent_of(name: str) -> Agent:
    """The agent over the index of a file or folder that was loaded."""
    return Agent(name=name, targets=(Target(index=name, reranker_threshold=THRESHOLD),))


def source_of(name: str, fields: Set[str]) -> Source:
    """The knowledge source over the index of a corpus. If the index has the fields of chunks, references show them."""
    shown_fields = _CITED if fields >= set(_CITED) else ()
    return Source(name=name, index=name, source_fields=shown_fields, reranker_threshold=THRESHOLD)


class _Metadata:
    """The members beyond `_id`, `title` and `text`: their field names, and a type that fits all their values."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._members = {name: name for name in kinds}
        self._kinds = {name: {kind} for name, kind in kinds.items()}

    def hear(self, member: str, value: JsonValue) -> str:
        """Note a member and its value; its field name. Raises ValueError where two members would be one field."""
        name = field_name(member)
        first = self._members.setdefault(name.lower(), member)
        if first != member:
            raise ValueError(f"the members {first!r} and {member!r} would be one field, {name!r}")
        kinds = self._kinds.setdefault(name, set())
        if len(self._kinds) > MAX_FIELDS - len(_RESERVED):
            raise ValueError(f"with the member {member!r} the index has more than {MAX_FIELDS:,} fields")
        if value is not None:
            kinds.add(_kind(value))
        return name

    def types(self) -> dict[str, str]:
        return {name: self._type(name) for name in self._kinds}

    def fit(self, document: JsonObject) -> JsonObject:
        """The document with values of mixed or structured members as JSON text."""
        texts = {name for name, kinds in self._kinds.items() if self._type(name) == "Edm.String" and kinds != {"str"}}
        if texts.isdisjoint(document):
            return document
        return {name: _as_text(value) if name in texts else value for name, value in document.items()}

    def _type(self, name: str) -> str:
        return _TYPES.get(frozenset(self._kinds[name]), "Edm.String")


def _document(line: JsonObject, metadata: _Metadata, *, place: str) -> JsonObject:
    try:
        further = {metadata.hear(name, value): value for name, value in line.items() if name not in _RESERVED}
    except ValueError as error:
        raise NotConfigured([f"{place}: {error}."]) from None
    if long := next((name for name, value in further.items() if len(str(value)) > LONGEST_FILTERABLE), None):
        raise NotConfigured([f"{place}: the member {long!r} is longer than a filterable field can be."])
    return {"id": line["_id"], "title": line.get("title", ""), "text": line.get("text", ""), **further}


def _kind(value: JsonValue) -> str:
    """The name of the value's type; of a list, of its items' if they have one; of a date, as filters write it."""
    if isinstance(value, list):
        inner = {_kind(item) for item in value}
        return f"{inner.pop()} list" if len(inner) == 1 else "list" if inner else "str list"
    if isinstance(value, str) and _MOMENT.fullmatch(value) and _is_moment(value):
        return "moment"
    if isinstance(value, int) and abs(value) >= _INT64:
        return "large int"
    return type(value).__name__


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _as_text(value: JsonValue) -> JsonValue:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def plain_field(name: str, kind: str, *, key: bool = False) -> JsonObject:
    facetable = not key and name not in _NOT_NAMED
    return {"name": name, "type": kind, "key": key, "searchable": False, "filterable": True, "facetable": facetable}


def text_field(name: str, language: str = ENGLISH) -> JsonObject:
    return {
        "name": name,
        "type": "Edm.String",
        "searchable": True,
        "filterable": False,
        "sortable": False,
        "facetable": False,
        "analyzer": ANALYZERS[language],
    }


def definition_of(
    name: str,
    fields: list[JsonValue],
    *,
    configuration: str = SEMANTIC_CONFIGURATION,
    title: str | None = None,
    terms: str | None = None,
    content: str,
) -> JsonObject:
    """The definition of an index with one semantic configuration."""
    prioritized: Mapping[str, JsonValue] = {
        **({"titleField": {"fieldName": title}} if title else {}),
        "prioritizedContentFields": [{"fieldName": content}],
        "prioritizedKeywordsFields": [{"fieldName": terms}] if terms else [],
    }
    return {
        "name": name,
        "fields": fields,
        "semantic": {
            "defaultConfiguration": configuration,
            "configurations": [{"name": configuration, "prioritizedFields": prioritized}],
        },
    }
