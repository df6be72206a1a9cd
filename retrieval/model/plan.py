"""The plan of a call: what is searched for."""

from dataclasses import dataclass

from retrieval.filters.tree import Filter
from retrieval.model.activity import By
from retrieval.model.conversation import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """A search text and what it is to find."""

    query: str
    goal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """What is searched for. `filter` is one a model wrote and the index can answer, `filter_text` is it in OData.

    `filter_index` is the one whose fields it names. `sources` are the names of the knowledge sources that were picked;
    none picked are all. `notes` say what of the reply was not used, and why.
    """

    queries: tuple[PlannedQuery, ...]
    filter: Filter | None = None
    filter_text: str = ""
    filter_index: str | None = None
    sources: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    by: By
    notes: tuple[str, ...] = ()
