"""A corpus as Azure's ingestion would have indexed it: the index, its knowledge source, and the base that searches it.

No schema of such an index is published. The fields are those that public code over such indexes names: the key `uid`,
`snippet` and its vector, `snippet_parent_id`, and `blob_url` or `doc_url`; that of a file's name is ours.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from retrieval.local.corpora import THRESHOLD, Corpus, JsonObject, definition_of, plain_field, text_field
from retrieval.model.definitions import Agent, IngestedKind, Source, Target
from retrieval.model.json_value import JsonValue

_ORIGIN: Final[Mapping[IngestedKind, tuple[str, str]]] = {
    "azureBlob": ("blob_url", "https://local.blob.core.windows.net/{name}/{path}"),
    "indexedSharePoint": ("doc_url", "https://local.sharepoint.com/sites/{name}/{path}"),
    "indexedOneLake": ("doc_url", "https://onelake.dfs.fabric.microsoft.com/local/{name}/{path}"),
    "indexedSql": ("doc_url", "https://local.database.windows.net/{name}/{path}"),
    "file": ("doc_name", "{path}"),
}
"""The field of what a document was made of, and its value; the hosts are nobody's."""

_PLACE: Final[Mapping[IngestedKind, Mapping[str, str]]] = {
    "azureBlob": {"connection_string": "ResourceId=local;", "container_name": "local"},
    "indexedSharePoint": {
        "connection_string": "SharePointOnlineEndpoint=https://local.sharepoint.com;",
        "container_name": "defaultSiteLibrary",
    },
    "indexedOneLake": {"fabric_workspace_id": "local", "lakehouse_id": "local"},
    "indexedSql": {"connection_string": "ResourceId=local;", "table_or_view": "local"},
    "file": {},
}
"""What a definition of the kind has in any case."""


def index_of(name: str, kind: IngestedKind | None) -> str:
    """The index of a corpus of that name."""
    return name if kind is None else f"{name}-index"


def as_ingested(corpus: Corpus, kind: IngestedKind, *, language: str) -> Corpus:
    """The corpus in the index of a knowledge source of its name."""
    name = corpus.index
    field, form = _ORIGIN[kind]
    fields: list[JsonValue] = [
        plain_field("uid", "Edm.String", key=True),
        {**plain_field("snippet_parent_id", "Edm.String"), "facetable": False},
        {**plain_field(field, "Edm.String"), "facetable": False},
        text_field("snippet", language),
    ]
    index, configuration = index_of(name, kind), f"{name}-semantic-configuration"
    return replace(
        corpus,
        index=index,
        definition=definition_of(index, fields, configuration=configuration, content="snippet"),
        documents=[_document(document, field, form, name=name) for document in corpus.documents],
        agent=agent_of(name, kind),
        vector="snippet_vector",
    )


def agent_of(name: str, kind: IngestedKind | None) -> Agent:
    """The base over the knowledge source of its name."""
    source = None if kind is None else name
    return Agent(name=name, targets=(Target(index=index_of(name, kind), source=source, reranker_threshold=THRESHOLD),))


def source_of(name: str, kind: IngestedKind) -> Source:
    """The knowledge source of a loaded corpus."""
    ingestion = dict(_PLACE[kind]) or None
    return Source(name=name, index=index_of(name, kind), kind=kind, ingestion=ingestion, reranker_threshold=THRESHOLD)


def _document(document: JsonObject, field: str, form: str, *, name: str) -> JsonObject:
    path = str(document.get("source") or document["id"])
    return {
        "uid": document["id"],
        "snippet_parent_id": sha256(path.encode()).hexdigest()[:32],
        field: form.format(name=name, path=path if field == "doc_name" else quote(path)),
        "snippet": document["text"],
    }
