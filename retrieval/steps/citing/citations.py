"""What an answer may keep: citations of chunks of this run, quotations that stand in them, addresses that they name.

Whatever does not hold is removed and reported. What is left is written so that a renderer finds in it what was checked
and nothing else: no image, no HTML, no link that is not a chunk's.
"""

import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from retrieval.answer import By, Chunk, Removed, RemovedKind, Written
from retrieval.steps.citing import addresses, cited, code
from retrieval.steps.citing.basis import Basis, basis
from retrieval.steps.citing.cited import PLACE
from retrieval.steps.citing.claims import Claim, claims
from retrieval.steps.citing.markdown import Block, blocks, joined
from retrieval.steps.citing.pieces import Piece, pieces
from retrieval.steps.citing.remains import remaining
from retrieval.steps.citing.written import label, labelled, refused, removed, written

MOST_PASSES: Final = 4
"""What is harmless apart can come together when what was between is gone, so what is left is checked too."""

UNSTABLE: Final = "What is left of it changes whenever it is checked."
NO_DEFINITION: Final = "It defines a link or a footnote, which an answer has none of."
LEFT_ALONE: Final = "What it belonged to was removed."

_NAME: Final = re.compile(r"\[([^\[\]\n]++)\]:")
_PROSE: Final = frozenset({"text", "item", "heading", "row", "header"})
_KEPT: Final = frozenset({"code", "rule", "delimiter", "blank"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A block and its claims. Code and rules have none; they stay as they are, or go whole."""

    block: Block
    claims: tuple[Claim, ...] = ()
    removed: tuple[Removed, ...] = ()
    stays: bool = True

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What may stay of it, but for addresses."""
        return tuple(piece for one in self.claims for piece in one.pieces)


def check(markdown: str, *, chunks: Sequence[Chunk], by: By, asked: str = "", over: Collection[str] = ()) -> Written:
    """The answer as far as it holds, citing by the labels of sources; empty when nothing is left.

    A claim that cites only what is not there, or quotes what does not stand there, is removed whole. One that quotes
    and cites nothing is given the citation. What else cites nothing stays if it was mostly retrieved or `asked`.
    Chunks with an id that is `over` were shown, but there is no room to cite them.
    """
    on = basis(chunks, over=over, asked=asked)
    found = _pass(markdown.replace(PLACE, ""), on, by=by)
    for _ in range(MOST_PASSES):
        again = _pass(found.markdown, on, by=by)
        if again.markdown == found.markdown:
            return replace(found, markdown=_labelled(found.markdown, on))
        found = replace(again, removed=(*found.removed, *again.removed))
    unstable = removed("sentence", _labelled(found.markdown, on), reason=UNSTABLE)
    return Written(markdown="", removed=(*found.removed, unstable), by=by)


def _pass(markdown: str, basis: Basis, *, by: By) -> Written:
    prose = [_checked(one, basis) for one in blocks(markdown)]
    cites = {citation.chunk for one in prose for claim in one.claims for citation in claim.citations}
    chunks = [one.chunk for name, one in basis.sources.items() if name in cites]
    allowed = addresses.of(text for one in chunks for text in (one.text, one.source))
    checked = [_coded(one, basis, allowed) if one.block.kind == "code" else one for one in prose]
    texts = [_written(one, basis, allowed) for one in checked]
    left = remaining([(one.block, text) for one, text in zip(checked, texts, strict=True)])
    staying = [one if block == text else _lost(one) for one, text, block in zip(checked, texts, left, strict=True)]
    return Written(
        markdown=joined(left),
        citations=tuple(citation for one in staying for claim in one.claims for citation in claim.citations),
        removed=tuple(_removed(staying, allowed)),
        by=by,
    )


def _checked(block: Block, basis: Basis) -> Checked:
    defined = _NAME.match(block.text) if block.kind == "definition" else None
    if defined is not None and not cited.ids(defined[1], basis.names):
        kind: RemovedKind = "citation" if defined[1].startswith("^") else "link"
        return Checked(block=block, removed=(removed(kind, block.text, reason=NO_DEFINITION),))
    if block.kind in _PROSE or defined is not None:
        prose = block if defined is None else replace(block, kind="text")
        return Checked(block=prose, claims=claims(prose, pieces(block.text, basis.names), basis))
    return Checked(block=block)


def _coded(one: Checked, basis: Basis, allowed: Set[str]) -> Checked:
    reason = code.refusal(one.block.text, basis, allowed=allowed)
    if reason is None:
        return one
    return replace(one, stays=False, removed=(removed("sentence", one.block.text, reason=reason),))


def _written(one: Checked, basis: Basis, allowed: Set[str]) -> Block:
    """The block with what stays of its text."""
    if one.block.kind in _KEPT:
        return one.block if one.stays else replace(one.block, text="")
    return replace(one.block, text=written(one.pieces, citable=basis.sources, allowed=allowed))


def _labelled(markdown: str, basis: Basis) -> str:
    """The answer with labels in the place of ids. What stands beside a table and is no row must not become one."""
    parts = blocks(markdown)
    plain = {name: label(one.chunk.source, row=False) for name, one in basis.sources.items()}
    in_row = {name: label(one.chunk.source, row=True) for name, one in basis.sources.items()}
    beside = {name: one.replace("|", "&#124;") for name, one in plain.items()}
    kinds = ["", *(one.kind for one in parts), ""]
    named: list[Block] = []
    for one, before, after in zip(parts, kinds, kinds[2:], strict=False):
        is_beside = before in ("row", "delimiter") or after == "delimiter"
        labels = in_row if one.kind in ("row", "header") else beside if is_beside else plain
        named.append(replace(one, text=labelled(one.text, labels)))
    return joined(named)


def _lost(one: Checked) -> Checked:
    """A block that does not stay for want of others. A gap in the place of one that is gone anyway loses nothing."""
    claims = tuple(replace(claim, pieces=(), citations=()) for claim in one.claims)
    text = "".join(piece.source for piece in one.pieces)
    lost = (removed("sentence", text, reason=LEFT_ALONE),) if text else ()
    return replace(one, claims=claims, removed=(*one.removed, *lost))


def _removed(checked: Sequence[Checked], allowed: Set[str]) -> Iterator[Removed]:
    for one in checked:
        yield from one.removed
        yield from (gone for claim in one.claims for gone in claim.removed)
        yield from refused(one.pieces, allowed=allowed)
