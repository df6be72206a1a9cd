"""The plan of a call: the queries to search."""

from dataclasses import dataclass, field

from retrieval.filters.tree import Filter
from retrieval.model.activity import By
from retrieval.model.conversation import Message
from retrieval.model.query_hints import Hinted
from retrieval.model.search import Preferences, Weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """A search text and its goal; `weighed` has its words with their weights, where they differ."""

    query: str
    goal: str = ""
    weighed: Weighed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """The queries to search. `filter` was written by a model and the index can evaluate it; `filter_text` is its OData.

    `next` says what is to be looked up with what the queries find, empty for nothing. `filter_index` is the one whose
    fields the filter names. `sources` are the names of the knowledge sources that were picked; none picked are all.
    `hinted` are a model's filters and boosts from the query hints of each, `preferences` the facets that the question
    names, by index. `notes` say which parts of the reply were not used, and why.
    """

    queries: tuple[PlannedQuery, ...]
    next: str = ""
    filter: Filter | None = None
    filter_text: str = ""
    filter_index: str | None = None
    sources: tuple[str, ...] = ()
    hinted: tuple[Hinted, ...] = ()
    preferences: Preferences = field(default_factory=dict)
    history: tuple[Message, ...] = ()
    by: By
    notes: tuple[str, ...] = ()
