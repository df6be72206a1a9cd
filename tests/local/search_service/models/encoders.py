"""Models for tests: one that knows a few topics, and one that fails when it is told to."""

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np

from retrieval.local.search_service.models.ports import ModelFailed, Vector

TOPICS: Final = ("boat ship vessel ketch lightship", "food bread meal supper", "money price cost fee")
"""Words of one meaning each: a dimension of the vectors."""


class Topics:
    """A vector has a number for each topic, and a small one that no text lacks. It keeps what it was asked."""

    version = "topics-1"

    def __init__(self, *, name: str = "topics", fails_after: int | None = None) -> None:
        self.name = name
        self.asked: list[str] = []
        self.queries: list[str] = []
        self.left = fails_after
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._lock:
            if self.left is not None:
                if self.left <= 0:
                    raise ModelFailed(self.name, "failed: out of memory")
                self.left -= len(texts)
            self.asked += texts
        return [vector(text) for text in texts]

    def query(self, text: str) -> Vector:
        if self.left is not None and self.left <= 0:
            raise ModelFailed(self.name, "failed: out of memory")
        self.queries.append(text)
        return vector(text)


def vector(text: str) -> Vector:
    words = text.casefold().split()
    counts = [float(sum(word.strip(".,?!") in topic.split() for word in words)) for topic in TOPICS]
    return np.array([*counts, 0.1], np.float32)
