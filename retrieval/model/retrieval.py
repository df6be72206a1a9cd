"""A call: its request, its plan, the documents that it finds, and its outcome; and the chunks that a model reads."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from retrieval.errors import BackendError
from retrieval.filters.tree import Filter
from retrieval.model.activity import Activity, By, DropReason, OmitReason, SearchActivity
from retrieval.model.conversation import Message
from retrieval.model.definitions import USUAL_SUBQUERIES, Effort
from retrieval.model.search import Hinted, Hit, Preferences, SearchTarget, Weighed
from retrieval.model.tools import NOTHING_PASSED, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The probability that the documents of an index contain an answer, by the best score among them.

    `probabilities` are pairs of a score and a share. The share is the fraction of questions with an answer, among
    those with a best score between this score and the next pair's. The scores rise from pair to pair.

    `sufficient_from` is the lowest best score for which the evidence counts as sufficient; None if no score is high
    enough.
    """

    index: str
    probabilities: tuple[tuple[float, float], ...]
    sufficient_from: float | None = None

    def probability(self, score: float) -> float | None:
        """The probability that the question has an answer, 0 to 1. None where there are no pairs."""
        at = bisect_right(self.probabilities, score, key=lambda pair: pair[0])
        return self.probabilities[max(at - 1, 0)][1] if self.probabilities else None


def best_score(scores: Sequence[float | None]) -> float:
    """The input of a calibration: the ranker's best score, or 0 where nothing was ranked."""
    return max((score for score in scores if score is not None), default=0.0)


Key: TypeAlias = tuple[str, str]
"""An index and a document's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address at which a caller reached this service, for links. `endpoint` has no slash at its end. `version` is
    the API version of the caller's request."""

    endpoint: str
    version: str


Output: TypeAlias = Literal["documents", "synthesis", "answer"]
"""The kind of result: documents; documents and an answer that is written from them; or the answer of the workflow,
which also routes and judges."""

CitedBy: TypeAlias = Literal["number", "label"]
"""The text in brackets behind a claim: a number in the list of sources below the answer, or the label of the source."""

References: TypeAlias = Literal["grounded", "found"]
"""The documents that a retrieval returns: those of the grounding text, or every document that was found and kept."""

USUAL_TOKENS: Final = 50_000

USUAL_DOCUMENTS: Final[Mapping[Effort, int]] = {"low": 10, "medium": 20}
"""The usual number of documents in a grounding text. Source: Azure's how-to of 02/12/2026. In real answers of
2025-08-01-preview to 2026-05-01-preview there are at most 10 at low, and up to 12 at medium."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a call.

    `runtime` is in seconds. `tokens` is for all model calls together, input and output; None is no limit. `queries`
    limits the queries of the plan. If it is None, the targets' `max_documents` or the effort set the limit. `documents`
    limits the references, and `output_tokens` limits the grounding text. If nobody states a number of documents,
    `usual_documents` limits the grounding text by the effort that the record says. `chunks` limits the chunks that an
    answer may use.
    """

    runtime: float = 60.0
    queries: int | None = None
    documents: int | None = None
    usual_documents: Mapping[Effort, int] = field(default_factory=dict)
    output_tokens: int = 5_000
    chunks: int = 8
    follow_ups: int = 1
    tokens: int | None = None


ANSWER_LIMITS: Final = Limits(queries=USUAL_SUBQUERIES, tokens=USUAL_TOKENS)
"""The limits of an answer whose caller states no limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRequest:
    """The request of a call. It has at least one target, and no two targets have the same name.

    A contract fills in its own defaults and the agent's. Then `completed` of http/retrieve.py sets `nonce`, `address`,
    `passed`, `calibration`, and what is still missing of `effort` and `grounds_everything`. `queries` are the caller's
    own queries. They are searched unchanged, and `messages` may then be empty. `targets` contain the caller's filters.
    `instructions` guide the plan, `answer_instructions` a synthesis. `nonce` is the random part of the fences around
    data in prompts, so that nobody can guess a fence. `calibration` is that of the index, if an answer is written and
    only one index is searched. The rules judge by it when no model does. With `grounds_everything` the grounding text
    has as many documents as the limits allow, even where a model called some of them sufficient. It is True if the
    caller states a number or a size of the output, and None if nobody states anything; then GROUNDING decides.
    """

    messages: tuple[Message, ...]
    queries: tuple[str, ...] = ()
    targets: tuple[SearchTarget, ...]
    output: Output = "documents"
    references: References = "found"
    effort: Effort | None = None
    limits: Limits = Limits()
    instructions: str | None = None
    answer_instructions: str | None = None
    include_activity: bool = True
    grounds_everything: bool | None = None
    user_token: str | None = field(default=None, repr=False)
    passed: Passed = NOTHING_PASSED
    nonce: str = ""
    calibration: Calibration | None = None
    cited_by: CitedBy = "number"
    address: Address | None = None

    @property
    def asked_effort(self) -> Effort:
        """The effort of the call. `auto` if the caller, the agent, the contract and AGENT_EFFORT state none."""
        return self.effort or "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """A search text and its goal. If the words of the search have different weights, `weighed` has the words with their
    weights. A `guessed` query rests on what a model knows of the world, and on no document."""

    query: str
    goal: str = ""
    guessed: bool = False
    weighed: Weighed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The texts of queries that are searched beside leading ones. Their documents take turns with those of the leading
    queries, after so many of these (`after`)."""

    texts: frozenset[str]
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """The queries to search. `filter` was written by a model and the index can evaluate it; `filter_text` is its OData.

    `next` is a question to look up afterwards with the results of the queries. It is empty where nothing needs to be
    looked up. `filter_index` is the index whose fields the filter names. `sources` are the names of the knowledge
    sources that the plan picks; if it picks none, all are searched. `hinted` are a model's filters and boosts from the
    query hints of each source. `preferences` are the facet values that the question names, by index. `beside` names
    queries that others precede. `notes` say which
    parts of a model's reply or of a long message were not used, and why.
    """

    queries: tuple[PlannedQuery, ...]
    next: str = ""
    filter: Filter | None = None
    filter_text: str = ""
    filter_index: str | None = None
    sources: tuple[str, ...] = ()
    hinted: tuple[Hinted, ...] = ()
    preferences: Preferences = field(default_factory=dict)
    beside: Beside | None = None
    history: tuple[Message, ...] = ()
    by: By
    notes: tuple[str, ...] = ()


