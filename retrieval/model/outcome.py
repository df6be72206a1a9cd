"""The outcome of a retrieval: its documents, what was written from them, and a record of every step."""

from dataclasses import dataclass

from retrieval.errors import BackendError
from retrieval.model.activity import Activity, SearchActivity
from retrieval.model.retrieval import Grounding, Reference, RetrievalRequest


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
        searches = [record.searched for record in self.activity if isinstance(record, SearchActivity)]
        return tuple(search.error for search in searches if search.error is not None and not search.given_up)

    @property
    def search_ids(self) -> tuple[int, ...]:
        """The activity ids of the sub-queries, by their positions."""
        return tuple(id for id, record in enumerate(self.activity) if isinstance(record, SearchActivity))
