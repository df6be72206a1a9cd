"""The check of an answer's blocks over chunks, as a call makes it."""

from collections.abc import Collection, Mapping, Sequence

from retrieval.model.activity import By
from retrieval.model.answer import Written
from retrieval.model.retrieval import Chunk
from retrieval.writing.answer_blocks import Block
from retrieval.writing.answer_markdown import written
from retrieval.writing.citation_check import Claims
from retrieval.writing.claim_support import basis


def check(
    blocks: Sequence[Block],
    *,
    chunks: Sequence[Chunk],
    by: By,
    asked: str = "",
    over: Collection[str] = (),
    selected: Collection[str] = (),
    names: Mapping[str, str] | None = None,
) -> Written:
    """The part of the answer that passes."""
    return written(Claims(basis(chunks, over=over, asked=asked), blocks), by=by, selected=selected, names=names)
