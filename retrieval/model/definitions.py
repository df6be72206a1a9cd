"""The definitions of an administrator: knowledge sources, and the agents (since 2025-11 knowledge bases) that search
them; and a definition as a store keeps it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, Literal, TypeAlias, TypeVar, get_args

from retrieval.model.tools import ToolServer

PATTERN: Final = "^[a-z0-9_-]{1,128}$"
"""A name has 1 to 128 lower-case letters, digits, `-` and `_`."""

_NAME: Final = re.compile(PATTERN.strip("^$"))


def is_name(text: str) -> bool:
    """Whether a text is a valid name of a definition."""
    return _NAME.fullmatch(text) is not None


def is_address(index: str) -> bool:
    """Whether the `index` of a source or a target is a URL. The name of a search index is never a URL."""
    return "://" in index


Effort: TypeAlias = Literal["minimal", "low", "medium", "auto"]
"""How much work a call does. `minimal` does not plan. `low` plans once and searches once. At `medium`, a model also
judges the documents, and missing information may be searched once. At `auto`, a second round may search for names that
occur in the best documents of the first round.
"""

OutputMode: TypeAlias = Literal["extractiveData", "answerSynthesis"]
"""Whether a retrieval returns the texts of documents, or an answer that is written from them."""

IngestedKind: TypeAlias = Literal["azureBlob", "indexedSharePoint", "indexedOneLake", "indexedSql", "file"]
"""The kinds of source whose index the search service creates and fills itself."""

INGESTED: Final = frozenset(get_args(IngestedKind))

SourceKind: TypeAlias = str
"""A kind of knowledge source. `retrieval.sources.KINDS` lists the kinds that are served."""

ResultsProcessing: TypeAlias = Literal["rerank", "none"]

USUAL_SUBQUERIES: Final = 3
"""The usual limit of sub-queries in a plan. Medium effort, a caller or an agent may set another limit."""

MOST_SUBQUERIES: Final = 5
"""The most sub-queries of a plan that a model or the rules make."""

SUBQUERIES_BY_EFFORT: Final[Mapping[Effort, int]] = {
    "low": USUAL_SUBQUERIES,
    "medium": MOST_SUBQUERIES,
    "auto": USUAL_SUBQUERIES,
}
"""The most sub-queries at the efforts that plan. The numbers of `low` and `medium` are Azure's, for knowledge bases
since 2025-11-01-preview, from the how-to in its documentation of 02/12/2026."""


@dataclass(frozen=True, kw_only=True)
class IndexFields:
    """The roles of an index's fields, such as the key and the fields of the semantic configuration.

    If `semantic_configuration` is None, the service uses the default of the index. `vectors` are the vector fields for
    which the search service can vectorize a text. `other_vectors` are the other vector fields. `facets` are fields
    whose values a question may name. `dates` are fields of dates with time and zone. `labels` are the fields that a
    citation names: the file, the heading, the page. `address` and `file_name` are the fields with the address and the
    name of the file from which a document was made. `languages` are the language codes of the texts ("en", "pt-BR"), as
    far as the analyzers of the fields show them. With `permissions`, fields of the index say who may see each document.
    """

    key: str
    semantic_configuration: str | None = None
    title: str | None = None
    terms: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    other_vectors: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    address: str | None = None
    file_name: str | None = None
    languages: tuple[str, ...] = ()
    permissions: bool = False

    @cached_property
    def semantic(self) -> tuple[str, ...]:
        """The semantic fields in the order title, terms, content, each once."""
        return tuple(dict.fromkeys((*self.titles, *self.terms, *self.content)))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The title field, if there is one."""
        return () if self.title is None else (self.title,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A knowledge source: an index, a Model Studio base or an MCP server, with the fields that are searched and shown.
    If `source_fields` is empty, the fields of the semantic configuration are shown. If `search_fields` is empty, all
    fields are searched. `base_filter` is OData, joined by AND with the filter of every search. `query_hints` are stored
    unchanged, and guide a model that plans. `ingestion` has the members that only the search service's ingestion reads,
    without secrets. `created` has the other objects that the ingestion made, by role. A source of the kind `mcpServer`
    has a `server`, and its `index` is the URL of that server. `reranker_threshold` applies to targets that state
    none; no contract version has a member for it.
    """

    name: str
    index: str
    kind: SourceKind = "searchIndex"
    description: str | None = None
    source_fields: tuple[str, ...] = ()
    search_fields: tuple[str, ...] = ()
    semantic_configuration: str | None = None
    base_filter: str | None = None
    query_hints: Mapping[str, object] | None = None
    ingestion: Mapping[str, object] | None = None
    created: Mapping[str, str] | None = None
    cors: Mapping[str, object] | None = None
    server: ToolServer | None = None
    results_processing: ResultsProcessing | None = None
    reranker_threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A target of an agent's searches, with the agent's defaults for it.

    `source` is the name of a knowledge source; None is the implicit source of `index`, which has the index's name.
    `filtered` is true if a source with the index's name was once stored with a base filter. Then the index may be
    searched only while a source of that name is stored. `bound` is the stored source, or the implicit source if none is
    stored. A lookup adds it to the target, and it is not stored with the target.
    """

    index: str
    source: str | None = None
    reranker_threshold: float | None = None
    include_source_data: bool | None = None
    max_documents: int | None = None
    include_references: bool | None = None
    always_query: bool | None = None
    max_subqueries: int | None = None
    image_serving: bool | None = None
    freshness: bool | None = None
    filtered: bool = False
    bound: Source | None = None

    @property
    def needs_source(self) -> bool:
        """Whether the target may be searched only with a stored source."""
        return self.source is not None or self.filtered

    @property
    def source_name(self) -> str:
        """The name of the knowledge source."""
        return self.source or self.index

    @property
    def stated_threshold(self) -> float | None:
        """The threshold of the target, or else of its bound source; None if neither states one."""
        own = self.reranker_threshold
        return self.bound.reranker_threshold if own is None and self.bound is not None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDeployment:
    """A chat model: an Azure OpenAI endpoint and a deployment there. Without a key, this service signs in with its own
    identity.

    `model_name` is the usual name of the model, e.g. gpt-4o-mini; it is only shown.
    """

    endpoint: str
    deployment: str
    api_key: str | None = field(default=None, repr=False)
    model_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The named settings of a retrieval. `max_runtime` is in seconds, `max_output_tokens` in tokens of grounding text.

    Azure calls it a knowledge base since 2025-11, and called it a knowledge agent before. With `ground_everything` a
    grounding text has as many documents as the limits allow, even where a model called some of them sufficient.
    `fast_path` and `cors` are only stored, for the API versions that have them. `usual_runtime` is the runtime of this
    process where `max_runtime` is not stated, and `usual_effort` the effort of AGENT_EFFORT where `effort` is not
    stated; neither is ever stored.
    """

    name: str
    targets: tuple[Target, ...]
    model: ModelDeployment | None = None
    max_runtime: float | None = None
    max_output_tokens: int | None = None
    max_documents: int | None = None
    description: str | None = None
    effort: Effort | None = None
    output_mode: OutputMode | None = None
    retrieval_instructions: str | None = None
    answer_instructions: str | None = None
    include_activity: bool | None = None
    ground_everything: bool | None = None
    fast_path: bool | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    cors: Mapping[str, object] | None = None
    usual_runtime: float | None = None
    usual_effort: Effort | None = None

    @property
    def own_runtime(self) -> float | None:
        """The most seconds of a call, of the definition or else of this process; None where neither states them."""
        return self.usual_runtime if self.max_runtime is None else self.max_runtime

    @property
    def base_filters(self) -> tuple[str, ...]:
        """The stored filters of the agent's sources. Every call parses them."""
        bound = (target.bound for target in self.targets)
        return tuple(source.base_filter for source in bound if source is not None and source.base_filter)


Definition: TypeAlias = Agent | Source
"""A definition, which a store keeps under its name."""


Defined = TypeVar("Defined", bound=Definition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Generic[Defined]):
    """A stored definition. `etag` is opaque, without quotes, and changes with every write.

    If the definition is a copy from the configuration, `seed` is the fingerprint of the configured definition. It is
    None once a caller has written the definition. `ignored` are the paths of members that this release does not know,
    and that the release which wrote them calls harmless.
    """

    value: Defined
    etag: str
    seed: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.value.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A stored definition that cannot be read; it can be deleted and replaced. `members` are the paths of the members
    that this release does not know, or that are given more than once."""

    name: str
    etag: str
    members: tuple[str, ...] = ()


Kept: TypeAlias = Stored[Defined] | Unreadable


def readable_values(entries: Iterable[Kept[Defined]]) -> list[Defined]:
    """The definitions that can be read."""
    return [entry.value for entry in entries if isinstance(entry, Stored)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult(Generic[Defined]):
    """The result of a write. `created` says that nothing was stored under the name before."""

    stored: Stored[Defined]
    created: bool
