"""Checks that each index exists, may be read, has the fields that retrieval needs, and is ranked.

The check counts the documents of an index, and reads the index definition if this is allowed. It then reads one
document. For the default semantic configuration and for each one that a knowledge source names, it makes one semantic
query with the document's first words.
"""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, BackendCaller, Reply, error_of, member, quoted, read
from retrieval.errors import BackendError, BackendUnavailable
from retrieval.model.definitions import IndexFields
from retrieval.model.finding import About, Finding
from retrieval.model.json_value import values_at
from retrieval.model.search import SearchTarget, Subquery
from retrieval.outgoing.connections import HttpAnswer
from retrieval.sources.search_index.definition import read_alias, read_index_fields
from retrieval.sources.search_index.index import API_VERSION, PREVIEW_VERSION
from retrieval.sources.search_index.query import body, needs_preview, selected_fields
from retrieval.text.counted_noun import how_many

WORDS: Final = 12
"""The most words of the document that are in the query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedIndex:
    """An index that a deployment searches or names. `fields` is its entry in INDEX_FIELDS; None without an entry.

    `configurations` are the semantic configurations that knowledge sources name, in addition to the default
    configuration. `ingested_for` is the name of the knowledge source for which Azure's ingestion makes the index.
    """

    name: str
    fields: IndexFields | None
    configurations: Collection[str] = ()
    users: Collection[str] = ()
    ingested_for: str | None = None

    @property
    def about(self) -> About:
        return About("index", self.name)

    @property
    def path(self) -> str:
        return f"/indexes('{quote(self.name, safe='')}')"


async def examine(caller: BackendCaller, service: Backend, index: ExaminedIndex) -> Sequence[Finding]:
    """The findings about one index."""
    return [finding async for finding in _examine(caller, service, index)]


async def _examine(caller: BackendCaller, service: Backend, index: ExaminedIndex) -> AsyncIterator[Finding]:
    about = index.about
    path = f"{index.path}/docs/$count?api-version={API_VERSION}"
    if isinstance(answer := await caller.answer(service, about, "GET", path), Finding):
        yield answer
        return
    documents = _number(answer)
    if answer.status != 200 or documents is None:
        yield _uncounted(service, index, answer)
        return
    fields, findings = _read_roles(index, await _definition(caller, service, index))
    for finding in findings:
        yield finding
    if fields is None:
        return
    if documents == 0:
        yield finding_of(about, "index-empty", source=index.ingested_for)
        return
    async for finding in _search_findings(caller, service, index, fields, documents):
        yield finding


async def _definition(caller: BackendCaller, service: Backend, index: ExaminedIndex) -> Reply:
    """The reply with the definition of the index, or of the index for which an alias of this name stands."""
    reply = await caller.call(service, "GET", f"{index.path}?api-version={PREVIEW_VERSION}")
    if not isinstance(reply, HttpAnswer) or reply.status != 404:
        return reply
    path = f"/aliases('{quote(index.name, safe='')}')?api-version={PREVIEW_VERSION}"
    alias_reply = await caller.call(service, "GET", path)
    if not isinstance(alias_reply, HttpAnswer) or alias_reply.status != 200:
        return alias_reply
    try:
        name = read_alias(index.name, alias_reply.content)
    except BackendUnavailable:
        return alias_reply
    return await caller.call(service, "GET", f"/indexes('{quote(name, safe='')}')?api-version={PREVIEW_VERSION}")


def _number(answer: HttpAnswer) -> int | None:
    """The number of documents in an answer. The number may follow a byte order mark. None for any other answer."""
    text = answer.content[:40].decode("utf-8-sig", "replace").strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _uncounted(service: Backend, index: ExaminedIndex, answer: HttpAnswer) -> Finding:
    return finding_of(
        index.about,
        "index-uncounted",
        when=answer.status,
        name=index.name,
        users=", ".join(sorted(index.users)[:5]),
        here=service.is_local,
        source=index.ingested_for,
        service=service,
        why=quoted(answer),
    )


async def _search_findings(
    caller: BackendCaller, service: Backend, index: ExaminedIndex, fields: IndexFields, documents: int
) -> AsyncIterator[Finding]:
    """The findings about searches. Reads one document, and searches for its words in the same way as a sub-query."""
    about = index.about
    select = ",".join(selected_fields(fields, SearchTarget(index=index.name, threshold=0)))
    query = {"search": "*", "top": 1, "select": select}
    if isinstance(answer := await caller.answer(service, about, "POST", _search_path(index), query), Finding):
        yield answer
        return
    document = _first(answer)
    if answer.status != 200 or document is None:
        text, is_none = " ".join(error_of(answer)), member(read(answer.content), "value") == []
        words = {"none": is_none, "service": service, "why": quoted(answer)}
        yield finding_of(about, "index-unsearched", when=answer.status, text=text, **words)
        return
    text = _text(document, fields)
    if not text:
        yield finding_of(about, "index-without-text")
    is_ranked = True
    for configuration in (None, *sorted(index.configurations)):
        finding = await _ranking_trouble(caller, service, index, fields, text or index.name, configuration)
        if finding is not None:
            is_ranked = False
            yield finding
    if is_ranked:
        vectors = ", ".join(fields.vectors)
        yield finding_of(about, "index-well", documents=how_many(documents, "document"), vectors=vectors)


def _search_path(index: ExaminedIndex, version: str = API_VERSION) -> str:
    return f"{index.path}/docs/search.post.search?api-version={version}"


def _first(answer: HttpAnswer) -> dict[str, Any] | None:
    """The first document of an answer."""
    documents = member(read(answer.content), "value")
    return documents[0] if isinstance(documents, list) and documents and isinstance(documents[0], dict) else None


def _text(document: dict[str, Any], fields: IndexFields) -> str:
    """The first words of a document, from the first field that has words."""
    for name in (*fields.content, *fields.titles, *fields.terms):
        for value in values_at(document, name):
            if isinstance(value, str) and value.strip():
                return " ".join(value[:1_000].split()[:WORDS])
    return ""


async def _ranking_trouble(
    caller: BackendCaller,
    service: Backend,
    index: ExaminedIndex,
    fields: IndexFields,
    text: str,
    configuration: str | None,
) -> Finding | None:
    """Sends a query in the same form as a sub-query. A finding if it fails, finds nothing or is not ranked; None
    otherwise. A plain query of the same index was answered before."""
    target = SearchTarget(index=index.name, threshold=0, semantic_configuration=configuration)
    query = {**body(Subquery(search=text, target=target), fields), "top": 1}
    path = _search_path(index, PREVIEW_VERSION if needs_preview(target, fields) else API_VERSION)
    if isinstance(answer := await caller.answer(service, index.about, "POST", path, query), Finding):
        return answer
    if answer.status in {200, 206}:
        return _missing_rank(answer, index.about)
    return finding_of(
        index.about,
        "ranking-refused",
        when=answer.status,
        text=" ".join(error_of(answer)),
        service=service,
        why=quoted(answer),
        vectors=", ".join(fields.vectors),
    )


def _missing_rank(answer: HttpAnswer, about: About) -> Finding | None:
    document = _first(answer)
    if document is None:
        return finding_of(about, "index-finds-nothing")
    reason = member(read(answer.content), "@search.semanticPartialResponseReason")
    if reason is None and document.get("@search.rerankerScore") is not None:
        return None
    return finding_of(about, "index-unranked", reason=str(reason or "")[:40])


def _read_roles(index: ExaminedIndex, reply: Reply) -> tuple[IndexFields | None, list[Finding]]:
    """The roles of the fields, and the findings about the index definition. The roles are None if they are not
    known."""
    about, fields = index.about, index.fields
    if not isinstance(reply, HttpAnswer) or reply.status != 200:
        if fields is not None:
            return fields, []
        status, why = (reply.status, quoted(reply)) if isinstance(reply, HttpAnswer) else ("", "no answer came.")
        return None, [finding_of(about, "definition-unread", when=status, why=why, name=about.name)]
    findings: list[Finding] = []
    for configuration in (None, *sorted(index.configurations)):
        try:
            definition_fields = read_index_fields(about.name, reply.content, configuration=configuration)
        except BackendError as error:
            findings.append(finding_of(about, "unrankable", reason=error.reason))
        else:
            fields = fields or definition_fields
    if index.fields is not None:
        findings += _misfits(about, index.fields, read(reply.content))
    return fields, findings


def _misfits(about: About, fields: IndexFields, document: Any) -> Iterator[Finding]:
    """The findings about fields of INDEX_FIELDS that do not fit the index definition."""
    schema = _fields(document)
    origins = filter(None, (fields.address, fields.file_name))
    shown = dict.fromkeys((fields.key, *fields.semantic, *fields.labels, *origins))
    every = (*shown, *fields.vectors, *fields.facets, *fields.dates)
    vectorized = _vectorized_fields(document, schema)
    misfits = {
        "fields-absent": [name for name in dict.fromkeys(every) if name not in schema],
        "fields-hidden": [name for name in shown if member(schema, name, "retrievable") is False],
        "fields-not-facetable": [name for name in fields.facets if member(schema, name, "facetable") is False],
        "fields-without-date": [
            name for name in fields.dates if name in schema and schema[name].get("type") != "Edm.DateTimeOffset"
        ],
        "key-of-index": [name for name, field in schema.items() if field.get("key") is True],
        "fields-without-vectorizer": [name for name in fields.vectors if name in schema and name not in vectorized],
    }
    if fields.key not in schema or fields.key in misfits["key-of-index"]:
        del misfits["key-of-index"]
    for fault, names in misfits.items():
        if names:
            yield finding_of(about, fault, names=", ".join(names), key=names[0], named=fields.key)


def _fields(document: Any) -> dict[str, Any]:
    """All fields by path. A field within a complex field has a path like `details/body`."""
    fields, waiting = dict[str, Any](), [("", document)]
    while waiting:
        within, parent = waiting.pop()
        field_list = member(parent, "fields")
        for field in field_list if isinstance(field_list, list) else []:
            if isinstance(field, dict) and isinstance(field.get("name"), str):
                path = f"{within}{field['name']}"
                fields[path] = field
                waiting.append((f"{path}/", field))
    return fields


def _vectorized_fields(document: Any, schema: Mapping[str, Any]) -> Collection[str]:
    """The vector fields that have a profile with a vectorizer."""
    profiles = member(document, "vectorSearch", "profiles")
    vectorized = {
        profile["name"]
        for profile in (profiles if isinstance(profiles, list) else [])
        if isinstance(member(profile, "name"), str) and profile.get("vectorizer")
    }
    return {
        name
        for name, field in schema.items()
        if isinstance(profile := field.get("vectorSearchProfile"), str) and profile in vectorized
    }
