"""What an answer may keep: blocks whose chunks are of this run and contain what the block quotes and links.

A block is one claim: it is kept or removed whole. Removals are reported; the blocks that are kept become Markdown.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.citations import figures, ids, sources
from retrieval.citations import quotations as found
from retrieval.citations.blocks import FLOWING, NAMING, TABULAR, Block, Kind
from retrieval.citations.grounds import Basis, basis
from retrieval.citations.markdown import Part, markdown
from retrieval.model.activity import By
from retrieval.model.answer import Chunk, Citation, Missing, Removed, RemovedKind, Unfounded, Unquoted, Written
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
    claims = _doubt(_standing(_admit(_check_all(ids.marked(blocks, on), on), on, selected)), on)
    ordered = sorted(claims, key=lambda claim: claim.block.kind == "missing")
    citations = tuple(citation for claim in ordered for citation in claim.citations)
    names = names or sources.names((on.sources[citation.chunk].chunk for citation in citations), "number")
    return Written(
        markdown=markdown(list(_parts(claims, names, language))),
        missing=tuple(_missing(claims, names, language)),
        citations=citations,
        removed=tuple(removal for claim in claims for removal in claim.removed),
        unquoted=tuple(words for claim in claims for words in claim.unquoted),
        unfounded=tuple(_unfounded(claims)),
        by=by,
    )


def _check_all(blocks: Sequence[Block], basis: Basis) -> list[Claim]:
    """The claims by themselves. At most so many quotations that stand nowhere are looked at; blocks with more go."""
    claims: list[Claim] = []
    room = MOST_UNQUOTED
    for block in blocks:
        claims.append(_check(block, basis, room=room))
        room -= claims[-1].lost
    return claims


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
        return _removed_claim(
            block, unknown, NO_ROOM if any(name in basis.over for name in names_of_block) else NO_GROUND
        )
    quotations = found.quotations(block, known_names or (), basis)
    cited_names = found.moved(block, known_names, quotations)
    foreign = sorted(basis.foreign(block.text, cited_names))
    if foreign:
        return _removed_claim(block, (*unknown, *(_removal("link", link, FOREIGN) for link in foreign)), LEADS_AWAY)
    lost_quotations = [quotation for quotation in quotations if quotation.places is None]
    kept_block = (
        block
        if not lost_quotations
        else found.unquoted(block, lost_quotations, cited_names, basis)
        if len(lost_quotations) <= room
        else None
    )
    if kept_block is None:
        reason = NOT_IN_CITED if known_names else NOT_IN_ANY
        return _removed_claim(
            block,
            (*unknown, *(_removal("quotation", quotation.text, reason) for quotation in lost_quotations)),
            MISQUOTES,
            lost_quotations,
        )
    if block.kind == "code" and not basis.knows(block.text):
        return _removed_claim(block, unknown, UNTOLD_CODE)
    if not known_names and not _opens(block) and not _told(block, quotations, basis):
        return _removed_claim(block, unknown, UNTOLD)
    without_marks = dict.fromkeys(quotation.text for quotation in lost_quotations if not quotation.code)
    return Claim(
        block=kept_block,
        citations=tuple(_citations(cited_names, quotations)),
        removed=unknown,
        unquoted=tuple(Unquoted(text=_line(text), chunks=cited_names) for text in without_marks),
        lost=len(lost_quotations),
    )


def _opens(block: Block) -> bool:
    """Whether it only opens what follows: "Yes.", "In short:"."""
    return not block.chunks and block.kind in OPENING and block.text.strip(_ENDS).casefold() in OPENERS


def _told(block: Block, quotations: Sequence[found.Quoted], basis: Basis) -> bool:
    """Whether a block that cites nothing may stay: a quotation supports only itself, not the words beside it."""
    standing_quotations = [quotation for quotation in quotations if quotation.places]
    starts, ends = (
        [0, *(quotation.end for quotation in standing_quotations)],
        [*(quotation.start for quotation in standing_quotations), len(block.text)],
    )
    text_beside = " ".join(block.text[start:end] for start, end in zip(starts, ends, strict=True))
    few, short = INTRODUCING if standing_quotations else 0, SHORT if block.kind in NAMING else 0
    return basis.knows(text_beside, few=few, short=short)


def _citations(names_known: Sequence[str], quotations: Sequence[found.Quoted]) -> Iterator[Citation]:
    """A citation for every chunk that is cited, or one for each place that is quoted from it."""
    places = list(dict.fromkeys(place for quotation in quotations for place in quotation.places or ()))
    for name in names_known or tuple(dict.fromkeys(place.chunk for place in places)):
        yield from [place for place in places if place.chunk == name] or [Citation(chunk=name)]


def _removed_claim(
    block: Block, removed: Sequence[Removed], reason: str, lost_quotations: Sequence[found.Quoted] = ()
) -> Claim:
    text = ids.restored(block)
    text = text.replace("\n", " | ") if block.kind in TABULAR else text
    return Claim(
        block=block, stays=False, removed=(*removed, _removal("sentence", text, reason)), lost=len(lost_quotations)
    )


def _removal(kind: RemovedKind, text: str, reason: str) -> Removed:
    return Removed(kind=kind, text=_line(text), reason=reason)


def _line(text: str) -> str:
    """A part of an answer as records show it, on one line."""
    return " ".join(text.split())[:LONGEST_SHOWN]


def _admit(claims: Sequence[Claim], basis: Basis, selected: Collection[str]) -> list[Claim]:
    """The claims, of which at most five say what is missing; those without a source name only what is known."""
    cited_ids = (citation.chunk for claim in claims for citation in claim.citations)
    known_facts = basis.known({*selected, *cited_ids} if selected else ())
    claims_kept: list[Claim] = []
    count = 0
    for original in claims:
        claim = original
        if original.stays and original.block.kind == "missing":
            count += 1
            if count > MOST_MISSING:
                claim = _removed_claim(original.block, original.removed, ENOUGH)
            elif not original.citations and not known_facts.admits(original.block.text):
                claim = _removed_claim(original.block, original.removed, UNADMITTED)
        claims_kept.append(claim)
    return claims_kept


def _standing(claims: Sequence[Claim]) -> list[Claim]:
    """The claims, without headings that have nothing below them, table headers that have no row, and openers
    that no claim with a citation follows directly."""
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


def _doubt(claims: Sequence[Claim], basis: Basis) -> list[Claim]:
    """The claims, with the figures that do not follow from what each cites."""
    result: list[Claim] = []
    room = figures.MOST_DERIVED
    for claim in claims:
        sources = [basis.sources[name] for name in _cited_ids(claim)] if claim.stays else []
        strangers = figures.strange(claim.block.text, sources) if sources else ()
        result.append(
            replace(claim, unfounded=figures.unfounded(strangers, sources, room=room)) if strangers else claim
        )
        room -= len(strangers)
    return result


def _cited_ids(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(citation.chunk for citation in claim.citations))


def _unfounded(claims: Sequence[Claim]) -> Iterator[Unfounded]:
    for claim in claims:
        for figure in claim.unfounded:
            yield Unfounded(figure=figure, text=_line(claim.block.text), chunks=_cited_ids(claim))


def _parts(claims: Sequence[Claim], names: Mapping[str, str], language: Language) -> Iterator[Part]:
    """The parts to show, without what is missing.

    A sentence that continued a removed block becomes the beginning of that block's kind.
    """
    begun: Kind | None = None
    for claim in claims:
        kind = claim.block.kind
        if kind == "missing":
            begun = "paragraph"
            continue
        if not claim.stays:
            begun = kind if kind in FLOWING else begun if kind == "sentence" else "paragraph"
            continue
        yield Part(
            kind=begun if begun and kind == "sentence" else kind,
            text=claim.block.text,
            sources=_behind([claim], names),
            marks=ids.named(claim.block, names),
            note=_note(claim, language),
        )
        begun = None


def _note(claim: Claim, language: Language) -> str:
    return language.frames.unfounded.format(figures="; ".join(claim.unfounded)) if claim.unfounded else ""


def _missing(claims: Sequence[Claim], names: Mapping[str, str], language: Language) -> Iterator[Missing]:
    """What is missing, each once; an address in it is shown and leads nowhere."""
    alike: dict[tuple[str, tuple[str, ...]], list[Claim]] = {}
    for claim in claims:
        if claim.stays and claim.block.kind == "missing":
            alike.setdefault((claim.block.text, claim.block.marks), []).append(claim)
    for (text, _), same_claims in alike.items():
        part = Part(
            kind="missing",
            text=text,
            sources=_behind(same_claims, names),
            marks=ids.named(same_claims[0].block, names),
            links=any(claim.citations for claim in same_claims),
            note=_note(same_claims[0], language),
        )
        yield Missing(text=ids.without(text), markdown=markdown([part]))


def _behind(claims: Sequence[Claim], names: Mapping[str, str]) -> tuple[str, ...]:
    """What claims of one text cite behind it."""
    within = claims[0].block.marks
    return tuple(
        names[citation.chunk] for claim in claims for citation in claim.citations if citation.chunk not in within
    )
