"""A search of one sub-query in one target, and its result; the query hints of a knowledge source (2026-08-01-preview),
with the filter and boosts that a plan makes from them; the facets of an index, which a question may name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from retrieval.errors import BackendError, RankerAway
from retrieval.filters.tree import Filter
from retrieval.model.conversation import Message
from retrieval.model.definitions import INGESTED, IndexFields, SourceKind
from retrieval.model.json_value import JsonValue
from retrieval.model.tools import NOTHING_PASSED, Passed, ToolCall, ToolServer


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterHint:
    """A field that a plan may filter by. `values` are some of its values. `instructions` say when the plan should use
    the field."""

    field: str
    values: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostHint:
    """A hint to change the rank of documents that have one of the values in `field`. Without a `field` the values are
    searched in any field. `factor` multiplies the score of the values. It is positive and not 1.
    """

    factor: float
    field: str | None = None
    values: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryHints:
    filters: tuple[FilterHint, ...] = ()
    boosts: tuple[BoostHint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Boost:
    """Each of `values` weighs `factor` times as much as a word of the query. The values are searched in `field`, or in
    any field if it is None."""

    factor: float
    values: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinted:
    """A plan's filter and boosts from the hints of one knowledge source. They apply to every search of the plan in that
    source."""

    source: str
    filter: Filter | None = None
    boosts: tuple[Boost, ...] = ()


Origin: TypeAlias = Literal["address", "name"]
"""The part of a document's origin that a reference shows: the address or the name. The origin is the blob, the page,
the row or the file from which the document was made."""

StatedBy: TypeAlias = Literal["request", "definition", "version"]

LONGEST_SEARCH: Final = 2_000
"""The most characters of the text of one search."""

RANKED_PER_SUBQUERY: Final = 50
"""The most documents of one search that semantic ranking takes:
https://learn.microsoft.com/azure/search/semantic-search-overview"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Facets:
    """The facets of an index. `values` are the facet values of each field. `dates` are the fields of dates with time
    and zone. `languages` are the language codes of the texts. `has_vectors` says that a search may use vectors."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    has_vectors: bool = False

    @cached_property
    def extent(self) -> int:
        """The work of finding the values in a question, as a number of characters to read: 500 for each value."""
        return 500 * sum(map(len, self.values.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The `values` of a field that a question names, or the `years` that the question names for a date field. Documents
    with one of them rank higher."""

    field: str
    values: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()


