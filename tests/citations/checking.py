"""The check of an answer's blocks over chunks, as a call makes it."""

from collections.abc import Collection, Mapping, Sequence

from retrieval.citations.answer_markdown import claims_of, written
from retrieval.citations.blocks import Block
from retrieval.citations.grounds import basis
from retrieval.model.activity import By
from retrieval.model.answer import Chunk, Written


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
    claims = claims_of(blocks, basis(chunks, over=over, asked=asked))
    return written(claims, by=by, selected=selected, names=names)
