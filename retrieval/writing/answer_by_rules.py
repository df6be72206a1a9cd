"""The answer without a writer: the best matches as passages, each below its label.

It makes no claims of its own. The sentence above the passages is in the language of the conversation. The passages are
in the languages of their documents. The text of a passage is rendered as blocks, as in a model's answer. Links become
their labels, and emphasis loses its asterisks. Other Markdown is escaped, except backticks around code.

The passage of a chunk is its whole text, or the blocks around the part that is nearest to the question. If blocks that
belong together are too long, only some of their sentences, items or rows may be shown. A line that introduces a block,
or asks what it answers, is never shown without that block. A row is never shown without its header, and code is never
shown in fragments.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from math import fsum
from typing import Final, NamedTuple

from retrieval.model.activity import StepActivity
from retrieval.model.answer import Citation, Written
from retrieval.model.retrieval import Chunk, RetrievalRequest
from retrieval.text import layout, source_labels
from retrieval.text.content_words import of_question, vocabulary
from retrieval.text.languages.language import CODES, language_of_conversation
from retrieval.text.layout import LayoutBlock
from retrieval.text.links import as_rendered, plain
from retrieval.text.sentences import sentences
from retrieval.text.user_message import conversation_without_courtesies, standalone
from retrieval.writing.answer_blocks import Kind
from retrieval.writing.markdown import Part, citation_names, label, markdown, source_lines

LONGEST: Final = 1_000
"""The most characters of a passage, without its `lead`, the headers of tables and the blanks between blocks. A block
that cannot be divided is shown whole, even if it is longer."""

MOST_UNITS: Final = 200
"""The most units of a text that are compared with the question. Usual texts have fewer than a hundred."""


class Unit(NamedTuple):
    """Blocks of a text that are shown together or not at all.

    `lead` has the blocks that introduce the unit. They are shown too where the passage begins with this unit.
    """

    blocks: Sequence[LayoutBlock]
    lead: Sequence[LayoutBlock] = ()

    @property
    def size(self) -> int:
        return sum(block.end - block.start for block in self.blocks)


class Passage(NamedTuple):
    """The shown part of a text: its `blocks`. `lead` has the blocks from elsewhere in the text that introduce them, and
    is shown first."""

    blocks: Sequence[LayoutBlock]
    lead: Sequence[LayoutBlock]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The spans of the introducing blocks, and last the span of the passage itself."""
        first = self.blocks[0]
        start = first.header[0] if first.of == first.start and first.header[1] else first.start
        return [*((block.start, block.end) for block in self.lead), (start, self.blocks[-1].end)]


def best_passage(text: str, asked: Mapping[str, float]) -> Passage | None:
    """The passage of a text for the words of a question with their weights; None where the text has no unit. The
    passage is at first only the unit that is nearest to the question, and then grows by the units before and after it.
    """
    units = list(islice(_units(text), MOST_UNITS))
    if not units:
        return None
    several = len(units) > 1
    start = end = max(range(len(units)), key=lambda place: _nearness(text, units[place], asked)) if several else 0
    left = LONGEST - units[start].size
    grown = True
    while grown:
        grown = False
        for place in (end + 1, start - 1):
            if 0 <= place < len(units) and units[place].size <= left:
                start, end, left, grown = min(start, place), max(end, place), left - units[place].size, True
    first, lead = units[start].blocks, units[start].lead
    blocks = [block for unit in units[start : end + 1] for block in unit.blocks]
    return Passage(layout.joined(blocks) if len(blocks) > 1 else blocks, () if first[: len(lead)] == lead else lead)


def _nearness(text: str, unit: Unit, asked: Mapping[str, float]) -> float:
    """The largest weight of a sentence of the unit: the sum of the weights of the question's words in it."""
    texts = [text[block.start : block.end] for block in unit.blocks]
    words = [asked.keys() & vocabulary(part[span.start : span.end]) for part in texts for span in sentences(part)]
    return max([fsum(asked[word] for word in found) for found in words], default=0)


def _units(text: str) -> Iterator[Unit]:
    """The units of a text. A unit includes the blocks that introduce it. A unit that is too long is divided."""
    blocks: list[LayoutBlock] = []
    for block in layout.blocks(text):
        blocks.append(block)
        if not layout.introduces(text, block):
            whole = Unit(blocks)
            yield from [whole] if whole.size <= LONGEST else _divided(text, blocks)
            blocks = []
    yield from _divided(text, blocks)


def _divided(text: str, blocks: Sequence[LayoutBlock]) -> Iterator[Unit]:
    """The parts of blocks. An introduction is with the first part after it; one at the end is left out, unless it is a
    question. Questions that are too long together are divided."""
    introducing: list[LayoutBlock] = []
    for block in blocks:
        lead = list(introducing)
        for part in layout.parts(text, block):
            introducing.append(part)
            is_full = layout.asks(text, part) and part.end - introducing[0].start > LONGEST
            if is_full or not layout.introduces(text, part):
                yield Unit(introducing, lead)
                introducing = []
    if introducing and layout.asks(text, introducing[-1]):
        yield Unit(introducing)


MOST: Final = 3
LONGEST_REASON: Final = 200
OMITTED: Final = "…"
CITED_NOTHING: Final = "Its answer cited nothing."
SKIPPED: Final = {
    "runtime": "There was no time left for it.",
    "tokens": "The budget of tokens was used up.",
    "not needed": "It was not asked.",
}


