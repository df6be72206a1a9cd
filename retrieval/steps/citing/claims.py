"""Claims: the sentences, items and rows of an answer, each with the citations and quotations that it rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.answer import Citation, Removed
from retrieval.steps.citing.basis import Basis
from retrieval.steps.citing.markdown import Block
from retrieval.steps.citing.pieces import Piece, divided, plain
from retrieval.steps.citing.quotations import quoted
from retrieval.steps.citing.statements import CITATION, HIDDEN, OTHER, Span, statements
from retrieval.steps.citing.written import removed

NO_CHUNK: Final = "No chunk of this run has that id."
NO_CITATION: Final = "It names no chunk of this run."
NO_ROOM: Final = "More chunks were cited than may be selected."
NO_GROUND: Final = "It rests on nothing that was retrieved."
NOT_IN_CITED: Final = "It does not stand in a chunk that is cited with it."
NOT_IN_ANY: Final = "It stands in no chunk of this run."
UNTOLD: Final = "It cites nothing, and most of its words or a figure stand nowhere in what was retrieved or asked."
MISQUOTES: Final = "It quotes what does not stand there."

_WHOLE: Final = frozenset({"row", "header", "heading"})
"""The blocks that stay or go as one."""

_NAMING: Final = frozenset({"header", "heading"})
"""The blocks that say nothing, but what others are about."""

SHORT: Final = 3
"""Telling words that a heading may have whatever they are."""

INTRODUCING: Final = 2
"""Unknown words that may stand beside what is quoted."""

_MARKS: Final = str.maketrans("", "", CITATION + OTHER)
_STOPS: Final = frozenset(".!?。！？…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A part of a block. `pieces` is empty for one that does not stay."""

    pieces: tuple[Piece, ...] = ()
    citations: tuple[Citation, ...] = ()
    removed: tuple[Removed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words within quotation marks, and the places of chunks where they stand.

    In the claim the words have their `start`, and the marks their `end`. `places` None means
    nowhere; they are empty for words of a label, and for nothing but punctuation.
    """

    text: str
    start: int
    end: int
    places: tuple[Citation, ...] | None


def claims(block: Block, parts: Sequence[Piece], basis: Basis) -> tuple[Claim, ...]:
    """The claims of a block that has these pieces, in order."""
    stands = "".join(one.stands for one in parts)
    quotations = quoted(stands)
    whole = block.kind in _WHOLE
    spans = (Span(0, len(stands)),) if whole and stands else statements(_without(stands, quotations))
    sections = divided(parts, [span.end for span in spans])
    waiting = list(quotations)[::-1]
    short = SHORT if block.kind in _NAMING else 0
    found: list[Claim] = []
    for span, section in zip(spans, sections, strict=True):
        within: list[tuple[int, int]] = []
        while waiting and waiting[-1][0] < span.end:
            start, end = waiting.pop()
            within.append((start - span.start, end - span.start))
        found.append(_claim(section, within, basis, short=short))
    return tuple(found)


def _without(text: str, quotations: Sequence[tuple[int, int]]) -> str:
    """The text with quotations hidden, but for a full stop at their end where the sentence may end with it."""
    kept: list[str] = []
    at = 0
    for start, end in quotations:
        stops = text[end - 1] in _STOPS and (text[end + 1 : end + 2] in ("", CITATION) or text[end + 1].isspace())
        kept += [text[at:start], HIDDEN * (end - start - stops), text[end - stops : end]]
        at = end
    return "".join([*kept, text[at:]])


def _claim(parts: Sequence[Piece], within: Sequence[tuple[int, int]], basis: Basis, *, short: int) -> Claim:
    named = [name for one in parts for name in one.ids]
    known = tuple(dict.fromkeys(name for name in named if name in basis.sources))
    unknown = tuple(_not_cited(parts, basis))
    if named and not known:
        reason = NO_ROOM if any(name in basis.over for name in named) else NO_GROUND
        return Claim(removed=(*unknown, *_gone(parts, reason)))
    seen = "".join(one.seen for one in parts)
    quotations = [_quotation(seen, span, known or tuple(basis.sources), basis) for span in within]
    missing = [one for one in quotations if one.places is None]
    if missing:
        reason = NOT_IN_CITED if known else NOT_IN_ANY
        misquoted = (removed("quotation", one.text, reason=reason) for one in missing)
        return Claim(removed=(*unknown, *misquoted, *_gone(parts, MISQUOTES)))
    if not known and not _told(seen, quotations, basis, short=short):
        return Claim(removed=(*unknown, *_gone(parts, UNTOLD)))
    pieces = tuple(parts) if known else _attributed(parts, quotations)
    return Claim(pieces=pieces, citations=tuple(_citations(pieces, quotations, basis)), removed=unknown)


def _told(seen: str, quotations: Sequence[Quotation], basis: Basis, *, short: int) -> bool:
    """Whether a claim that cites nothing may stay: a quotation stands for itself alone, not for what is beside it."""
    standing = [one for one in quotations if one.places]
    starts, ends = [0, *(one.end for one in standing)], [*(one.start for one in standing), len(seen)]
    beside = " ".join(seen[start:end] for start, end in zip(starts, ends, strict=True))
    text = beside.translate(_MARKS)
    return basis.knows(text, few=INTRODUCING if standing else 0, short=short) or basis.excuses(text)


def _not_cited(parts: Sequence[Piece], basis: Basis) -> Iterator[Removed]:
    for one in parts:
        if one.kind == "citation" and not one.ids:
            yield removed("citation", one.source, reason=NO_CITATION)
        for name in one.ids:
            if name not in basis.sources:
                yield removed("citation", f"[{name}]", reason=NO_ROOM if name in basis.over else NO_CHUNK)


def _gone(parts: Sequence[Piece], reason: str) -> Iterator[Removed]:
    """A claim that says something."""
    if any(character.isalnum() for one in parts for character in one.seen):
        yield removed("sentence", "".join(one.source for one in parts), reason=reason)


def _quotation(seen: str, span: tuple[int, int], pool: Sequence[str], basis: Basis) -> Quotation:
    text = seen[slice(*span)].translate(_MARKS)
    found = [(basis.sources[name].chunk, basis.sources[name].places(text)) for name in pool]
    places: tuple[Citation, ...] | None = () if any(one is not None for _, one in found) else None
    chunk, held = next(((chunk, one) for chunk, one in found if one), (None, ()))
    if chunk is not None:
        places = tuple(
            Citation(chunk=chunk.id, quote=chunk.text[start:end], start=start, end=end) for start, end in held
        )
    return Quotation(text=text, start=span[0], end=span[1] + 1, places=places)


def _attributed(parts: Sequence[Piece], quotations: Sequence[Quotation]) -> tuple[Piece, ...]:
    """A claim that cites nothing, with a citation after each of its quotations."""
    end = sum(len(one.seen) for one in parts)
    sections = divided(parts, [*(one.end for one in quotations), end])
    pieces: list[Piece] = []
    for section, quotation in zip(sections, (*quotations, None), strict=False):
        pieces += section
        if quotation is not None and quotation.places:
            cited = Piece(
                kind="citation", text="", source="", seen=CITATION, stands=CITATION, ids=(quotation.places[0].chunk,)
            )
            pieces += [plain(" "), cited]
    return tuple(pieces)


def _citations(parts: Sequence[Piece], quotations: Sequence[Quotation], basis: Basis) -> Iterator[Citation]:
    """A citation for every place that cites; the first of a chunk is for what is quoted from it."""
    quotes: dict[str, list[Citation]] = {}
    for place in (place for one in quotations for place in one.places or ()):
        quotes.setdefault(place.chunk, []).append(place)
    for name in (name for one in parts for name in dict.fromkeys(one.ids) if name in basis.sources):
        yield from quotes.pop(name, [Citation(chunk=name)])
