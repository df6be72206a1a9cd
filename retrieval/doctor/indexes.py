"""Checks that each index exists, may be read, has the fields that retrieval needs, and is ranked.

The check counts the documents of an index, and reads the index definition if this is allowed. It then reads one
document. For the default semantic configuration and for each one that a knowledge source names, it makes one semantic
query with the document's first words.
"""

import re
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from retrieval.doctor import index_definition
from retrieval.doctor.services import Backend, BackendCaller, Reply, error_of, member, quoted, read
from retrieval.errors import BackendUnavailable
from retrieval.model.definitions import IndexFields
from retrieval.model.finding import About, Finding
from retrieval.model.json_value import values_at
from retrieval.model.search import SearchTarget, Subquery
from retrieval.outgoing.connections import HttpAnswer
from retrieval.sources.search_index.definition import read_alias
from retrieval.sources.search_index.index import API_VERSION, PREVIEW_VERSION
from retrieval.sources.search_index.query import body, needs_preview, selected_fields
from retrieval.text.counted_noun import how_many

WORDS: Final = 12
"""The most words of the document that are in the query."""

_TIER: Final = re.compile(r"not (?:enabled|supported|available)|FeatureNotSupported|disabled|free tier", re.IGNORECASE)
_QUOTA: Final = re.compile(r"quota", re.IGNORECASE)
_VECTOR: Final = re.compile(r"vectoriz|vector", re.IGNORECASE)
_CONFIGURATION: Final = re.compile(r"semantic ?configuration", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"could not find a property|not a retrievable|is not retrievable|\$select|unknown field", re.I
)


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
    count_reply = await caller.call(service, "GET", f"{index.path}/docs/$count?api-version={API_VERSION}")
    trouble = await _count_trouble(caller, service, index, count_reply)
    if trouble is not None:
        yield trouble
        return
    definition_reply = await _definition(caller, service, index)
    fields, findings = index_definition.read_roles(
        index.about, definition_reply, configured_fields=index.fields, configurations=index.configurations
    )
    for finding in findings:
        yield finding
    if fields is None:
        return
    documents = _number(count_reply)
    if documents == 0:
        source = index.ingested_for
        action = _LOAD if source is None else _INGESTED.format(verb="GET", path=f"knowledgesources('{source}')/status")
        yield about.warning("It holds no document, so no query was tried.", action)
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


async def _count_trouble(caller: BackendCaller, service: Backend, index: ExaminedIndex, reply: Reply) -> Finding | None:
    """A finding if the documents cannot be counted; None otherwise."""
    about = index.about
    if isinstance(answer := await caller.answer(service, reply, about), Finding):
        return answer
    if answer.status == 404 and not index.users:
        return about.warning(
            "INDEX_FIELDS names it, and there is no such index; no agent or knowledge source searches it either.",
            "Correct its name in INDEX_FIELDS, or take it out.",
        )
    if answer.status == 404:
        users = ", ".join(sorted(index.users)[:5])
        return about.fault(f"There is no such index, and these search it: {users}.", _how_to_make(index, service))
    if answer.status == 429:
        return about.warning(f"{service.title} throttles: {quoted(answer)}", _REPLICAS)
    if answer.status != 200:
        return about.fault(f"Its documents cannot be counted: {quoted(answer)}", "See the message.")
    if _number(answer) is None:
        return about.fault(
            f"What answers at {service.setting}_ENDPOINT is no search service: it gave something other than a number.",
            f"Set {service.setting}_ENDPOINT to https://<service>.search.windows.net",
        )
    return None


def _how_to_make(index: ExaminedIndex, service: Backend) -> str:
    if service.is_local:
        return _MAKE_HERE.format(name=index.name)
    source = index.ingested_for
    return _MAKE if source is None else _INGESTED.format(verb="PUT", path=f"knowledgesources('{source}')")


_LOAD: Final = "Load documents: python -m retrieval.local index PATH --to <endpoint> --name <index>"
_INGESTED: Final = "Azure's ingestion makes and fills it: {verb} {path} at the address of the search service itself."
_MAKE: Final = "Make it (docs/operating/deploy.md), or correct indexName in AGENTS_FILE or in the agent."
_MAKE_HERE: Final = (
    "Make it: PUT indexes('{name}')?api-version=2026-04-01 at the address of the app; or delete the agent: "
    "DELETE agents('<name>')?api-version=2025-05-01-preview"
)
_REPLICAS: Final = "More replicas answer more calls: azd env set SEARCH_REPLICAS 2, then azd provision"


def _number(reply: Reply) -> int | None:
    """The number of documents in a reply. The number may follow a byte order mark. None for any other reply."""
    text = reply.content[:40].decode("utf-8-sig", "replace").strip() if isinstance(reply, HttpAnswer) else ""
    return int(text) if text.isascii() and text.isdigit() else None