class Reference(NamedTuple):
    """A document that is returned. `subquery` is the position of the sub-query that is credited with the document."""

    hit: Hit
    target: SearchTarget
    subquery: int

    @property
    def key(self) -> Key:
        return document_key(self.target, self.hit)


def document_key(target: SearchTarget, hit: Hit) -> Key:
    """The identity of a document, by which duplicates are recognised: its index and its key."""
    return target.index, hit.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The references, and the number of dropped documents of each sub-query, by reason. `lost` has the reason for each
    document that did not become a reference.
    """

    references: tuple[Reference, ...]
    dropped: tuple[Mapping[DropReason, int], ...]
    lost: Mapping[Key, DropReason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """The grounding text and the positions of the references that are in it."""

    text: str
    included: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a retrieval. Activity ids are positions in `activity`, and the id of a reference is its position in
    `references`.

    `answer` is the answer that was written from the grounding, if the request asks for it. It cites a reference by its
    position, as `[ref_id:n]`.
    """

    request: RetrievalRequest
    grounding: Grounding
    references: tuple[Reference, ...]
    activity: tuple[Activity, ...]
    answer: str | None = None

    @property
    def failed(self) -> tuple[BackendError, ...]:
        """The errors of the failed searches, without those of searches that were given up. The outcome has the results
        of the other searches."""
        searches = [record.searched for record in self.searches]
        return tuple(search.error for search in searches if search.error is not None and not search.given_up)

    @cached_property
    def searches(self) -> tuple[SearchActivity, ...]:
        """The records of the searches."""
        return tuple(record for record in self.activity if isinstance(record, SearchActivity))

    @cached_property
    def found(self) -> int:
        """The number of documents that the searches found."""
        return sum(search.found for search in self.searches)

    @cached_property
    def dropped(self) -> Mapping[DropReason, int]:
        """The number of dropped documents by reason: `budget` are references that did not fit into the grounding."""
        return sum((Counter(search.dropped) for search in self.searches), start=Counter[DropReason]())

    @property
    def search_ids(self) -> tuple[int, ...]:
        """The activity id of each sub-query, in the order of the sub-queries."""
        return tuple(id for id, record in enumerate(self.activity) if isinstance(record, SearchActivity))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text that an answer may rest on. `id` is `c1`, `c2`, … within a call. `source` is the label of the document for
    people.

    `text` is the text of the document. It is cut at the end if it is longer than a chunk may be. `round` is 0 for
    chunks of the first round and 1 for chunks of the follow-up. `heading` is the heading of the text: the file and its
    headings, or the title, or the key. A model reads it, and `date`, the date of the document, which is ""
    if the document has none.
    """

    id: str
    source: str
    text: str
    reference: Reference
    round: int = 0
    heading: str = ""
    date: str = ""

    @property
    def beside(self) -> tuple[str, ...]:
        """The label, the heading and the date of the document."""
        return (self.source, self.heading, self.date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The chunks that the next steps see, in order, and the number of references without a chunk, by reason.

    `lost` has the reason for each reference that did not become a chunk, except references to documents that were
    chunks before; these count as `known`.
    """

    chunks: tuple[Chunk, ...]
    omitted: Mapping[OmitReason, int] = field(default_factory=dict)
    lost: Mapping[Key, OmitReason] = field(default_factory=dict)
