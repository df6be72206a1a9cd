"""The embeddings of any endpoint that speaks OpenAI's API: Ollama, LM Studio, a gateway, OpenAI.

Reference: https://platform.openai.com/docs/api-reference/embeddings/create. What is busy is asked again, as long as the
pause that it wants is no longer than the work can wait.
"""

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from httpx2 import Response, SyncByteStream
from openai import APIConnectionError, APIError, APIStatusError, DefaultHttpxClient, OpenAI, OpenAIError

from retrieval.local.search_service.models.ports import ModelFailed, Vector

SECONDS: Final = 60.0
"""Of one request, and of its body."""

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of a body: many times what 32 vectors of 4,096 numbers take."""

LONGEST_PAUSE: Final = 60.0
"""Seconds before documents are sent again."""

LONGEST_QUERY_PAUSE: Final = 2.0
"""Seconds before a query is: somebody waits for it."""

READ_CHARACTERS: Final = 32_000
"""Of a text: about what an embedding model takes in (8,191 tokens)."""

_AGAIN: Final = frozenset({408, 409, 429})


class EndpointEmbeddings:
    """`model` at the endpoint `url`; a `key` where it asks for one. `pause` waits for so many seconds."""

    is_far = True

    def __init__(
        self, url: str, model: str, key: str | None = None, *, retries: int, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = f"{model} at {url}"
        self.version = self.name
        self._model = model
        self._key = key
        self._tries = range(retries, -1, -1)
        self._pause = pause
        self._client = _client(url, key)
        weakref.finalize(self, self._client.close)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors(texts, longest_pause=LONGEST_PAUSE)

    def query(self, text: str) -> Vector:
        vectors = self._vectors([text], longest_pause=LONGEST_QUERY_PAUSE)
        if len(vectors) != 1:
            raise ModelFailed(self.name, f"made {len(vectors)} vectors of one text")
        return vectors[0]

    def _vectors(self, texts: Sequence[str], *, longest_pause: float) -> list[Vector]:
        """Raises ModelFailed."""
        try:
            for left in self._tries:
                try:
                    return self._asked(texts)
                except APIError as error:
                    pause = _pause(error, retry=self._tries.start - left)
                    if not left or pause is None or pause > longest_pause:
                        raise
                    self._pause(pause)
        except APIStatusError as error:
            raise self._failed(f"answered {error.status_code}: {error.message}") from None
        except APIConnectionError as error:
            raise self._failed(f"cannot be reached: {error.__cause__ or error}") from None
        except (OpenAIError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._failed(f"gave an answer that cannot be read: {error}") from None
        raise AssertionError

    def _asked(self, texts: Sequence[str]) -> list[Vector]:
        """Raises OpenAIError, TypeError, ValueError, AttributeError and OverflowError."""
        sent = [text[:READ_CHARACTERS] for text in texts]
        answer = self._client.embeddings.create(model=self._model, input=sent, encoding_format="float")
        return [_vector(row.embedding) for row in sorted(answer.data, key=lambda row: row.index)]

    def _failed(self, reason: str) -> ModelFailed:
        """The error without the key, which an endpoint may repeat."""
        return ModelFailed(self.name, (reason.replace(self._key, "<redacted>") if self._key else reason)[:400])


def _vector(numbers: object) -> Vector:
    """Raises TypeError, ValueError, OverflowError."""
    with np.errstate(over="ignore"):
        vector = np.asarray(numbers, np.float32)
    if vector.ndim != 1 or not vector.size:
        raise ValueError("a vector is no list of numbers")
    return vector


def _pause(error: APIError, *, retry: int) -> float | None:
    """Seconds before the same is asked again: what the endpoint says, else .5, 1, 2, …; None where it does not help."""
    if isinstance(error, APIStatusError):
        if error.status_code not in _AGAIN and error.status_code < 500:
            return None
        asked = error.response.headers.get("retry-after", "")
        if asked.isascii() and asked.isdigit():
            return float(asked)
    elif not isinstance(error, APIConnectionError):
        return None
    return 0.5 * 2.0**retry


def _client(url: str, key: str | None) -> OpenAI:
    """Without retries of its own, and without redirects, which would take the key to another address."""
    return OpenAI(
        base_url=url,
        api_key=key or "none",
        max_retries=0,
        timeout=SECONDS,
        default_headers={"Accept-Encoding": "identity"},
        http_client=DefaultHttpxClient(follow_redirects=False, event_hooks={"response": [_bound]}),
    )


def _bound(response: Response) -> None:
    """Makes the body end at its limits."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise OpenAIError("it is packed, which was not asked for")
    assert isinstance(response.stream, SyncByteStream)
    response.stream = _Bounded(response.stream)


class _Bounded(SyncByteStream):
    def __init__(self, body: SyncByteStream) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        left, until = MOST_BYTES, time.monotonic() + SECONDS
        for part in self._body:
            left -= len(part)
            if left < 0 or time.monotonic() > until:
                raise OpenAIError(f"it has more than {MOST_BYTES:,} bytes or takes more than {SECONDS:.0f} s")
            yield part

    def close(self) -> None:
        self._body.close()
