"""The quotations of a block: their places in chunks, and whether a block may keep words that no chunk has word for
word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.model.answer import Citation
from retrieval.text.quotations import Sought, located, quoted
from retrieval.writing.blocks import Block
from retrieval.writing.grounds import Basis

_CODE: Final = re.compile(r"`[^`]*+`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """Words that a block quotes, and their places in chunks; None where no chunk has them.

    In the block's text, `start` is the place after the opening quotation mark, and `end` is the place after the closing
    mark. Both are 0 for a quotation that the model lists beside the text. With `code` the quotation marks are part of
    inline code. `places` is empty for punctuation, for words of a label, a heading or a date, for words that the user
    quoted, and for inline code that a cited chunk has.
    """

    text: str
    start: int = 0
    end: int = 0
    code: bool = False
    places: tuple[Citation, ...] | None


def quotations(block: Block, cited: Sequence[str], basis: Basis) -> tuple[Quoted, ...]:
    """The quotations that the block declares, and the words within its quotation marks. A code block has none."""
    return () if block.kind == "code" else tuple(_quotations(block, cited, basis))


def moved(block: Block, known: Sequence[str], quotations: Sequence[Quoted]) -> tuple[str, ...]:
    """The chunks that a block cites: the `known` chunks that it names, and the chunks that have its quotations. Empty
    if `known` is empty.

    A quotation may name a chunk that the block itself does not name. If every quotation was found, such a chunk is kept
    only if it has one of the quotations. If a single chunk is named and has none of the quotations, the chunks that
    have them replace it.
    """
    having = tuple(dict.fromkeys(place.chunk for quotation in quotations for place in quotation.places or ()))
    if not known or not having:
        return tuple(known)
    stand = all(quotation.places is not None for quotation in quotations)
    named = tuple(name for name in known if name in block.chunks or not stand)
    return having if len(named) == 1 and named[0] not in having else tuple(dict.fromkeys((*named, *having)))


def unquoted(block: Block, lost: Sequence[Quoted], cited: Sequence[str], basis: Basis) -> Block | None:
    """The block without the quotation marks around words that no chunk has word for word. None unless the cited chunks
    repeat each of these quotations, as `Basis.repeats` decides.

    Quotation marks in inline code stay.
    """
    if not all(basis.repeats(quotation.text, cited) for quotation in lost):
        return None
    marks = {
        at
        for quotation in lost
        if quotation.end and not quotation.code
        for at in (quotation.start - 1, quotation.end - 1)
    }
    return replace(block, text="".join(sign for at, sign in enumerate(block.text) if at not in marks))


def _quotations(block: Block, cited: Sequence[str], basis: Basis) -> Iterator[Quoted]:
    others = [name for name in basis.sources if name not in cited]
    for quotation in block.quotations:
        first = [quotation.chunk, *(name for name in cited if name != quotation.chunk)]
        yield Quoted(text=quotation.text, places=_places(quotation.text, [*first, *others], basis))
    spans = quoted(block.text)
    code = [match.span() for match in _CODE.finditer(block.text)] if spans else []
    pool = [*cited, *others]
    for start, end in spans:
        text = block.text[start:end]
        within = next((block.text[left:right] for left, right in code if left < start and end < right), None)
        places = _places(text, pool, basis)
        if places is None and within is not None and _places(within, cited, basis) is not None:
            places = ()
        yield Quoted(text=text, start=start, end=end + 1, code=within is not None, places=places)


def _places(text: str, pool: Sequence[str], basis: Basis) -> tuple[Citation, ...] | None:
    """The places of the text in the first chunk that has it. Empty if it needs no place; None if no chunk has it."""
    stands, sought = False, Sought(text)
    for name in pool:
        source = basis.sources.get(name)
        spans = None if source is None else located(sought, source)
        if source is not None and spans:
            whole = source.chunk.text
            return tuple(Citation(chunk=name, quote=whole[start:end], start=start, end=end) for start, end in spans)
        stands = stands or spans is not None
    return () if stands or basis.asks_about(text) else None