Preferences: TypeAlias = Mapping[str, tuple[Preference, ...]]
"""The preferences of a question, by index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The numbers of documents that a search finds by text and by vectors before they are ranked. Zero switches that
    kind of search off; None takes the usual number. Without `rerank` the documents stay in the order of the search.
    """

    text: int | None = None
    vectors: int | None = None
    rerank: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTarget:
    """A target that a call searches, with the options of the search. `threshold` is a reranker score, 0 to 4;
    `max_documents` is the most documents that are kept. `base_filter` is the part of `filter` that the knowledge source
    states, `imposed_filter` that which the deployment imposes. Where the index can evaluate only a part of a filter,
    `filter` is that part. Then `check` is the whole filter, which this service evaluates for every document found.
    `fields` are fetched for each document, together with the key and the semantic fields.

    `source` is the name of the target's knowledge source. `source_fields` are the fields that the source data of a
    document shows beside the key (empty: all fields that were read). `always` and `never` limit the planner's choice of
    sources. With `fail_on_error` the call fails if a search in the target fails. Without `include_references` the
    target's documents ground the answer, but are not listed.

    `hints` are the query hints that its knowledge source gives to a model that plans. From them the plan may make a
    filter and boosts for this search. `generated` is that filter; `filter` contains it too. `boosts` change the order
    of the documents. `preferences` are facets that the question names. With `dated` each document has a date, if its
    index has a field of dates. With `origin` each document has the address or the name of the file from which it was
    made.

    `threshold_by` says what stated the threshold: the request, the definition of the agent or the source, or the
    contract version, whose default it then is. `ignoring` says what the target is, if it ignores the options of an
    index.
    """

    index: str
    filter: Filter | None = None
    base_filter: Filter | None = None
    imposed_filter: Filter | None = None
    check: Filter | None = None
    threshold: float
    threshold_by: StatedBy = "version"
    include_source_data: bool = False
    max_documents: int | None = None
    recall: Recall = Recall()
    fields: tuple[str, ...] = ()
    source: str = ""
    kind: SourceKind = "searchIndex"
    description: str | None = None
    source_fields: tuple[str, ...] = ()
    search_fields: tuple[str, ...] = ()
    semantic_configuration: str | None = None
    include_references: bool = True
    always: bool = False
    never: bool = False
    fail_on_error: bool = False
    max_subqueries: int | None = None
    hints: QueryHints | None = None
    generated: Filter | None = None
    boosts: tuple[Boost, ...] = ()
    preferences: tuple[Preference, ...] = ()
    dated: bool = False
    server: ToolServer | None = None
    ignoring: str | None = None
    origin: Origin | None = None

    @property
    def is_index(self) -> bool:
        """Whether the target is an index of the search service."""
        return self.kind == "searchIndex" or self.kind in INGESTED

    @property
    def source_name(self) -> str:
        """The name of the knowledge source; without a source it is the name of the index."""
        return self.source or self.index


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A search by weighted words. A word of the question weighs at least 1.

    The semantic ranker and vectors take no weights. `ranked` is the text for the ranker, and `embedded` the text for
    vectors.
    """

    words: tuple[tuple[str, float], ...]
    ranked: str
    embedded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    """One search of the plan, in one target. `user_token` is the caller's own token, for document-level permissions.
    `passed` has the parts of the caller's request that are passed on to MCP servers.

    If the words of `search` have different weights, `weighed` has the words with their weights. `history` has the
    earlier turns on which the search text may depend. It is empty if the search text is complete without them. A
    `guessed` text rests on what a model knows of the world, and on no document.
    """

    search: str
    target: SearchTarget
    weighed: Weighed | None = None
    history: tuple[Message, ...] = ()
    user_token: str | None = field(default=None, repr=False)
    guessed: bool = False
    call: ToolCall | None = None
    passed: Passed = NOTHING_PASSED


class Hit(NamedTuple):
    """A document that a sub-query found. `score` is the reranker's own score, 0 to 4; None for an unranked document.

    `raised` is a higher score that places the document instead. It is never shown. The document has it if the question
    names one of its facets.

    `search_score` is the score of the search before the reranker, from BM25 or a fusion; it can be compared only within
    one search. A hit is a tuple, since a call often has 250 hits or more, and a frozen dataclass takes four times as
    long to make. `label` is the name in citations: the text of the index's label fields, or the origin if the index has
    no such fields; the title for a document of an MCP server. `date` has the name of a date field and its day, if the
    target is dated. `origin` is the address or the name of the file from which the document was made, if the target
    asks for it and the document has it. For a document of an MCP server it is the name of the tool. `facets` are the
    names and values of its facets, if the target is dated.
    """

    key: str
    score: float | None
    search_score: float | None = None
    title: str | None = None
    terms: str | None = None
    content: str | None = None
    source: Mapping[str, JsonValue] = MappingProxyType({})
    label: str | None = None
    date: str | None = None
    origin: str | None = None
    raised: float | None = None
    facets: tuple[tuple[str, str], ...] = ()

    @property
    def placing(self) -> float | None:
        """The score that places the document; None for an unranked document."""
        return self.score if self.raised is None else self.raised


@dataclass(frozen=True, kw_only=True)
class Page:
    """The answer of a search index: hits in the order of the index, and the number of unreadable hits. `unranked` is
    the reason if some hits were not ranked.

    `excluded` counts documents that the owner of the index has excluded from retrieval. `beyond` counts documents of an
    MCP server that exceed the limits of the tool's tokens or of 50 documents. A page that is not `scored` comes from a
    target without ranking. `most` is the number of documents that the service ranks for one sub-query. With `cut` the
    service applied its own threshold, so the threshold of the request does not apply. If the scores are not
    `comparable`, they cannot be compared with the scores of another search. `preferred` is the number of documents that
    meet a preference of the question; 0 if all documents meet equally many. `size` is the size of the answer in bytes;
    for an MCP server, the length of the documents' texts. `missed` is the path of an MCP server's documents if the
    server's answer has content, but nothing at this path. `roles` are the roles of the index's fields, if the target is
    an index.
    """

    hits: tuple[Hit, ...] = ()
    size: int = 0
    unreadable: int = 0
    excluded: int = 0
    beyond: int = 0
    scored: bool = True
    unranked: RankerAway | None = None
    most: int = 50
    cut: bool = False
    comparable: bool = True
    preferred: int = 0
    missed: str | None = None
    roles: IndexFields | None = None

    @cached_property
    def found(self) -> int:
        """The number of documents in the answer."""
        return len(self.hits) + self.unreadable + self.excluded + self.beyond


NOTHING: Final = Page()
"""The page of a search that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A sub-query and its result. `elapsed_ms` counts from `started_at`.

    `id` is a number in the order in which the searches and model calls of a call begin. `given_up` is true if no search
    of the source found a document with the query hints. The source was then searched again without them. The search
    that was given up does not count as failed or empty.
    """

    subquery: Subquery
    page: Page = NOTHING
    error: BackendError | None = None
    started_at: datetime
    elapsed_ms: int
    given_up: bool = False
    id: int | None = None

    @property
    def ended_at(self) -> datetime:
        """The time when the search ended."""
        return self.started_at + timedelta(milliseconds=self.elapsed_ms)

    @property
    def threshold(self) -> float | None:
        """The threshold that applies to the documents; None if they are not ranked, if the service applied its own, or
        for an MCP server, which gives no scores."""
        target = self.subquery.target
        return target.threshold if target.recall.rerank and not self.page.cut and target.server is None else None

    @property
    def fault(self) -> BackendError | None:
        """The error of the search, or of the semantic ranker; None if both succeeded."""
        return self.error or self.page.unranked
