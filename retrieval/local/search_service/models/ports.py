"""What the search service needs of models, and the error of one that fails. Without the extra it has `lexical-v1` and
`hashed-v1`, which need none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from retrieval.local.search_service.errors import SearchServiceError

Vector: TypeAlias = NDArray[np.float32]


class ModelFailed(SearchServiceError):
    """400, with the model's name: it cannot be reached, or its answer is none.

    Azure says that it could not vectorize the query; with which status was not observed.
    """

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(400, "ModelFailed", f"The model {model!r} {reason}.")
        self.model = model


class Embedder(Protocol):
    """Makes vectors of texts, of length 1 or all zeros. Raises ModelFailed.

    `dimensions` is how many numbers its vectors have, None where a field may have any number of them.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int | None: ...

    def prepare(self, texts: Sequence[str]) -> None:
        """Makes the vectors of texts whose documents come next, all at once."""

    def passage(self, text: str, dimensions: int) -> Vector: ...

    def begin(self, text: str) -> object:
        """Starts the vector of a query that is asked for soon."""

    def query(self, text: str, dimensions: int) -> Vector: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The documents that are ranked for a query, each part made when it is asked for, in their order.

    `words` are the scores by `lexical-v1`, 0 to 4; `near` the cosines of query and document, None without a model that
    made both vectors; `texts` what a semantic ranker reads of them.
    """

    words: Callable[[], list[float]]
    near: Callable[[], list[float] | None]
    texts: Callable[[], list[str]]


class Ranker(Protocol):
    """Replaces the semantic ranker: a score from 0 to 4 for each candidate. Raises ModelFailed."""

    @property
    def label(self) -> str: ...

    def scores(self, query: str, among: Candidates) -> list[float]: ...
