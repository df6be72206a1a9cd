"""Markdown made of blocks. A renderer shows their text literally, without images and HTML. Only addresses become links.

In a text, every sign with a meaning in Markdown is escaped. In a label, only backslashes, backticks, `<`, and bars in a
row are. Square brackets are for citations. Those of a text become round, except in code; those that a cited chunk has
are escaped. A link is an address in angle brackets, which make its end certain. Other text that a renderer could take
for an address (such as `readme.md`) is written as code, where no renderer looks for addresses. The only Markdown that a
text may have is backticks around code.

What stands around a model's answer: the texts by which it cites its sources, the list of sources below it, and, in
the language of the conversation, the line that says that it breaks off, the missing points and a judge's questions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from retrieval.model.answer import Evidence, Written
from retrieval.model.conversation import Message
from retrieval.model.retrieval import Chunk, CitedBy, RetrievalRequest
from retrieval.text import brackets
from retrieval.text.languages.language import language_of_conversation
from retrieval.text.links import FILES, address_places, may_be_linked, plain, trimmed
from retrieval.text.source_labels import in_list
from retrieval.writing.answer_blocks import FLOWING, Kind

_WORD: Final = re.compile(r"[^\s`<>\[\]\\*~|(){}\"“”„«»‘’「」『』【】，。；：！？、（）]++")
_GUESSED: Final = re.compile(r"(?:\A|[^.])\.[^\W\d_]{2}|//|@|www\.|(?:[0-9]{1,3}\.){3}[0-9]", re.IGNORECASE)
"""The signs of a word that a renderer may take for an address."""

_FILE: Final = re.compile(
    r"(?!www\.)(?:(?:[\w-]++/)++[\w.-]++"
    rf"|[\w.-]+\.(?:{FILES}))",
    re.IGNORECASE,
)
"""Names that no renderer takes for an address: a path whose folders have no dot, or a file whose ending is not a
domain's."""

_SECTION: Final = re.compile(r"(?:[^\W\d_]\.)?[0-9]{1,3}(?:\.[0-9]{1,3}){3,}")
"""The number of a section, which in a label is no address."""

_SIGNS: Final = r"[\\`*~]|&(?=#?\w{1,32};)|(?<![^\W_])_|_(?![^\W_])"
_ACTIVE: Final = re.compile(rf"<|{_SIGNS}")
"""Signs that have a meaning in Markdown anywhere; an underscore within a word has none."""

_ROUND: Final = str.maketrans("[]［］", "()（）")
_START: Final = re.compile(r"(?:#{1,6}|[-+])(?=[\s-]|$)|>|[0-9]{1,9}(?=[.)](?:\s|$))")
"""The signs that begin a block at the start of a line. A number begins a block together with the sign after it."""

_STOPS: Final = re.compile(r"(?<=[^\s.!?。！？])[.!?。！？]++$")
_TICKS: Final = re.compile(r"`++")
_UNSAFE: Final = re.compile(r"[\\`]")
_UNSAFE_IN_LIST: Final = re.compile(_SIGNS)
_MARKS: Final = {"heading": "## ", "bullet": "- "}
_OPENING: Final = FLOWING | {"sentence"}
_TOGETHER: Final = frozenset({("bullet", "bullet"), ("step", "step"), ("header", "row"), ("row", "row")})
"""Neighbouring kinds that form one list or table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A block as it is shown: its text, and its citations (numbers or labels).

    The text of a row has one cell on each line. `brackets` are the square brackets with their words that stay, in the
    form for comparing.
    """

    kind: Kind
    text: str
    sources: tuple[str, ...] = ()
    brackets: Set[str] = frozenset()
    links: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The context of the Markdown of a part: the kind of the part before it, and the last character. In a list of steps
    it has the number of steps so far, and in a table the number of columns."""

    kind: str = ""
    end: str = ""
    number: int = 0
    width: int = 0


def markdown(parts: Sequence[Part]) -> str:
    """The Markdown of the parts in their order. Steps are numbered from 1. A row outside a table is an item of a
    list."""
    pieces: list[str] = []
    before = Before()
    for part in parts:
        piece, before = following(part, before)
        pieces.append(piece)
    return "".join(pieces)


def following(part: Part, before: Before) -> tuple[str, Before]:
    """The Markdown of a part, which begins with the gap to the part before it, and the context of the next part."""
    if part.kind == "sentence" and before.kind in FLOWING:
        body = _claim(part)
        return _gap(before.end) + body, replace(before, end=body[-1:])
    kind = _kind(part, before.kind)
    number = before.number + 1 if kind == "step" else before.number * (kind == "code")
    width = len(_cells(part)) if kind == "header" else before.width
    between = "\n" if (before.kind, kind) in _TOGETHER else "\n\n"
    marks = f"{number}. " if kind == "step" else _MARKS.get(kind, "")
    body = _body(kind, part, width)
    piece = (between if before.kind else "") + marks + body
    return piece, Before(kind=kind, end=body[-1:], number=number, width=width)


def goes_on(part: Part, following: Part) -> bool:
    """Whether the next part is a sentence that continues this part and has the same citations."""
    return part.kind in _OPENING and following.kind == "sentence" and {*part.sources} == {*following.sources}


def label(source: str) -> str:
    """A source's label as Markdown that shows it within brackets."""
    return _safe_name(source, _UNSAFE)


