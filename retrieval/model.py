"""The hub: what contracts parse into, what the steps work on, what contracts render from.

Neutral words, frozen values. Empty is `()`; None means that the caller did not say, or that a service did not tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from retrieval.errors import BackendError, BadModelReply, RankerAway
from retrieval.filters.field_map import FieldMap
from retrieval.filters.tree import Filter

Right: TypeAlias = Literal["retrieve", "manage"]
RANKED_PER_SUBQUERY: Final = 50
"""Documents that semantic ranking takes of one search: https://learn.microsoft.com/azure/search/semantic-search-overview"""

JsonValue: TypeAlias = str | int | float | bool | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation. `role` is lower-case, e.g. `user`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFields:
    """Which fields of an index mean what: its key, and the roles of its semantic configuration.

    `semantic_configuration` None lets the service take the index's default. `vectors` are the fields that the service
    itself can vectorize a text for.
    """

    key: str
    semantic_configuration: str | None = None
    title: str | None = None
    terms: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()

    @property
    def semantic(self) -> tuple[str, ...]:
        """The semantic fields in the order title, terms, content, each once."""
        return tuple(dict.fromkeys((*self.titles, *self.terms, *self.content)))

    @property
    def titles(self) -> tuple[str, ...]:
        """The title field, if there is one."""
        return () if self.title is None else (self.title,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An index or a knowledge base that an agent searches, by its name, with the agent's defaults for it."""

    index: str
    reranker_threshold: float | None = None
    include_source_data: bool | None = None
    max_documents: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDeployment:
    """A chat model: an Azure OpenAI endpoint and a deployment on it; without a key, the service's identity is used.

    `model_name` is what people call the model, e.g. gpt-4o-mini; nothing depends on it.
    """

    endpoint: str
    deployment: str
    api_key: str | None = field(default=None, repr=False)
    model_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A named way to retrieve. `max_runtime` is in seconds, `max_output_tokens` in tokens of grounding text."""

    name: str
    targets: tuple[Target, ...]
    model: ModelDeployment | None = None
    max_runtime: float | None = None
    max_output_tokens: int | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedIndex:
    """An index of an agent as callers of another service know it: under a workspace and an id.

    `fields` are what their filters may name.
    """

    workspace: str
    id: str
    agent: str
    index: str
    fields: FieldMap = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How documents are found before they are ranked: how many by their text, how many by their vectors.

    Zero leaves that way out, None takes as many as is usual. Without `rerank` they stay in the order of the search.
    """

    text: int | None = None
    vectors: int | None = None
    rerank: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTarget:
    """What a call searches, and how. `threshold` is a reranker score, 0 to 4; `max_documents` the most that are kept.

    Where the index can answer only a part of a filter, `filter` is that part and `check` the whole of it, which every
    document found must pass. `fields` are returned in its source beside the key and the semantic fields.
    """

    index: str
    filter: Filter | None = None
    check: Filter | None = None
    threshold: float
    include_source_data: bool = False
    max_documents: int | None = None
    recall: Recall = Recall()
    fields: tuple[str, ...] = ()


Planning: TypeAlias = Literal["queries", "standalone", "verbatim"]
"""Sub-queries for a conversation, its last user message made to stand alone, or that message as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRequest:
    """A call, every default filled in. There is a target at least, and no two of one name.

    With `queries` the caller has planned: they are searched as they are, and `messages` may be empty.
    """

    messages: tuple[Message, ...]
    queries: tuple[str, ...] = ()
    targets: tuple[SearchTarget, ...]
    planning: Planning = "queries"
    max_output_tokens: int
    max_runtime: float
    user_token: str | None = field(default=None, repr=False)

    @property
    def max_documents(self) -> int | None:
        """The most that any target is to rank; None when none of them says."""
        return max((one.max_documents for one in self.targets if one.max_documents is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a chat model is asked: the instructions, the data they are about, and the JSON schema of the reply.

    With `most_tokens` the reply, and what the model thinks before it, ends there.
    """

    name: str
    instructions: str
    data: str
    schema: Mapping[str, JsonValue]
    most_tokens: int | None = None


_ENDED: Final = {
    "length": "it was cut off at the most tokens that it may have",
    "filter": "the content filter ended it",
    "refusal": "the model declined",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a chat model answered, and the tokens it counted. `ended_by` says why it is not whole, if it is not."""

    text: str
    input_tokens: int
    output_tokens: int
    ended_by: Literal["length", "filter", "refusal"] | None = None

    def whole(self) -> str:
        """The text. Raises BadModelReply when it is not whole."""
        if self.ended_by is not None:
            raise BadModelReply(_ENDED[self.ended_by])
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    """One search of the plan, in one target. `user_token` is the caller's own, for document-level permissions.

    `history` holds the earlier turns that a search text may still lean on; none where a model made it stand alone.
    """

    search: str
    target: SearchTarget
    history: tuple[Message, ...] = ()
    user_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that a sub-query found. `score` is the reranker's, 0 to 4; None when it was not ranked."""

    key: str
    score: float | None
    title: str | None = None
    terms: str | None = None
    content: str | None = None
    source: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a search index answered: hits in its order, how many could not be read, why some were not ranked if so.

    `excluded` counts documents that the index's owner took out of retrieval. `most` is how many documents the service
    ranks for one sub-query. With `cut` it applied a threshold of its own, and a request's does not apply.
    """

    hits: tuple[Hit, ...] = ()
    unreadable: int = 0
    excluded: int = 0
    unranked: RankerAway | None = None
    most: int = 50
    cut: bool = False

    @property
    def found(self) -> int:
        """Every document that came."""
        return len(self.hits) + self.unreadable + self.excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A sub-query and what became of it. `elapsed_ms` counts from the moment it was sent."""

    subquery: Subquery
    page: Page = Page()
    error: BackendError | None = None
    started_at: datetime
    elapsed_ms: int


DropReason: TypeAlias = Literal["threshold", "duplicate", "limit", "excluded", "filter", "error", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A document that is returned. `subquery` is the position of the search that is credited with it."""

    hit: Hit
    target: SearchTarget
    subquery: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """References in their final order, and for each sub-query how many of its documents were dropped, by reason."""

    references: tuple[Reference, ...]
    dropped: tuple[Mapping[DropReason, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """The grounding text and the positions of the references that are in it."""

    text: str
    included: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningActivity:
    """A model was asked for the plan. With an `error`, the deterministic plan took its place."""

    elapsed_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    error: BackendError | BadModelReply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchActivity:
    """One sub-query: documents found, and of these how many were dropped under which reason.

    `dropped["budget"]` counts documents that are references but did not fit into the grounding text.
    """

    searched: Searched
    found: int
    dropped: Mapping[DropReason, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerActivity:
    """Semantic ranking over all sub-queries. `input_tokens` estimates everything that was scored, kept or not.

    `elapsed_ms` is that of the slowest search: ranking happens inside the search and is not timed apart.
    """

    input_tokens: int
    elapsed_ms: int
    warning: str | None = None


Activity: TypeAlias = PlanningActivity | SearchActivity | RankerActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a retrieval gives back. Activity ids are positions in `activity`."""

    grounding: Grounding
    references: tuple[Reference, ...]
    activity: tuple[Activity, ...]

    @property
    def first_search(self) -> int:
        """The activity id of the first sub-query."""
        return 1 if isinstance(self.activity[0], PlanningActivity) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, and what they may. `id` may be logged: a key's place in its setting, or the directory's object id.

    `claims` holds those that imposed filters ask for, as far as the caller has them; a key has none.
    """

    kind: Literal["key", "token", "principal"]
    id: str
    rights: frozenset[Right]
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImposedRule:
    """A caller sees documents whose `path` holds one of the caller's values of `claim`, and no others.

    `collection` says that the field is one of texts. Callers with a key have no claims: `with_key` are their values,
    and without any they are refused.
    """

    path: tuple[str, ...]
    claim: str
    collection: bool = False
    with_key: tuple[str, ...] = ()
