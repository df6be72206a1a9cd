"""A retrieval: the request with every default filled in, and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from retrieval.errors import BackendError
from retrieval.model.activity import Activity, DropReason, SearchActivity
from retrieval.model.calibration import Calibration
from retrieval.model.conversation import Message
from retrieval.model.definitions import Effort, OutputMode
from retrieval.model.search import Hit, SearchTarget

Key: TypeAlias = tuple[str, str]
"""An index and a document's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a caller reached this service, for links: `endpoint` has no slash at its end, `version` is as it was asked
    for."""

    endpoint: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRequest:
    """A call, every default filled in. It has at least one target, and no two targets of one name.

    No `effort` is `auto`.
    With `queries` the caller has planned: they are searched unchanged, and `messages` may be empty. The plan has at
    most `most_queries`; None leaves that to the planner. At most `most_documents` become references. `instructions`
    guide the plan, `answer_instructions` the answer that `answerSynthesis` writes; `nonce` fences data in its prompt.
    """

    messages: tuple[Message, ...]
    queries: tuple[str, ...] = ()
    targets: tuple[SearchTarget, ...]
    effort: Effort | None = None
    most_queries: int | None = None
    max_output_tokens: int
    max_runtime: float
    most_documents: int | None = None
    output_mode: OutputMode = "extractiveData"
    instructions: str | None = None
    answer_instructions: str | None = None
    include_activity: bool = True
    user_token: str | None = field(default=None, repr=False)
    nonce: str = ""
    calibration: Calibration | None = None
    address: Address | None = None

    @property
    def max_documents(self) -> int | None:
        """The most documents that any target ranks; None when no target says."""
        return max((one.max_documents for one in self.targets if one.max_documents is not None), default=None)


class Reference(NamedTuple):
    """A document that is returned. `subquery` is the position of the search that is credited with it.

    `raised` is the score that it is shown with where its place is better than its own score, which the hit keeps. A
    call has up to 250 references, as of hits.
    """

    hit: Hit
    target: SearchTarget
    subquery: int
    raised: float | None = None

    @property
    def score(self) -> float | None:
        """The score on the wire, 0 to 4, which never rises down the list; None where it was not ranked."""
        return self.hit.score if self.raised is None else self.raised

    @property
    def key(self) -> Key:
        return document_key(self.target, self.hit)


def document_key(target: SearchTarget, hit: Hit) -> Key:
    """What makes two hits the same document, a duplicate: of two indexes they are two, whatever their keys."""
    return target.index, hit.key


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
    """The result of a retrieval. Activity ids are positions in `activity`.

    `answer` is what was written from the grounding where the request asks for it, citing `[ref_id:n]` by the position
    of a reference.
    """

    request: RetrievalRequest
    grounding: Grounding
    references: tuple[Reference, ...]
    activity: tuple[Activity, ...]
    answer: str | None = None

    @property
    def failed(self) -> tuple[BackendError, ...]:
        """The errors of the searches that failed; the others' results are here."""
        searches = [one.searched for one in self.activity if isinstance(one, SearchActivity)]
        return tuple(one.error for one in searches if one.error is not None and not one.given_up)

    @property
    def search_ids(self) -> tuple[int, ...]:
        """The activity ids of the sub-queries, by their positions."""
        return tuple(id for id, one in enumerate(self.activity) if isinstance(one, SearchActivity))
