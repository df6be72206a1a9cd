"""The embeddings of any endpoint that speaks OpenAI's API: Ollama, LM Studio, a gateway, OpenAI.

Reference: https://platform.openai.com/docs/api-reference/embeddings/create. What is busy is asked again.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from retrieval.local.search_service.models.ports import ModelFailed, Vector

if TYPE_CHECKING:
    from openai import OpenAI

SECONDS: Final = 60.0
READ_CHARACTERS: Final = 32_000
"""Of a text: about what an embedding model takes in (8,191 tokens)."""


class EndpointEmbeddings:
    """`model` at the endpoint `url`; a `key` where it asks for one."""

    def __init__(self, url: str, model: str, key: str | None = None, *, retries: int) -> None:
        self.name = f"{model} at {url}"
        self.version = self.name
        self._model = model
        self._client = _client(url, key, retries)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        import openai

        asked = [text[:READ_CHARACTERS] for text in texts]
        try:
            answer = self._client.embeddings.create(model=self._model, input=asked, encoding_format="float")
            rows = sorted(answer.data, key=lambda one: one.index)
            return [np.asarray(one.embedding, np.float32) for one in rows]
        except openai.APIStatusError as error:
            raise ModelFailed(self.name, f"answered {error.status_code}: {str(error.message)[:300]}") from error
        except openai.APIConnectionError as error:
            raise ModelFailed(self.name, f"cannot be reached: {error.__cause__ or error}"[:400]) from error
        except (openai.OpenAIError, TypeError, ValueError, AttributeError) as error:
            raise ModelFailed(self.name, f"gave an answer that cannot be read: {str(error)[:300]}") from error

    def query(self, text: str) -> Vector:
        found = self.passages([text])
        if len(found) != 1:
            raise ModelFailed(self.name, f"made {len(found)} vectors of one text")
        return found[0]


def _client(url: str, key: str | None, retries: int) -> "OpenAI":
    from openai import OpenAI

    return OpenAI(base_url=url, api_key=key or "none", max_retries=retries, timeout=SECONDS)
