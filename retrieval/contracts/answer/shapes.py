"""The parts of both forms of the answer: strict shapes, their bytes, and the chunks by their ids."""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

from retrieval.model.answer import Answer, Chunk


class Out(BaseModel):
    """A shape of the answer: it has exactly these members, and all of them are present."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


def encode(shape: Out) -> bytes:
    """UTF-8 JSON. Half a surrogate pair, which a model can write and UTF-8 cannot carry, becomes a question mark."""
    with suppress(PydanticSerializationError):
        return shape.model_dump_json(by_alias=True).encode()
    value = shape.model_dump(mode="json", by_alias=True)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def chunks_of(answer: Answer) -> Mapping[str, Chunk]:
    """Every chunk of the run by its id."""
    result_chunks = (chunk for result in answer.results for chunk in result.chunks)
    choices = () if answer.judgement is None else answer.judgement.selected
    return {chunk.id: chunk for chunk in (*answer.chunks, *result_chunks, *(choice.chunk for choice in choices))}


def labels(ids: Sequence[str], chunks: Mapping[str, Chunk]) -> list[str]:
    """The labels of chunks, each once, in the order of their ids."""
    return list(dict.fromkeys(chunks[id].source for id in ids if id in chunks))


def share(value: float | None) -> float | None:
    """Clamps to 0 to 1; NaN becomes 0, and None stays."""
    if value is None:
        return None
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)
