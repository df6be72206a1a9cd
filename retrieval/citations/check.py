"""What an answer may keep: blocks whose chunks are of this run and contain what the block quotes and links.

A block is one claim: it is kept or removed whole. Removals are reported; the blocks that are kept become Markdown.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.citations import founded, ids, sources
from retrieval.citations import quotations as found
from retrieval.citations.blocks import FLOWING, NAMING, TABULAR, Block, Kind
from retrieval.citations.grounds import Basis, basis
from retrieval.citations.markdown import Part, markdown
from retrieval.model.activity import By
from retrieval.model.answer import Citation, Missing, Removed, RemovedKind, Unfounded, Unquoted, Written
from retrieval.model.chunk import Chunk
from retrieval.text.languages.en import ENGLISH
from retrieval.text.languages.language import Language
from retrieval.text.languages.recognition import OPENERS

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
"""Content words that a heading may have without a source."""

MOST_UNQUOTED: Final = 20
"""Quotations of an answer that stand nowhere and are looked at again; the blocks of others go."""

MOST_MISSING: Final = 5
"""Sentences that say what is missing."""

INTRODUCING: Final = 2
"""Unknown words that are allowed beside a quotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A block, whether it is kept, what it then cites, and what is removed from it.

    `lost` is the number of its quotations that stand nowhere.
    """

    block: Block
    stays: bool = True
    citations: tuple[Citation, ...] = ()
    removed: tuple[Removed, ...] = ()
    unquoted: tuple[Unquoted, ...] = ()
    lost: int = 0
    unfounded: tuple[str, ...] = ()


def check(
    blocks: Sequence[Block],
    *,
    chunks: Sequence[Chunk],
    by: By,
    asked: str = "",
    over: Collection[str] = (),
    selected: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    language: Language = ENGLISH,
) -> Written:
    """The part of the answer that passes, citing chunks by `names` (None: numbers from 1); empty when nothing is left.

    A block is removed if it cites only unknown chunks, or has an address that no cited chunk has. Quoted words that
    stand in another chunk are cited from there; those that stand in none lose their marks where the cited chunks know
    them, else the block is removed. A block that quotes and cites nothing gets the citation. Another is kept
    if most of its words were retrieved or `asked`; one that says what is missing, if it names only what
    was asked or stands in a chunk: one that is `selected` or cited, where a judge selected any.
    Chunks in `over` were shown, but there is no room to cite them. Figures of a block that do not follow from what it
    cites are named behind it, in `language`.
    """
    on = basis(chunks, over=over, asked=asked)
    claims = _doubted(_standing(_admitted(_all_checked(ids.marked(blocks, on), on), on, selected)), on)
    shown = sorted(claims, key=lambda one: one.block.kind == "missing")
    citations = tuple(citation for one in shown for citation in one.citations)
    names = names or sources.names((on.sources[one.chunk].chunk for one in citations), "number")
    return Written(
        markdown=markdown(list(_parts(claims, names, language))),
        missing=tuple(_missing(claims, names, language)),
        citations=citations,
        removed=tuple(removed for one in claims for removed in one.removed),
        unquoted=tuple(unquoted for one in claims for unquoted in one.unquoted),
        unfounded=tuple(_unfounded(claims)),
        by=by,
    )


def _all_checked(blocks: Sequence[Block], basis: Basis) -> list[Claim]:
    """The claims by themselves. At most so many quotations that stand nowhere are looked at; blocks with more go."""
    claims: list[Claim] = []
    room = MOST_UNQUOTED
    for block in blocks:
        claims.append(_checked(block, basis, room=room))
        room -= claims[-1].lost
    return claims


def _checked(block: Block, basis: Basis, *, room: int) -> Claim:
    named = tuple(dict.fromkeys((*block.chunks, *(one.chunk for one in block.quotations))))
    known = tuple(name for name in named if name in basis.sources)
    unknown = tuple(
        _removed("citation", f"[{name}]", NO_ROOM if name in basis.over else NO_CHUNK)
        for name in named
        if name not in basis.sources
    )
    if not named and block.kind == "missing":
        return Claim(block=block)
    if named and not known:
        return _gone(block, unknown, NO_ROOM if any(name in basis.over for name in named) else NO_GROUND)
    quotations = found.quotations(block, known or (), basis)
    cited = found.moved(block, known, quotations)
    foreign = sorted(basis.foreign(block.text, cited))
    if foreign:
        return _gone(block, (*unknown, *(_removed("link", one, FOREIGN) for one in foreign)), LEADS_AWAY)
    lost = [one for one in quotations if one.places is None]
    kept = block if not lost else found.unquoted(block, lost, cited, basis) if len(lost) <= room else None
    if kept is None:
        reason = NOT_IN_CITED if known else NOT_IN_ANY
        return _gone(block, (*unknown, *(_removed("quotation", one.text, reason) for one in lost)), MISQUOTES, lost)
    if block.kind == "code" and not basis.knows(block.text):
        return _gone(block, unknown, UNTOLD_CODE)
    if not known and not _opens(block) and not _told(block, quotations, basis):
        return _gone(block, unknown, UNTOLD)
    without_marks = dict.fromkeys(one.text for one in lost if not one.code)
    return Claim(
        block=kept,
        citations=tuple(_citations(cited, quotations)),
        removed=unknown,
        unquoted=tuple(Unquoted(text=_line(text), chunks=cited) for text in without_marks),
        lost=len(lost),
    )


def _opens(block: Block) -> bool:
    """Whether it only opens what follows: "Yes.", "In short:"."""
    return not block.chunks and block.kind in OPENING and block.text.strip(_ENDS).casefold() in OPENERS


def _told(block: Block, quotations: Sequence[found.Quoted], basis: Basis) -> bool:
    """Whether a block that cites nothing may stay: a quotation supports only itself, not the words beside it."""
    standing = [one for one in quotations if one.places]
    starts, ends = [0, *(one.end for one in standing)], [*(one.start for one in standing), len(block.text)]
    beside = " ".join(block.text[start:end] for start, end in zip(starts, ends, strict=True))
    few, short = INTRODUCING if standing else 0, SHORT if block.kind in NAMING else 0
    return basis.knows(beside, few=few, short=short)


def _citations(known: Sequence[str], quotations: Sequence[found.Quoted]) -> Iterator[Citation]:
    """A citation for every chunk that is cited, or one for each place that is quoted from it."""
    places = list(dict.fromkeys(place for one in quotations for place in one.places or ()))
    for name in known or tuple(dict.fromkeys(place.chunk for place in places)):
        yield from [place for place in places if place.chunk == name] or [Citation(chunk=name)]


def _gone(block: Block, removed: Sequence[Removed], reason: str, lost: Sequence[found.Quoted] = ()) -> Claim:
    text = ids.restored(block)
    text = text.replace("\n", " | ") if block.kind in TABULAR else text
    return Claim(block=block, stays=False, removed=(*removed, _removed("sentence", text, reason)), lost=len(lost))


def _removed(kind: RemovedKind, text: str, reason: str) -> Removed:
    return Removed(kind=kind, text=_line(text), reason=reason)


def _line(text: str) -> str:
    """A part of an answer as records show it, on one line."""
    return " ".join(text.split())[:LONGEST_SHOWN]


def _admitted(claims: Sequence[Claim], basis: Basis, selected: Collection[str]) -> list[Claim]:
    """The claims, of which at most five say what is missing; those without a source name only what is known."""
    cited = (one.chunk for claim in claims for one in claim.citations)
    known = basis.known({*selected, *cited} if selected else ())
    kept: list[Claim] = []
    count = 0
    for one in claims:
        claim = one
        if one.stays and one.block.kind == "missing":
            count += 1
            if count > MOST_MISSING:
                claim = _gone(one.block, one.removed, ENOUGH)
            elif not one.citations and not known.admits(one.block.text):
                claim = _gone(one.block, one.removed, UNADMITTED)
        kept.append(claim)
    return kept


def _standing(claims: Sequence[Claim]) -> list[Claim]:
    """The claims, without headings that have nothing below them, table headers that have no row, and openers
    that no claim with a citation follows directly."""
    kept: list[Claim] = []
    filled, following, cited = False, "", False
    for one in reversed(claims):
        kind, claim = one.block.kind, one
        if one.stays and not cited and not one.citations and _opens(one.block):
            claim = _gone(one.block, one.removed, LEFT_ALONE)
        cited = claim.stays and bool(claim.citations)
        if one.stays and kind in NAMING and not (following == "row" if kind == "header" else filled):
            claim = _gone(one.block, one.removed, LEFT_ALONE)
        if claim.stays:
            filled, following = kind != "heading" and (filled or kind not in NAMING), kind
        kept.append(claim)
    return kept[::-1]


def _doubted(claims: Sequence[Claim], basis: Basis) -> list[Claim]:
    """The claims, with the figures that do not follow from what each cites."""
    doubted: list[Claim] = []
    room = founded.MOST_DERIVED
    for one in claims:
        cited = [basis.sources[name] for name in _cited(one)] if one.stays else []
        strangers = founded.strange(one.block.text, cited) if cited else ()
        doubted.append(replace(one, unfounded=founded.unfounded(strangers, cited, room=room)) if strangers else one)
        room -= len(strangers)
    return doubted


def _cited(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.chunk for one in claim.citations))


def _unfounded(claims: Sequence[Claim]) -> Iterator[Unfounded]:
    for one in claims:
        for figure in one.unfounded:
            yield Unfounded(figure=figure, text=_line(one.block.text), chunks=_cited(one))


def _parts(claims: Sequence[Claim], names: Mapping[str, str], language: Language) -> Iterator[Part]:
    """The parts to show, without what is missing.

    A sentence that continued a removed block becomes the beginning of that block's kind.
    """
    begun: Kind | None = None
    for one in claims:
        kind = one.block.kind
        if kind == "missing":
            begun = "paragraph"
            continue
        if not one.stays:
            begun = kind if kind in FLOWING else begun if kind == "sentence" else "paragraph"
            continue
        yield Part(
            kind=begun if begun and kind == "sentence" else kind,
            text=one.block.text,
            sources=_behind([one], names),
            marks=ids.named(one.block, names),
            note=_note(one, language),
        )
        begun = None


def _note(claim: Claim, language: Language) -> str:
    return language.frames.unfounded.format(figures="; ".join(claim.unfounded)) if claim.unfounded else ""


def _missing(claims: Sequence[Claim], names: Mapping[str, str], language: Language) -> Iterator[Missing]:
    """What is missing, each once; an address in it is shown and leads nowhere."""
    alike: dict[tuple[str, tuple[str, ...]], list[Claim]] = {}
    for one in claims:
        if one.stays and one.block.kind == "missing":
            alike.setdefault((one.block.text, one.block.marks), []).append(one)
    for (text, _), same in alike.items():
        part = Part(
            kind="missing",
            text=text,
            sources=_behind(same, names),
            marks=ids.named(same[0].block, names),
            links=any(one.citations for one in same),
            note=_note(same[0], language),
        )
        yield Missing(text=ids.without(text), markdown=markdown([part]))


def _behind(claims: Sequence[Claim], names: Mapping[str, str]) -> tuple[str, ...]:
    """What claims of one text cite behind it."""
    within = claims[0].block.marks
    return tuple(names[cited.chunk] for one in claims for cited in one.citations if cited.chunk not in within)
