"""`hashed-v1` replaces an embedding model. It makes a vector of a text by hashing its words and their trigrams.

Every word (a stem of `en.lucene`, without stop words) counts once as a whole, and once for its trigrams together, which
bring near what is spelt alike. A feature adds (1 + ln n), n being how often it occurs, times a fixed weight, to one
dimension, with a sign; both come from its blake2b hash. The sum has length 1; text without words is a vector of zeros.
So the same text gives the same vector in every process and on every platform, and no document changes another's.
It knows spelling, not meaning: likeness is not comparable with that of a model.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from retrieval.local.search_service.text.analysis import ANALYZERS

LABEL: Final = "hashed-v1"

_ANALYZER = ANALYZERS["en.lucene"]
_READ_CHARACTERS: Final = 32_000  # about what an embedding model takes in (8,191 tokens)
_LONG: Final = 8  # letters from which on a word weighs no more
_TRIGRAMS: Final = 1.0  # of a word, all of them together, beside the word itself


class HashedEmbeddings:
    """`hashed-v1` as an embedder, for fields of any number of dimensions."""

    name = LABEL
    dimensions = None

    def prepare(self, texts: Sequence[str]) -> None:
        """Nothing: a vector is made when it is asked for."""

    def begin(self, text: str) -> None:
        """Nothing."""

    def passage(self, text: str, dimensions: int) -> NDArray[np.float32]:
        return embed(text, dimensions)

    def query(self, text: str, dimensions: int) -> NDArray[np.float32]:
        return embed(text, dimensions)


def embed(text: str, dimensions: int) -> NDArray[np.float32]:
    """The vector of `text`, of length 1 or all zeros."""
    counts = Counter(_ANALYZER.terms(text[:_READ_CHARACTERS]))
    vector = np.zeros(dimensions, np.float64)
    for term in sorted(counts):
        hashes, weights = _features(term)
        np.add.at(vector, hashes % dimensions, weights * (1 + math.log(counts[term])))
    length = math.sqrt(math.fsum(vector * vector))
    return (vector / length if length else vector).astype(np.float32)


@lru_cache(maxsize=200_000)
def _features(term: str) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Hash and signed weight of the word and of each of its trigrams."""
    padded = f"^{term}$"
    trigrams = [padded[place : place + 3] for place in range(len(padded) - 2)]
    weight = math.log2(1 + min(len(term), _LONG))
    weights = [weight, *[weight * _TRIGRAMS / math.sqrt(len(trigrams))] * len(trigrams)]
    hashes = [_hash(f"w:{term}"), *[_hash(f"t:{trigram}") for trigram in trigrams]]
    signs = [1.0 if one & 1 else -1.0 for one in hashes]
    return np.array([one >> 1 for one in hashes], np.uint64), np.array(weights) * np.array(signs)


def _hash(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
