"""The part of an answer that passes the check: its Markdown, its citations, and the list of the removed parts.

`claim_check` decides which blocks are kept.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from retrieval.model.activity import By
from retrieval.model.answer import Missing, Unfounded, Written
from retrieval.writing import ids, sources
from retrieval.writing.blocks import Block
from retrieval.writing.claim_check import Claim, Claims, cited_ids, line, unfounded
from retrieval.writing.claim_markdown import Drawing, behind, brackets
from retrieval.writing.grounds import Basis
from retrieval.writing.markdown import Part, markdown


def claims_of(blocks: Sequence[Block], basis: Basis) -> Claims:
    """The claims of all blocks."""
    claims = Claims(basis)
    for block in blocks:
        claims.add(block)
    return claims


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
    names = names or sources.names((checked.basis.sources[citation.chunk].chunk for citation in citations), "number")
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
        unfounded=tuple(_unfounded(claims, checked.basis)),
        by=by,
    )


def _unfounded(claims: Sequence[Claim], basis: Basis) -> Iterator[Unfounded]:
    for claim in claims:
        for figure in unfounded(claim, basis):
            yield Unfounded(figure=figure, text=line(claim.block.text), chunks=cited_ids(claim))


def _missing(claims: Sequence[Claim], names: Mapping[str, str], basis: Basis) -> Iterator[Missing]:
    """The missing points, each once. An address in a point is a link only if the point has a citation."""
    alike: dict[tuple[str, tuple[str, ...]], list[Claim]] = {}
    for claim in claims:
        if claim.stays and claim.block.kind == "missing":
            alike.setdefault((claim.block.text, claim.block.marks), []).append(claim)
    for (text, _), same_claims in alike.items():
        part = Part(
            kind="missing",
            text=text,
            sources=behind(same_claims, names),
            marks=ids.named(same_claims[0].block, names),
            brackets=brackets(same_claims, basis),
            links=any(claim.citations for claim in same_claims),
        )
        yield Missing(text=ids.without(text), markdown=markdown([part]))