def answer(
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    failed: str = "",
    any_found: bool = False,
    any_failed: bool = False,
    languages: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Written:
    """At most three passages, each from a different chunk. `names` has the text by which each chunk is cited; None
    means its label or its number, as `request.cited_by` says.

    `failed` says why no answer of a model is used; it is empty where there is no model. `any_found` says that the
    searches found documents, even if all of them were dropped. `any_failed` says that a search failed.
    `languages` are the codes of the documents' languages, if the question is in another language: a line names them.
    """
    frames = language_of_conversation(request.messages).frames
    named = ", ".join(name for code, name in zip(CODES, frames.languages.split(), strict=True) if code in languages)
    other = frames.other_language.format(languages=named) if named else ""
    shown = _passages(request, chunks)
    if not shown:
        nothing = frames.unsearched if any_failed else frames.nothing
        said = frames.left_out if any_found or chunks else nothing
        return Written(markdown="\n\n".join(filter(None, (said, other))), by="rules")
    opening = frames.failed.format(why=plain(failed, longest=LONGEST_REASON).rstrip(".")) if failed else frames.unread
    best = [chunk for chunk, _ in shown]
    names = names or citation_names(best, request.cited_by)
    if request.cited_by == "number":
        heads = source_lines([(names[chunk.id], chunk.source) for chunk in best])
    else:
        heads = [f"[{label(names[chunk.id])}]" for chunk in best]
    texts = [f"{head}\n\n{_quoted(chunk, passage)}" for head, (chunk, passage) in zip(heads, shown, strict=True)]
    citations = tuple(
        Citation(chunk=chunk.id, quote=chunk.text[start:end], start=start, end=end)
        for chunk, passage in shown
        for start, end in passage.spans
    )
    return Written(markdown="\n\n".join(filter(None, (other, opening, *texts))), citations=citations, by="rules")


def why(last: StepActivity | None) -> str:
    """The reason why no model wrote the answer, from the last record of the writer's step. It is empty if there is no
    record."""
    if last is None:
        return ""
    if last.error is not None:
        return str(last.error)
    return CITED_NOTHING if last.skipped is None else SKIPPED[last.skipped]


def _passages(request: RetrievalRequest, chunks: Sequence[Chunk]) -> list[tuple[Chunk, Passage]]:
    """The passages of the best chunks. A word of the question weighs the less the more chunks have it."""
    question = of_question(standalone(conversation_without_courtesies(request.messages)))
    vocabularies = map(vocabulary, [chunk.text for chunk in chunks])
    counts = Counter(chain.from_iterable(map(question.intersection, vocabularies)))
    weights = {word: 1 / count for word, count in counts.items()}
    passages = ((chunk, best_passage(chunk.text, weights)) for chunk in chunks)
    return list(islice(((chunk, passage) for chunk, passage in passages if passage is not None), MOST))


def _quoted(chunk: Chunk, passage: Passage) -> str:
    """The passage as a quotation in Markdown. "…" stands wherever a part of the document is left out."""
    text, parts, at = chunk.text, list[Part](), 0
    for block in (*passage.lead, *passage.blocks):
        parts += _with_omissions(text, block, after=at)
        at = block.end
    rest = text[at:]
    if parts[-1].kind == "row" and "|" in rest.partition("\n")[2].partition("\n")[0]:
        parts.append(_omitted_rows(parts[-1]))
    elif _has_words(rest) or _is_cut(chunk):
        parts.append(_OMISSION)
    return "\n".join(f"> {line}".rstrip() for line in markdown(parts).split("\n"))


def _with_omissions(text: str, block: LayoutBlock, *, after: int) -> Iterator[Part]:
    """A block as parts of Markdown, with "…" before it and below the header of a table where a part of the text since
    `after` is left out."""
    header, header_end = block.header if block.header[1] else (block.start, block.start)
    if _has_words(text[after:header]):
        yield _OMISSION
    for place, part in enumerate(_parts(text, block)):
        yield part
        if not place and _has_words(text[header_end : block.start]):
            yield _omitted_rows(part)


def _omitted_rows(row: Part) -> Part:
    """A row of a table in the place of rows that are left out."""
    return _part("row", OMITTED + "\n" * row.text.count("\n"))


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_cut(chunk: Chunk) -> bool:
    """Whether the document has more text than the chunk."""
    whole = source_labels.passage(chunk.reference.hit)[: 2 * len(chunk.text)]
    return len(source_labels.visible(whole).rstrip()) > len(chunk.text.rstrip())


def _parts(text: str, block: LayoutBlock) -> Iterator[Part]:
    """A block as parts of Markdown. Addresses do not become links."""
    match block.kind:
        case "code":
            yield _part("code", layout.code(text, block))
        case "table":
            header, *rows = layout.rows(text, block)
            yield _part("header", "\n".join(map(as_rendered, header)))
            yield from (_part("row", "\n".join(map(as_rendered, row))) for row in rows)
        case "list":
            yield from (_part("bullet", as_rendered(item)) for item in layout.items(text, block))
        case "heading":
            yield _part("heading", " ".join(as_rendered(text[block.start : block.end].strip("# \t")).split()))
        case "paragraph" if members := layout.members(text, block):
            yield from (_part("bullet", as_rendered(member)) for member in members)
        case "paragraph":
            yield _part("paragraph", " ".join(as_rendered(text[block.start : block.end]).split()))


def _part(kind: Kind, text: str) -> Part:
    return Part(kind=kind, text=text, links=False)


_OMISSION: Final = _part("paragraph", OMITTED)
