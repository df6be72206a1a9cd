"""An embedding model whose vectors are kept: in a file by the text's hash, and the last ones in memory.

What was embedded once is not embedded again, whichever index it is in and however often a program starts. The file has
whole vectors only, written a batch at a time; it may serve several processes.
"""

import hashlib
import os
import sqlite3
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from retrieval.local.search_service.models.ports import ModelFailed, Vector

FILE: Final = "vectors.sqlite3"
AT_ONCE: Final = 32
"""Texts of one call: of similar length, since the longest sets the cost of all."""

AT_THE_SAME_TIME: Final = 4
"""Queries; passages are made on as many threads as there are cores."""

_IN_MEMORY: Final = 4_096
_QUERIES: Final = 256
_WAIT: Final = 30.0  # seconds for another process that writes

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, hash BLOB NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (model, hash)
) WITHOUT ROWID;
"""


class Encoder(Protocol):
    """A model as it comes: vectors of passages, in their order, and of a query. Raises ModelFailed.

    It is asked from several threads.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """What makes its vectors others: they are kept apart by it."""

    @property
    def is_far(self) -> bool:
        """Whether it answers over a network, and may take long."""

    def passages(self, texts: Sequence[str]) -> list[Vector]: ...

    def query(self, text: str) -> Vector: ...


class Remembered:
    """The vectors of an encoder, each made once. It may be asked from several threads.

    `folder` is where the file is; without it vectors are in memory alone. Raises ModelFailed where the model does not
    answer, which is asked for the vector of a word to know its dimensions.
    """

    def __init__(self, encoder: Encoder, folder: Path | None = None) -> None:
        self._encoder = encoder
        self._dimensions = len(encoder.query("dimensions"))
        self._kept = None if folder is None else _File(folder, encoder)
        self._passages: OrderedDict[bytes, Vector] = OrderedDict()
        self._queries: OrderedDict[str, Future[Vector]] = OrderedDict()
        self._lock = threading.Lock()
        self._asking = ThreadPoolExecutor(max_workers=AT_THE_SAME_TIME, thread_name_prefix="query")
        self._making = ThreadPoolExecutor(max_workers=os.cpu_count(), thread_name_prefix="passages")

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    def prepare(self, texts: Sequence[str]) -> None:
        self._vectors(texts)

    def passage(self, text: str, dimensions: int) -> Vector:
        return self._vectors([text])[_hash(text)] if text.strip() else self._nothing()

    def _vectors(self, texts: Sequence[str]) -> dict[bytes, Vector]:
        """Those of all texts but blank ones, by hash. While the model works others are not kept waiting."""
        wanted = {_hash(text): text for text in texts if text.strip()}
        with self._lock:
            found = {hash: self._passages[hash] for hash in wanted if hash in self._passages}
            if self._kept is not None:
                found |= self._kept.read([hash for hash in wanted if hash not in found])
        left = sorted((text for hash, text in wanted.items() if hash not in found), key=len)
        batches = [left[at : at + AT_ONCE] for at in range(0, len(left), AT_ONCE)]
        for batch, vectors in zip(batches, self._making.map(self._encoder.passages, batches), strict=True):
            made = dict(zip(map(_hash, batch), self._checked(vectors, batch), strict=True))
            with self._lock:
                if self._kept is not None:
                    self._kept.write(made)
            found |= made
        with self._lock:
            self._passages |= found
            while len(self._passages) > _IN_MEMORY:
                self._passages.popitem(last=False)
        return found

    def _nothing(self) -> Vector:
        return np.zeros(self._dimensions, np.float32)

    def begin(self, text: str) -> None:
        made = self._begun(text)
        if self._encoder.is_far:
            wait([made])

    def _begun(self, text: str) -> Future[Vector]:
        """The vector of a query, begun on another thread."""
        with self._lock:
            made = self._queries.pop(text, None) or self._asking.submit(self._query, text)
            self._queries[text] = made
            while len(self._queries) > _QUERIES:
                self._queries.popitem(last=False)
        return made

    def query(self, text: str, dimensions: int) -> Vector:
        made = self._begun(text)
        try:
            return made.result()
        except ModelFailed:
            with self._lock:
                self._queries.pop(text, None)
            raise

    def _query(self, text: str) -> Vector:
        if not text.strip():
            return self._nothing()
        [vector] = self._checked([self._encoder.query(text)], [text])
        return vector

    def _checked(self, vectors: Sequence[Vector], texts: Sequence[str]) -> list[Vector]:
        if len(vectors) != len(texts):
            raise ModelFailed(self.name, f"made {len(vectors)} vectors of {len(texts)} texts")
        for vector in vectors:
            if len(vector) != self._dimensions:
                raise ModelFailed(self.name, f"made a vector of {len(vector)} numbers, and before {self._dimensions}")
            if not np.isfinite(vector).all():
                raise ModelFailed(self.name, "made a vector with numbers that are none")
        return [_of_length_1(vector) for vector in vectors]


class _File:
    """Raises ModelFailed, with the file's name, where it cannot be used."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self._path = folder / FILE
        self._name = encoder.name
        self._version = encoder.version
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._file.close)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise self._failed(error) from error

    def read(self, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        try:
            return {hash: np.frombuffer(numbers, np.float32) for hash, numbers in self._rows(hashes)}
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _rows(self, hashes: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        for at in range(0, len(hashes), 500):
            some = hashes[at : at + 500]
            marks = ",".join("?" * len(some))
            yield from self._file.execute(
                f"SELECT hash, numbers FROM vector WHERE model = ? AND hash IN ({marks})", [self._version, *some]
            )

    def write(self, made: dict[bytes, Vector]) -> None:
        rows = [(self._version, hash, vector.tobytes()) for hash, vector in made.items()]
        try:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> ModelFailed:
        return ModelFailed(self._name, f"cannot keep its vectors in {str(self._path)!r}: {error}")


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _of_length_1(vector: Vector) -> Vector:
    exact = vector.astype(np.float64)
    length = float(np.sqrt(exact @ exact))
    return (exact / length if length else exact).astype(np.float32)
