"""A retrieval: the request with every default filled in, and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from retrieval.model.activity import Activity, DropReason, PlanningActivity
from retrieval.model.conversation import Message
from retrieval.model.search import Hit, SearchTarget

Effort: TypeAlias = Literal["minimal", "low", "medium", "auto"]
"""How far a call goes: `minimal` searches the given queries without a model; `low` plans once and searches once;
`medium` judges what came back and follows up once for what is missing; `auto` takes the least of these that suffices.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRequest:
    """A call, every default filled in. It has at least one target, and no two targets of one name.

    With `queries` the caller has planned: they are searched unchanged, and `messages` may be empty. The plan has at
    most `most_queries`; None leaves that to the planner.
    """

    messages: tuple[Message, ...]
    queries: tuple[str, ...] = ()
    targets: tuple[SearchTarget, ...]
    effort: Effort = "low"
    most_queries: int | None = None
    max_output_tokens: int
    max_runtime: float
    user_token: str | None = field(default=None, repr=False)

    @property
    def max_documents(self) -> int | None:
        """The most documents that any target ranks; None when no target says."""
        return max((one.max_documents for one in self.targets if one.max_documents is not None), default=None)


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
class Outcome:
    """The result of a retrieval. Activity ids are positions in `activity`."""

    grounding: Grounding
    references: tuple[Reference, ...]
    activity: tuple[Activity, ...]

    @property
    def first_search(self) -> int:
        """The activity id of the first sub-query."""
        return 1 if isinstance(self.activity[0], PlanningActivity) else 0
