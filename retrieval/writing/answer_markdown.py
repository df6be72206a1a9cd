"""The part of an answer that passes the check: its Markdown, its citations, and the list of the removed parts.

`citation_check` decides which blocks are kept. Claims of the kind `missing` are left out of the Markdown.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from retrieval.model.activity import By
from retrieval.model.answer import Missing, ShownBlock, Unfounded, Written
from retrieval.writing.answer_blocks import FLOWING, NAMING, Kind
from retrieval.writing.citation_check import Claim, Claims, cited_ids, line, unfounded
from retrieval.writing.claim_support import Basis
from retrieval.writing.markdown import Before, Part, citation_names, following, goes_on, markdown


def written(
    checked: Claims,
    *,
    by: By,
    selected: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    first: int = 0,
) -> Written:
    """The part of the answer that passes, from its checked claims; it is empty when no block passes.

    It cites chunks by `names`, or by numbers from 1 if `names` is None. `first` is the place of its first block.
    """
    claims = checked.admitted(selected)
    ordered = sorted(claims, key=lambda claim: claim.block.kind == "missing")
    citations = tuple(citation for claim in ordered for citation in claim.citations)
    names = names or citation_names((checked.basis.sources[citation.chunk].chunk for citation in citations), "number")
    drawing = Drawing(names, checked.basis)
    blocks = {
        block.place: block for place, claim in enumerate(claims, start=first) for block in drawing.add(claim, place)
    }
    return Written(
        markdown="".join(block.markdown for block in blocks.values()),
        blocks=tuple(blocks.values()),
        missing=tuple(_missing(claims, names, checked.basis)),
        citations=citations,
        removed=tuple(removal for claim in claims for removal in claim.removed),
        unquoted=tuple(words for claim in claims for words in claim.unquoted),
        unfounded=tuple(
            Unfounded(figure=figure, text=line(claim.block.text), chunks=cited_ids(claim))
            for claim in claims
            for figure in unfounded(claim, checked.basis)
        ),
        by=by,
    )


def _missing(claims: Sequence[Claim], names: Mapping[str, str], basis: Basis) -> Iterator[Missing]:
    """The missing points, each once. An address in a point is a link only if the point has a citation."""
    alike: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.stays and claim.block.kind == "missing":
            alike.setdefault(claim.block.text, []).append(claim)
    for text, same_claims in alike.items():
        part = _part(same_claims, names, basis, kind="missing", links=any(claim.citations for claim in same_claims))
        yield Missing(text=text, markdown=markdown([part]))


class Drawing:
    """Makes Markdown blocks from claims. `names` are the texts by which chunks are cited, by the ids of the chunks.
    Names may be added as claims come."""

    def __init__(self, names: Mapping[str, str], basis: Basis) -> None:
        self._names = names
        self._basis = basis
        self._begun: Kind | None = None
        self._before = Before()
        self._last: tuple[Part, ShownBlock, Before] | None = None

    def add(self, claim: Claim, place: int) -> tuple[ShownBlock, ...]:
        """The block of a claim that stays and is not a missing point. Where the claim continues the last block with the
        same citations, the last block is returned again first, without its citations. A sentence takes the kind of the
        removed bullet, step or paragraph before it.
        """
        kind = claim.block.kind
        if kind == "missing":
            self._begun = "paragraph"
            return ()
        if not claim.stays:
            self._begun = kind if kind in FLOWING else self._begun if kind == "sentence" else "paragraph"
            return ()
        shown_kind = self._begun if self._begun and kind == "sentence" else kind
        part = _part([claim], self._names, self._basis, kind=shown_kind)
        self._begun = None
        again = self._again(part)
        block = ShownBlock(kind=part.kind, markdown="", citations=claim.citations, place=place)
        return (*again, self._drawn(part, block))

    def _again(self, part: Part) -> tuple[ShownBlock, ...]:
        """The last block without its citations, if this part continues it."""
        if self._last is None or not self._last[0].sources or not goes_on(self._last[0], part):
            return ()
        last, block, self._before = self._last
        return (self._drawn(replace(last, sources=()), block),)

    def _drawn(self, part: Part, block: ShownBlock) -> ShownBlock:
        before = self._before
        text, self._before = following(part, before)
        self._last = (part, replace(block, markdown=text), before)
        return self._last[1]


def _part(claims: Sequence[Claim], names: Mapping[str, str], basis: Basis, *, kind: Kind, links: bool = True) -> Part:
    """The block of claims with the same text. It keeps the square brackets of the chunks that it cites. A heading or a
    table's header, which cites none, keeps those of any chunk."""
    block, citations = claims[0].block, [citation for claim in claims for citation in claim.citations]
    cited = {citation.chunk: names[citation.chunk] for citation in citations}
    kept = basis.brackets(block.text, tuple(cited) or (tuple(basis.sources) if block.kind in NAMING else ()))
    return Part(kind=kind, text=block.text, sources=tuple(cited.values()), brackets=kept, links=links)
