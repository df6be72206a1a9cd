"""The check of an answer. A block is one claim, and is kept or removed whole, with its citations.

A block is removed if it cites only unknown chunks, or has an address that no cited chunk has. Quoted words that stand
in another chunk are cited from there. Quoted words that stand in no chunk lose their quotation marks where the cited
chunks have the single words; else the block is removed. A block without a citation is kept if the retrieved texts or
the question have at least half of its content words outside quotations, and all its figures of three or more digits. It
then cites the chunks that it quotes. A block about missing information needs no citation if it names only things in the
question or in a chunk. Where a judge selected chunks, only the selected and the cited chunks count.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from retrieval.model.answer import Citation, Removed, RemovedKind, Unquoted
from retrieval.text.figures import unknown_figures
from retrieval.text.languages.language import OPENERS
from retrieval.text.quotations import Sought, located, quoted
from retrieval.writing.answer_blocks import FLOWING, NAMING, TABULAR, Block, Kind
from retrieval.writing.claim_support import Basis

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
    in_text = [quotation for quotation in lost if quotation.end and not quotation.code]
    marks = {at for quotation in in_text for at in (quotation.start - 1, quotation.end - 1)}
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


NO_CHUNK: Final = "No chunk of this run has that id."
NO_ROOM: Final = "More chunks were cited than may be selected."
NO_GROUND: Final = "No chunk that was retrieved supports it."
NOT_IN_CITED: Final = "It is not in the chunks that are cited with it."
NOT_IN_ANY: Final = "It is in no chunk of this run."
FOREIGN: Final = "The address is in no chunk that is cited."
LEADS_AWAY: Final = "It has an address that is in no chunk that is cited."
UNTOLD: Final = "It cites nothing, and most of its words or a figure are neither in the chunks nor in the question."
UNTOLD_CODE: Final = (
    "It is code, and most of its words or one of its figures are neither in the chunks nor in the question."
)
UNADMITTED: Final = "It cites nothing, and is not one sentence whose every name, code, address and figure is known."
ENOUGH: Final = "Enough is said to be missing."
MISQUOTES: Final = "Its quotation is not in the chunks."
LEFT_ALONE: Final = "The text that it introduces was removed."

OPENING: Final[frozenset[Kind]] = FLOWING | {"sentence"}
_ENDS: Final = " .,:;!…。，：；！、—–-"
LONGEST_SHOWN: Final = 200

SHORT: Final = 3
"""The most content words of a heading or a table header whose words are not checked."""

MOST_UNQUOTED: Final = 20
"""The most unknown quotations of an answer that are examined. Blocks with further unknown quotations are removed."""

MOST_MISSING: Final = 5
"""The most sentences about missing points."""

MOST_NAMED: Final = 10
"""The most figures of a claim that are named as unfounded."""

LONGEST_NAMED: Final = 40
"""The most characters of a figure that is named. The rest is cut off."""

INTRODUCING: Final = 2
"""An uncited block with a quotation may have this many unknown words, even if they are more than half of its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A block, whether it is kept, its citations, and the parts that are removed from it.

    `lost` is the number of its quotations that stand in no chunk.
    """

    block: Block
    stays: bool = True
    citations: tuple[Citation, ...] = ()
    removed: tuple[Removed, ...] = ()
    unquoted: tuple[Unquoted, ...] = ()
    lost: int = 0


class Claims:
    """The claims of an answer, checked one by one as its blocks come. Further blocks may follow the first `blocks`."""

    def __init__(self, basis: Basis, blocks: Iterable[Block] = ()) -> None:
        self.basis: Final = basis
        self.all: Final[list[Claim]] = []
        self._room = MOST_UNQUOTED
        for block in blocks:
            self.add(block)

    def add(self, block: Block) -> Claim:
        """Add a block, and return its claim, which is checked without the other blocks."""
        claim = _check(block, self.basis, room=self._room)
        self._room -= claim.lost
        self.all.append(claim)
        return claim

    def admitted(self, selected: Collection[str]) -> list[Claim]:
        """The claims, checked together. Where a judge `selected` chunks, a missing point without a citation may name
        only things in the question, in these chunks or in cited chunks."""
        return pruned(_admit(self.all, self.basis, selected))


def _check(block: Block, basis: Basis, *, room: int) -> Claim:
    names_of_block = tuple(dict.fromkeys((*block.chunks, *(quotation.chunk for quotation in block.quotations))))
    known_names = tuple(name for name in names_of_block if name in basis.sources)
    unknown = tuple(
        _removal("citation", f"[{name}]", NO_ROOM if name in basis.over else NO_CHUNK)
        for name in names_of_block
        if name not in basis.sources
    )
    if not names_of_block and block.kind == "missing":
        return Claim(block=block)
    if names_of_block and not known_names:
        reason = NO_ROOM if any(name in basis.over for name in names_of_block) else NO_GROUND
        return _removed_claim(block, unknown, reason)
    quotations = () if block.kind == "code" else tuple(_quotations(block, known_names, basis))
    cited_names = moved(block, known_names, quotations)
    foreign = sorted(basis.foreign(block.text, cited_names))
    if foreign:
        return _removed_claim(block, (*unknown, *(_removal("link", link, FOREIGN) for link in foreign)), LEADS_AWAY)
    lost_quotations = [quotation for quotation in quotations if quotation.places is None]
    is_room = len(lost_quotations) <= max(room, 0)
    kept_block = unquoted(block, lost_quotations, cited_names, basis) if is_room else None
    if kept_block is None:
        reason = NOT_IN_CITED if known_names else NOT_IN_ANY
        removed = [_removal("quotation", quotation.text, reason) for quotation in lost_quotations]
        return replace(_removed_claim(block, (*unknown, *removed), MISQUOTES), lost=len(lost_quotations))
    if block.kind == "code" and not basis.knows(block.text):
        return _removed_claim(block, unknown, UNTOLD_CODE)
    if not known_names and not _opens(block) and not _told(block, quotations, basis):
        return _removed_claim(block, unknown, UNTOLD)
    without_marks = dict.fromkeys(quotation.text for quotation in lost_quotations if not quotation.code)
    return Claim(
        block=kept_block,
        citations=tuple(_citations(cited_names, quotations)),
        removed=unknown,
        unquoted=tuple(Unquoted(text=line(text), chunks=cited_names) for text in without_marks),
        lost=len(lost_quotations),
    )


def _opens(block: Block) -> bool:
    """Whether a block only introduces the next block, such as "Yes." or "In short:"."""
    return not block.chunks and block.kind in OPENING and block.text.strip(_ENDS).casefold() in OPENERS


def _told(block: Block, quotations: Sequence[Quoted], basis: Basis) -> bool:
    """Whether a block that cites nothing may stay. A quotation does not support the words beside it."""
    located_quotations = [quotation for quotation in quotations if quotation.places]
    edges = [
        0,
        *(edge for quotation in located_quotations for edge in (quotation.start, quotation.end)),
        len(block.text),
    ]
    beside = " ".join(block.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    few, short = INTRODUCING if located_quotations else 0, SHORT if block.kind in NAMING else 0
    return basis.knows(beside, few=few, short=short)


def _citations(names_known: Sequence[str], quotations: Sequence[Quoted]) -> Iterator[Citation]:
    """The citations of a block: one for each cited chunk, or one for each place that is quoted from the chunk."""
    places = list(dict.fromkeys(place for quotation in quotations for place in quotation.places or ()))
    for name in names_known or tuple(dict.fromkeys(place.chunk for place in places)):
        yield from [place for place in places if place.chunk == name] or [Citation(chunk=name)]


def _removed_claim(block: Block, removed: Sequence[Removed], reason: str) -> Claim:
    text = block.text.replace("\n", " | ") if block.kind in TABULAR else block.text
    return Claim(block=block, stays=False, removed=(*removed, _removal("sentence", text, reason)))


def _removal(kind: RemovedKind, text: str, reason: str) -> Removed:
    return Removed(kind=kind, text=line(text), reason=reason)


def line(text: str) -> str:
    """A part of an answer for the records, on one line of at most 200 characters."""
    return " ".join(text.split())[:LONGEST_SHOWN]


def _admit(claims: Sequence[Claim], basis: Basis, selected: Collection[str]) -> list[Claim]:
    """The claims. At most five claims about missing points stay. A missing point without a citation must name only
    known things."""
    cited_ids = (citation.chunk for claim in claims for citation in claim.citations)
    known_facts = basis.known({*selected, *cited_ids} if selected else ())
    kept = list(claims)
    missing = [at for at, claim in enumerate(claims) if claim.stays and claim.block.kind == "missing"]
    for count, at in enumerate(missing, start=1):
        claim = claims[at]
        if count > MOST_MISSING or not (claim.citations or known_facts.admits(claim.block.text)):
            reason = ENOUGH if count > MOST_MISSING else UNADMITTED
            kept[at] = _removed_claim(claim.block, claim.removed, reason)
    return kept


def pruned(claims: Sequence[Claim]) -> list[Claim]:
    """The claims. A heading with nothing before the next heading and a table header without a row are removed. An
    opener such as "In short:" is removed unless a claim with a citation follows it directly."""
    claims_kept: list[Claim] = []
    has_content, next_kind, cites = False, "", False
    for original in reversed(claims):
        kind, claim = original.block.kind, original
        if original.stays and not cites and not original.citations and _opens(original.block):
            claim = _removed_claim(original.block, original.removed, LEFT_ALONE)
        cites = claim.stays and bool(claim.citations)
        if original.stays and kind in NAMING and not (next_kind == "row" if kind == "header" else has_content):
            claim = _removed_claim(original.block, original.removed, LEFT_ALONE)
        if claim.stays:
            has_content, next_kind = kind != "heading" and (has_content or kind not in NAMING), kind
        claims_kept.append(claim)
    return claims_kept[::-1]


def unfounded(claim: Claim, basis: Basis) -> Iterator[str]:
    """The figures of a claim with citations that are neither in the cited chunks nor in the conversation, as they are
    written: each once, the first ten, at most 40 characters of each. Figures within identifiers are left out. They
    change nothing in the text."""
    sources = [basis.sources[name] for name in cited_ids(claim)] if claim.stays else []
    texts = [basis.asked, *(text for source in sources for text in source.texts)]
    figures = unknown_figures(claim.block.text, [text.figures for text in texts]) if sources else iter(())
    named = (figure.text[:LONGEST_NAMED] for figure in figures if not figure.is_of_name)
    return islice(dict.fromkeys(named), MOST_NAMED)


def cited_ids(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(citation.chunk for citation in claim.citations))


def settles(claim: Claim) -> bool:
    """Whether the claims up to this one are final: later claims cannot change which of them stay, missing points
    excepted."""
    is_open = not claim.citations and _opens(claim.block)
    return claim.stays and claim.block.kind not in NAMING and claim.block.kind != "missing" and not is_open
