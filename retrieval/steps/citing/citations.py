"""What an answer may keep: citations of chunks of this run, quotations that stand in them, addresses that they name.

Whatever does not hold is removed and reported. What is left is written so that a renderer finds in it what was checked
and nothing else: no image, no HTML, no link that is not a chunk's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from retrieval.answer import By, Chunk, Removed, RemovedKind, Written
from retrieval.steps.citing import addresses, cited
from retrieval.steps.citing.cited import Names
from retrieval.steps.citing.claims import Claim, Sources, claims
from retrieval.steps.citing.markdown import Block, blocks, joined
from retrieval.steps.citing.pieces import Piece, pieces
from retrieval.steps.citing.quotations import Source
from retrieval.steps.citing.remains import remaining
from retrieval.steps.citing.written import label, refused, removed, written
from retrieval.steps.telling import vocabulary

MOST_PASSES: Final = 4
"""What is harmless apart can come together when what was between is gone, so what is left is checked too."""

UNSTABLE: Final = "What is left of it changes whenever it is checked."
NO_DEFINITION: Final = "It defines a link or a footnote, which an answer has none of."
LEFT_ALONE: Final = "What it belonged to was removed."

_NAME: Final = re.compile(r"\[([^\[\]\n]++)\]:")
_PROSE: Final = frozenset({"text", "item", "heading", "row", "header"})
_KEPT: Final = frozenset({"code", "rule", "delimiter", "blank"})


@dataclass(frozen=True, kw_only=True)
class Run:
    """What an answer may rest on: the chunks, the names they go by, and what was asked."""

    sources: Sources
    names: Names
    asked: str

    def known(self) -> Set[str]:
        """The words of it all."""
        return self._known

    @cached_property
    def _known(self) -> Set[str]:
        texts = (text for one in self.sources.values() for text in _told(one.chunk))
        return frozenset().union(vocabulary(self.asked), *map(vocabulary, texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A block and its claims. Code and rules have none, and stay as they are."""

    block: Block
    claims: tuple[Claim, ...] = ()
    removed: tuple[Removed, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What may stay of it, but for addresses."""
        return tuple(piece for one in self.claims for piece in one.pieces)


def check(markdown: str, *, chunks: Sequence[Chunk], by: By, asked: str = "") -> Written:
    """The answer as far as it holds, citing by the labels of sources; empty when nothing is left.

    A claim that cites only what is not there, or quotes what does not stand there, is removed whole. One that quotes
    and cites nothing is given the citation. One that does neither stays if most of it was retrieved or `asked`.
    """
    run = Run(sources={one.id: Source(one) for one in chunks}, names=cited.names(chunks), asked=asked)
    found = _pass(markdown, run, by=by)
    for _ in range(MOST_PASSES):
        again = _pass(found.markdown, run, by=by)
        if again.markdown == found.markdown:
            return found
        found = replace(again, removed=(*found.removed, *again.removed))
    unstable = removed("sentence", found.markdown, reason=UNSTABLE)
    return Written(markdown="", removed=(*found.removed, unstable), by=by)


def _pass(markdown: str, run: Run, *, by: By) -> Written:
    sources = run.sources
    labels = [{name: label(one.chunk.source, row=row) for name, one in sources.items()} for row in (False, True)]
    checked = [_checked(one, run) for one in blocks(markdown)]
    cites = {citation.chunk for one in checked for claim in one.claims for citation in claim.citations}
    allowed = addresses.of(text for name in sources if name in cites for text in _told(sources[name].chunk))
    texts = [_written(one, labels, allowed) for one in checked]
    left = remaining([(one.block, text) for one, text in zip(checked, texts, strict=True)])
    staying = [one if block == text else _lost(one) for one, text, block in zip(checked, texts, left, strict=True)]
    return Written(
        markdown=joined(left),
        citations=tuple(citation for one in staying for claim in one.claims for citation in claim.citations),
        removed=tuple(_removed(staying, allowed)),
        by=by,
    )


def _checked(block: Block, run: Run) -> Checked:
    defined = _NAME.match(block.text) if block.kind == "definition" else None
    if defined is not None and not cited.ids(defined[1], run.names):
        kind: RemovedKind = "citation" if defined[1].startswith("^") else "link"
        return Checked(block=block, removed=(removed(kind, block.text, reason=NO_DEFINITION),))
    if block.kind in _PROSE or defined is not None:
        prose = block if defined is None else replace(block, kind="text")
        found = claims(prose, pieces(block.text, run.names), sources=run.sources, known=run.known)
        return Checked(block=prose, claims=found)
    return Checked(block=block)


def _written(one: Checked, labels: Sequence[Mapping[str, str]], allowed: Set[str]) -> Block:
    """The block with what stays of its text. `labels` are those elsewhere and in rows."""
    if one.block.kind in _KEPT:
        return one.block
    in_row = one.block.kind in ("row", "header")
    return replace(one.block, text=written(one.pieces, labels=labels[in_row], allowed=allowed))


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


def _told(chunk: Chunk) -> tuple[str, str]:
    return chunk.text, chunk.source
