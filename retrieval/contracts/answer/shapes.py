"""The code that the typed answer and the workflow's six payloads (`detail=workflow`) share: the base class of their
shapes, the JSON encoder, and helpers for chunks."""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

from retrieval.model.answer import Answer, Chunk


class Out(BaseModel):
    """The base class of the shapes of an answer. Unknown members are not allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


def encode(shape: Out) -> bytes:
    """Encodes a shape as UTF-8 JSON. A model can write a lone surrogate, which UTF-8 cannot encode. It becomes a
    question mark."""
    with suppress(PydanticSerializationError):
        return shape.model_dump_json(by_alias=True).encode()
    value = shape.model_dump(mode="json", by_alias=True)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def chunks_of(answer: Answer) -> Mapping[str, Chunk]:
    """Every chunk of the call, by its id."""
    result_chunks = (chunk for result in answer.results for chunk in result.chunks)
    choices = () if answer.judgement is None else answer.judgement.selected
    return {chunk.id: chunk for chunk in (*answer.chunks, *result_chunks, *(choice.chunk for choice in choices))}


def labels(ids: Sequence[str], chunks: Mapping[str, Chunk]) -> list[str]:
    """The labels of the chunks with these ids, in the order of `ids`. Each label comes once."""
    return list(dict.fromkeys(chunks[id].source for id in ids if id in chunks))


def share(value: float | None) -> float | None:
    """The value clamped to the range from 0 to 1. NaN becomes 0, and None stays None."""
    if value is None:
        return None
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)