async def _search_findings(
    caller: BackendCaller, service: Backend, index: ExaminedIndex, fields: IndexFields, documents: int | None
) -> AsyncIterator[Finding]:
    """The findings about searches. Reads one document, and searches for its words in the same way as a sub-query."""
    about = index.about
    select = ",".join(selected_fields(fields, SearchTarget(index=index.name, threshold=0)))
    reply = await caller.call(
        service, "POST", _search_path(index, preview=False), {"search": "*", "top": 1, "select": select}
    )
    if isinstance(answer := await caller.answer(service, reply, about), Finding):
        yield answer
        return
    document = _first(answer)
    if answer.status != 200 or document is None:
        yield _search_trouble(service, answer, about)
        return
    text = _text(document, fields)
    if not text:
        yield about.warning("Its first document has no text in the semantic fields.", "See INDEX_FIELDS.")
    is_ranked = True
    for configuration in (None, *sorted(index.configurations)):
        finding = await _ranking_trouble(caller, service, index, fields, text or index.name, configuration)
        if finding is not None:
            is_ranked = False
            yield finding
    if is_ranked:
        number = "documents" if documents is None else how_many(documents, "document")
        vectors = f", and by vectors of {', '.join(fields.vectors)}" if fields.vectors else ""
        yield about.ok(f"It holds {number}, and is searched and ranked{vectors}.")


def _search_path(index: ExaminedIndex, *, preview: bool) -> str:
    version = PREVIEW_VERSION if preview else API_VERSION
    return f"{index.path}/docs/search.post.search?api-version={version}"


def _first(reply: HttpAnswer) -> dict[str, Any] | None:
    """The first document of an answer."""
    documents = member(read(reply), "value")
    return documents[0] if isinstance(documents, list) and documents and isinstance(documents[0], dict) else None


def _text(document: dict[str, Any], fields: IndexFields) -> str:
    """The first words of a document, from the first field that has words."""
    for name in (*fields.content, *fields.titles, *fields.terms):
        for value in values_at(document, name):
            if isinstance(value, str) and value.strip():
                return " ".join(value[:1_000].split()[:WORDS])
    return ""


def _search_trouble(service: Backend, reply: HttpAnswer, about: About) -> Finding:
    """The finding about a plain query that does not return a readable document."""
    code, message = error_of(reply)
    if reply.status == 200 and member(read(reply), "value") == []:
        return about.warning(
            "It holds documents, and a query for any finds none.",
            "Where documents have permissions, callers bring x-ms-query-source-authorization: "
            "see docs/operating/access.md",
        )
    if reply.status == 200:
        return about.fault("A query is not answered with documents that can be read.", "See that it is a search index.")
    if _FIELD.search(f"{code} {message}"):
        return about.fault(
            f"A field cannot be returned: {quoted(reply)}",
            "Make the fields of INDEX_FIELDS retrievable in the index, or correct INDEX_FIELDS.",
        )
    return _throttling(service, reply, about) or about.fault(
        f"It cannot be searched: {quoted(reply)}", "See the message."
    )


def _throttling(service: Backend, reply: HttpAnswer, about: About) -> Finding | None:
    if reply.status != 429:
        return None
    return about.warning(f"{service.title} throttles: {quoted(reply)}", _REPLICAS)


async def _ranking_trouble(
    caller: BackendCaller,
    service: Backend,
    index: ExaminedIndex,
    fields: IndexFields,
    text: str,
    configuration: str | None,
) -> Finding | None:
    """Sends a query in the same form as a sub-query. A finding if it fails, finds nothing or is not ranked; None
    otherwise."""
    about = index.about
    target = SearchTarget(index=index.name, threshold=0, semantic_configuration=configuration)
    query = {**body(Subquery(search=text, target=target), fields), "top": 1}
    reply = await caller.call(service, "POST", _search_path(index, preview=needs_preview(target, fields)), query)
    if isinstance(answer := await caller.answer(service, reply, about), Finding):
        return answer
    if answer.status in {200, 206}:
        return _missing_rank(answer, about)
    return _throttling(service, answer, about) or _refusal(service, answer, about, fields)


def _missing_rank(reply: HttpAnswer, about: About) -> Finding | None:
    document, body = _first(reply), read(reply)
    reason = member(body, "@search.semanticPartialResponseReason")
    if document is None:
        return about.warning(
            "A query of a document's own words finds nothing.", "See that the semantic fields are searchable."
        )
    if reason is None and document.get("@search.rerankerScore") is not None:
        return None
    why = f"the service says {str(reason)[:40]!r}" if reason else "no reranker score was returned"
    return about.warning(
        f"Semantic ranking gave up: {why}. Unranked documents are kept after ranked ones.",
        "It is throttled or overloaded: ask less at once, or raise the service's tier. See docs/operating/sizing.md.",
    )


def _refusal(service: Backend, reply: HttpAnswer, about: About, fields: IndexFields) -> Finding:
    """The finding about a refused semantic query. A plain query of the same index was answered before."""
    refusal_text = " ".join(error_of(reply))
    why = quoted(reply)
    switch_on = f'az search service update --ids "$({service.scope})" --semantic-search standard'
    if _CONFIGURATION.search(refusal_text):
        return about.fault(
            f"Its semantic configuration is not there: {why}",
            "Correct semanticConfiguration. " + index_definition.SEMANTIC,
        )
    if reply.status == 402 or _QUOTA.search(refusal_text):
        return about.fault(f"The month's semantic queries are used up: {why}", switch_on)
    if "semantic" in refusal_text.lower() and _TIER.search(refusal_text):
        return about.fault(f"Semantic ranking is off, or not in this tier: {why}", switch_on)
    if fields.vectors and _VECTOR.search(refusal_text):
        return about.fault(
            f"A query cannot be vectorized for {', '.join(fields.vectors)}: {why}",
            "Let the search service's identity use the model (SEARCH_VECTORIZES=true). " + index_definition.VECTORIZER,
        )
    return about.fault(f"A semantic query is refused: {why}", switch_on)