def entry(source: str) -> str:
    """A source's label as Markdown that shows it in a list."""
    return _safe_name(source, _UNSAFE_IN_LIST)


def _safe_name(source: str, unsafe: re.Pattern[str]) -> str:
    """A label as Markdown. The `unsafe` characters and `<` are escaped.

    A part that a renderer could take for an address, such as `tools.md`, becomes code.
    """
    at, safe = 0, ""

    def escape(text: str) -> str:
        return unsafe.sub(r"\\\g<0>", text).replace("<", "&lt;")

    for match in _WORD.finditer(source) if _GUESSED.search(source) else ():
        word = trimmed(match[0])
        if _GUESSED.search(word) and not _FILE.fullmatch(word) and not _SECTION.fullmatch(word):
            safe += f"{escape(source[at : match.start()])}`{word}`"
            at = match.start() + len(word)
    return safe + escape(source[at:])


def shown(text: str, *, links: bool = True, kept: Set[str] = frozenset()) -> str:
    """A text as Markdown that shows the text within a line. The square brackets in `kept` stay square."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    pieces = [
        piece
        for at, part in enumerate(parts)
        for piece in (_by_backticks(part) if at % 2 else _pieces(part, links=links, kept=kept))
    ]
    tokens_written: list[str] = []
    for is_code, group in groupby(filter(itemgetter(1), pieces), key=itemgetter(0)):
        joined = "".join(text_of_token for _, text_of_token in group)
        tokens_written.append(f"`{joined}`" if is_code else joined)
    return "".join(tokens_written)


def _kind(part: Part, before: str) -> Kind:
    """The kind with which a part is shown. It depends on the kind of the part `before`."""
    if part.kind in ("sentence", "missing"):
        return "paragraph"
    return "bullet" if part.kind == "row" and before not in ("header", "row") else part.kind


def _body(kind: Kind, part: Part, width: int) -> str:
    match kind:
        case "code":
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(part.text)), default=0))
            return "\n".join([fence, part.text, fence, *([f"\n{_behind(part)}"] if part.sources else [])])
        case "header":
            return f"{_row(part, width)}\n{'| --- ' * width}|"
        case "row":
            return _row(part, width)
        case "heading":
            return re.sub(r"(?<!\S)#", r"\#", _claim(part))
        case _:
            line = replace(part, text=" | ".join(filter(None, _cells(part)))) if part.kind == "row" else part
            return _escape_start(_claim(line))


def _claim(part: Part) -> str:
    """The text with its citations before its final stops."""
    stops = _STOPS.search(part.text) if part.sources else None
    end = len(part.text) if stops is None else stops.start()
    text = shown(part.text[:end], links=part.links, kept=part.brackets)
    return f"{text}{_gap(text)}{_behind(part)}{part.text[end:]}" if part.sources else text


def _behind(part: Part) -> str:
    """The citations."""
    return "".join(f"[{label(source)}]" for source in dict.fromkeys(part.sources))


def _gap(line_before: str) -> str:
    """The gap after a text: a blank if the script of the text uses blanks, as Hangul does."""
    return " " if "" < line_before[-1:] < "\u2e80" or "\uac00" <= line_before[-1:] <= "\ud7a3" else ""


def _escape_start(text: str) -> str:
    """Text at the start of a line, escaped so that it begins no Markdown block."""
    match = _START.match(text)
    if match is None:
        return text
    at = match.end() if match[0][0].isdigit() else 0
    return f"{text[:at]}\\{text[at:]}"


def _cells(part: Part) -> list[str]:
    return part.text.split("\n")


def _row(part: Part, width: int) -> str:
    """A row with as many cells as the header. The last cell has the text of all further cells, and the citations. Every
    bar is escaped, also in code, since it would begin a cell."""
    texts, rest = _cells(part)[: width - 1], _cells(part)[width - 1 :]
    texts += [""] * (width - 1 - len(texts))
    cells = [replace(part, text=text, sources=()) for text in texts]
    row = " | ".join(_claim(cell).replace("|", r"\|") for cell in (*cells, replace(part, text=" / ".join(rest))))
    return f"| {row} |"


def _by_backticks(text: str) -> Iterator[tuple[bool, str]]:
    """The text between two backticks as a piece that becomes code. Blank text becomes Markdown with escaped backticks
    instead."""
    yield (True, text) if text.strip() else (False, f"\\`{text}\\`")


def _pieces(text: str, *, links: bool, kept: Set[str]) -> Iterator[tuple[bool, str]]:
    """The pieces of a text. True marks a piece that becomes code, and False a piece that is Markdown already."""
    at = 0
    for start, end in address_places(text):
        yield from _by_words(text[at:start], kept)
        address = text[start:end]
        yield (False, f"<{address}>") if links and may_be_linked(address) else (True, address)
        at = end
    yield from _by_words(text[at:], kept)


def _by_words(text: str, kept: Set[str]) -> Iterator[tuple[bool, str]]:
    at = 0
    for match in _WORD.finditer(text) if _GUESSED.search(text) else ():
        if _GUESSED.search(match[0]) is not None:
            word = trimmed(match[0])
            yield False, _escaped(text[at : match.start()], kept)
            yield True, word
            at = match.start() + len(word)
    yield False, _escaped(text[at:], kept)


def _escaped(text: str, kept: Set[str]) -> str:
    square = {
        at
        for start, end in (brackets.pairs(text) if kept else ())
        if brackets.form(text[start : end + 1]) in kept
        for at in (start, end)
    }
    edges = [-1, *sorted(square), len(text)]
    parts = [_ACTIVE.sub(r"\\\g<0>", text[start + 1 : end].translate(_ROUND)) for start, end in pairwise(edges)]
    signs = [text[at] if text[at] in "［］" else f"\\{text[at]}" for at in edges[1:-1]]
    return "".join(part + sign for part, sign in zip(parts, [*signs, ""], strict=True))


_LINE: Final = "- [{number}] {label}"
"""A line in the list of sources. `text/source_labels.py` removes these lines from an earlier answer."""


def citation_names(cited: Iterable[Chunk], by: CitedBy) -> dict[str, str]:
    """The text in brackets for each chunk, by the chunk's id: its label, or its number from 1 in this order.

    Chunks with the same label share a number.
    """
    if by == "label":
        return {chunk.id: chunk.source for chunk in cited}
    numbers: dict[str, int] = {}
    return {chunk.id: str(numbers.setdefault(chunk.source, len(numbers) + 1)) for chunk in cited}


def source_lines(labels: Iterable[tuple[str, str]]) -> list[str]:
    """One line for each source with its number, for the list of sources or above a passage."""
    return [_LINE.format(number=number, label=entry(label)) for number, label in labels]


def with_list(written: Written, request: RetrievalRequest, chunks: Iterable[Chunk]) -> Written:
    """The answer with the list of its sources, if it cites by numbers. `chunks` are the chunks that it may cite. A line
    has the file or title and the last heading of its source."""
    by_id = {chunk.id: chunk for chunk in chunks}
    cited_chunks = [by_id[id] for id in written.cited]
    if request.cited_by != "number" or not cited_chunks:
        return written
    numbers = citation_names(cited_chunks, "number")
    labels = {numbers[chunk.id]: in_list(chunk.source) for chunk in cited_chunks}
    heading = language_of_conversation(request.messages).frames.sources
    return written.below("sources", heading, "\n".join(source_lines(labels.items())))


MOST_ASKED: Final = 3
LONGEST_ASKED: Final = 300


def with_gaps(written: Written, messages: Sequence[Message], evidence: Evidence) -> Written:
    """The answer. A section with its missing points follows, and with questions where the evidence is judged
    insufficient."""
    if written.is_cut:
        return marked_as_cut(written, messages)
    if evidence.sufficient is not False:
        return with_missing(written, messages) if written.missing else written
    questions = [f"- {line}" for text in evidence.missing[:MOST_ASKED] if (line := plain(text, longest=LONGEST_ASKED))]
    opening = [language_of_conversation(messages).frames.to_go_on] if questions else []
    return with_missing(written, messages, *opening, "\n".join(questions))


def marked_as_cut(written: Written, messages: Sequence[Message]) -> Written:
    """The answer, with the line that says that it breaks off, and its missing points."""
    marked = written.below("paragraph", language_of_conversation(messages).frames.cut)
    return with_missing(marked, messages) if written.missing else marked


def with_missing(written: Written, messages: Sequence[Message], *more: str) -> Written:
    """The answer with its missing points below their heading, or with a sentence of doubt where it names no missing
    points."""
    frames = language_of_conversation(messages).frames
    missing = [gap.markdown for gap in written.missing] or [frames.unsure]
    return written.below("missing", frames.missing, *missing, *more)
