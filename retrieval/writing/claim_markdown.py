"""The Markdown of claims, one after the other. Claims of the kind `missing` are left out."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from retrieval.model.answer import ShownBlock
from retrieval.writing import ids
from retrieval.writing.blocks import FLOWING, NAMING, Kind
from retrieval.writing.claim_check import Claim, cited_ids
from retrieval.writing.grounds import Basis
from retrieval.writing.markdown import Before, Part, following, goes_on


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
        part = Part(
            kind=self._begun if self._begun and kind == "sentence" else kind,
            text=claim.block.text,
            sources=behind([claim], self._names),
            marks=ids.named(claim.block, self._names),
            brackets=brackets([claim], self._basis),
        )
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


def brackets(claims: Sequence[Claim], basis: Basis) -> Set[str]:
    """The square brackets that a text keeps: those of the chunks that it cites. A heading or a table's header, which
    cites none, keeps those of any chunk."""
    cited = [id for claim in claims for id in cited_ids(claim)]
    names_topic = claims[0].block.kind in NAMING
    return basis.brackets(claims[0].block.text, cited or (tuple(basis.sources) if names_topic else ()))


def behind(claims: Sequence[Claim], names: Mapping[str, str]) -> tuple[str, ...]:
    """The citations at the end of a text, for its claims. Citations within the text are left out."""
    within = claims[0].block.marks
    return tuple(
        names[citation.chunk] for claim in claims for citation in claim.citations if citation.chunk not in within
    )
