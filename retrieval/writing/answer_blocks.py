"""An answer as data: blocks in order, each a claim with the chunks that support it; and the step in which a model
writes a synthesis of such blocks. The step of an answer has the same blocks, and `citation_check` checks them.

A model writes Markdown into a block by habit. Lists, tables, code fences and headings become blocks of these kinds, and
are checked as such. A line in bold may become a heading. Emphasis and escapes lose their marks. Links, images and HTML
stay text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from retrieval.call import prompts, replies
from retrieval.errors import BadModelReply
from retrieval.model.conversation import LONGEST_BOUNDED_TEXT, Prompt
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Chunk, RetrievalRequest
from retrieval.text import layout
from retrieval.text.growing_object import GrowingObject
from retrieval.text.links import without_marks
from retrieval.text.sentences import sentences, stops
from retrieval.text.source_labels import visible

Kind: TypeAlias = Literal["paragraph", "sentence", "heading", "bullet", "step", "header", "row", "code", "missing"]
"""`sentence` continues a paragraph, a bullet or a step; `header` is the first row of a table; `missing` names
information that the chunks lack."""

FLOWING: Final[frozenset[Kind]] = frozenset({"paragraph", "bullet", "step"})
"""The kinds that a `sentence` can continue."""

TABULAR: Final[frozenset[Kind]] = frozenset({"header", "row"})
"""The kinds whose text has one cell on each line."""

NAMING: Final = frozenset({"heading", "header"})
"""The kinds that make no claim, and only name the topic of the blocks below them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that a chunk has, according to the model."""

    text: str
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A claim. `text` is plain text. It is on one line, except in code and in the rows of a table. `chunks` are ids of
    chunks; an id may belong to no chunk."""

    kind: Kind
    text: str
    chunks: tuple[str, ...] = ()
    quotations: tuple[Quotation, ...] = ()


_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*")
_BULLET: Final = re.compile(r"\s*[-*•]\s+(?=\S)")
_NUMBER: Final = re.compile(r"\s*([0-9]{1,3})[.)]\s+(?=\S)")
_HEADING: Final = re.compile(r"\s*#{2,6}\s+(?=\S)")
_TITLE: Final = re.compile(r"\s*#{1,6}\s+(?=\S)")
_BOLD_LINE: Final = re.compile(r"\s*\*\*[^*\n]{1,100}\*\*:?\s*")


class Piece(NamedTuple):
    """A block in the text of another block: its kind and its text. Code keeps its lines."""

    kind: Kind
    text: str


def pieces_of(kind: Kind, text: str, *, step: int = 1) -> list[Piece]:
    """The blocks in a block's text. A block of kind `step` has the number `step`, and its text may begin with this
    number."""
    if kind == "code":
        return [Piece(kind, _without_fence(text))]
    if kind in TABULAR or kind == "missing":
        return [_piece(kind, [text])]
    if kind == "heading":
        return [Piece(kind, without_marks(_TITLE.sub("", text, count=1)))]
    return [piece for piece in _pieces(kind, text.split("\n"), step) if piece.text]


def rows(kind: Kind, text: str) -> list[Piece]:
    """The rows in the text of a header or row without cells: each line but a line of dashes."""
    tables, lines = _tables(text.split("\n")), text.split("\n")
    pieces = [tables.get(place) or Piece("row", "\n".join(layout.cells(line))) for place, line in enumerate(lines)]
    filled = [_piece(piece.kind, [piece.text]) for piece in pieces if piece.text.strip()]
    return [Piece(kind, filled[0].text), *filled[1:]] if filled and filled[0].kind == "row" else filled


def _without_fence(code: str) -> str:
    lines = code.strip("\n").split("\n")
    match = _FENCE.fullmatch(lines[0])
    if match is None or not layout.closes(lines[-1], match[1]) or len(lines) == 1:
        return code
    return "\n".join(lines[1:-1])


def _pieces(kind: Kind, lines: Sequence[str], step: int) -> Iterator[Piece]:
    current, text_lines = kind, list[str]()
    for begun, line in _read(kind, lines, step):
        if begun is not None:
            yield _piece(current, text_lines)
            current, text_lines = begun, []
        text_lines.append(line)
    yield _piece(current, text_lines)


def _read(kind: Kind, lines: Sequence[str], step: int) -> Iterator[tuple[Kind | None, str]]:
    """Each line without the signs of a list or heading, and the rows of tables as their cells, with the kind of the
    block that the line begins. Closing fences, and blank lines outside code, are left out. The kind is None for a line
    that continues the block before it."""
    is_list, expected = {1, 2} <= {_number(line)[0] for line in lines}, step if kind == "step" else 1
    last, fence, ended, tables = kind, "", False, _tables(lines)
    for place, line in enumerate(lines):
        number, remainder = _number(line)
        opening = _FENCE.fullmatch(line)
        if fence:
            ended, fence = (True, "") if layout.closes(line, fence) else (False, fence)
            if fence:
                yield None, line
        elif opening is not None:
            last, fence = "code", opening[1]
            yield "code", ""
        elif place in tables:
            last, ended, expected = "row", True, 1
            yield tables[place]
        elif number == expected and (is_list or (kind == "step" and place == 0)):
            last, ended, expected = "step", False, expected + 1
            yield "step", remainder
        elif place == 0 and kind in ("bullet", "step") and (bullet := _BULLET.match(line)):
            yield None, line[bullet.end() :]
        elif (begun := _beginning(line, is_alone=place + 1 == len(lines) or last in ("bullet", "step"))) is not None:
            last, ended, expected = begun.kind, begun.kind == "heading", 1
            yield begun
        elif not line.strip():
            ended = ended or (place > 0 and last in ("bullet", "step"))
        else:
            last, expected = ("paragraph", 1) if ended else (last, expected)
            yield "paragraph" if ended else None, line
            ended = False


def _tables(lines: Sequence[str]) -> Mapping[int, Piece]:
    """The rows of tables by their lines. The line of dashes is an empty row."""
    rows, is_inside = dict[int, Piece](), False
    for place, line in enumerate(lines):
        begins = not is_inside and place + 1 < len(lines) and layout.is_rule(lines[place + 1])
        is_inside = "|" in line and (is_inside or begins)
        if is_inside:
            cells = () if layout.is_rule(line) else layout.cells(line)
            rows[place] = Piece("header" if begins else "row", "\n".join(cells))
    return rows


def _number(line: str) -> tuple[int, str]:
    match = _NUMBER.match(line)
    return (int(match[1]), line[match.end() :]) if match else (0, line)


def _beginning(line: str, *, is_alone: bool) -> Piece | None:
    """The item or the heading that a line begins. A line in bold is a heading only if another line follows, and not
    after a list item."""
    if match := _BULLET.match(line):
        return Piece("bullet", line[match.end() :])
    if match := _HEADING.match(line):
        return Piece("heading", line[match.end() :])
    return Piece("heading", line) if _BOLD_LINE.fullmatch(line) and not is_alone else None


def _piece(kind: Kind, lines: Sequence[str]) -> Piece:
    if kind == "code":
        return Piece(kind, "\n".join(lines).strip("\n"))
    if kind in TABULAR:
        return Piece(kind, "\n".join(without_marks(cell) for line in lines for cell in line.split("\n")))
    return Piece(kind, without_marks(" ".join(" ".join(lines).split())))


PROMPT: Final[str] = "answer-1"
"""The prompt of the step `answer`, whose part about the blocks a synthesis has too."""

BLOCKS: Final = "blocks"
LONGEST_ANSWER: Final = 20_000
"""The most characters of all texts of an answer, and of all its quotations."""

MOST_BLOCKS: Final = 200
TOO_MANY: Final = f"its answer has more than {MOST_BLOCKS} blocks"
MOST_NAMED: Final = 20
MOST_QUOTED: Final = 5
"""The most chunks and quotations of a block. Further chunks and quotations are not read."""

_TEXT: Final[JsonValue] = {"type": "string"}
_KINDS: Final[Mapping[str, Kind]] = {kind: kind for kind in get_args(Kind)}
_TEXTUAL: Final[JsonValue] = {"type": "string", "enum": [kind for kind in _KINDS if kind not in TABULAR]}
_IDS: Final[Mapping[str, JsonValue]] = {"chunk_ids": replies.array_of(_TEXT)}
_SAID: Final[Mapping[str, JsonValue]] = {"kind": _TEXTUAL, "text": _TEXT, **_IDS}
_QUOTED: Final = replies.array_of(replies.object_of({"text": _TEXT, "chunk_id": _TEXT}))
_ROW: Final[Mapping[str, JsonValue]] = {
    "cells": replies.array_of(_TEXT),
    "kind": {"type": "string", "enum": [kind for kind in _KINDS if kind in TABULAR]},
    **_IDS,
}
_SHAPES: Final = tuple(map(replies.object_of, (_SAID, _ROW, {"quotations": _QUOTED, **_SAID})))
"""A block, a line of a table, and a block that quotes. Each has a first member of its own, since services refuse shapes
of `anyOf` that begin with the same member."""

PROPERTIES: Final[Mapping[str, JsonValue]] = {"blocks": replies.array_of({"anyOf": list(_SHAPES)})}
SCHEMA: Final = replies.object_of(PROPERTIES)

_LINE_END: Final = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CITED: Final = re.compile(
    r"(?<!\s)(?:\s*+(?:\[\[|[\[【［（])|\s++\()\s*+"
    r"([cC][0-9]{1,9}(?:\s*+[,;]\s*+[cC][0-9]{1,9}){0,20})\s*+(?:\]\]|[\]】］）)])"
)
"""The ids in brackets within a text. They are moved from the text into the block's `chunks`."""


def prompt(request: RetrievalRequest, chunks: Sequence[Chunk], *, today: date, queries: Sequence[str]) -> Prompt:
    """The prompt for a model."""
    parts = (BLOCKS,)
    return prompts.about_evidence(PROMPT, request, chunks, parts=parts, schema=SCHEMA, today=today, queries=queries)


def read(text: str) -> tuple[Block, ...]:
    """The blocks of a reply, with their citations. Raises BadModelReply."""
    return blocks(replies.read_object(text))


def blocks(reply: Mapping[str, object]) -> tuple[Block, ...]:
    """The blocks with text. Raises BadModelReply if there are none, more than 200, or more than 20,000 characters in
    all."""
    reader = BlockReader()
    for item in replies.items(reply, "blocks"):
        reader.read(item)
    if not reader.blocks:
        raise BadModelReply("it has no answer")
    return tuple(reader.blocks)


def part(text: str) -> tuple[tuple[Block, ...], bool]:
    """The complete blocks of a reply that cannot be read as a whole, and whether it breaks off: its list of blocks has
    no end, or has a block that cannot be read."""
    growing, reader = GrowingObject(longest=replies.LONGEST), BlockReader()
    try:
        for inner in growing.feed(text):
            if inner.member == BLOCKS and inner.is_item:
                reader.read(replies.read_object(inner.text))
    except BadModelReply:
        return tuple(reader.blocks), True
    return tuple(reader.blocks), BLOCKS not in growing.ended


class BlockReader:
    """Reads the items of an answer, one after the other. `blocks` are the blocks of these items that have text."""

    def __init__(self) -> None:
        self.blocks: Final[list[Block]] = []
        self._step = 0
        self._items = 0
        self._length = 0
        self._quoted = 0

    def read(self, item: object) -> tuple[Block, ...]:
        """The blocks of an item. Raises BadModelReply if the answer has too many items, blocks or characters."""
        self._items += 1
        blocks: list[Block] = []
        for block in _blocks(item, step=self._step + 1) if isinstance(item, dict) else ():
            self._step = self._step + 1 if block.kind == "step" else self._step * (block.kind in ("sentence", "code"))
            blocks.append(block)
        self._length += sum(len(block.text) for block in blocks)
        self._quoted += sum(len(quotation.text) for block in blocks for quotation in block.quotations)
        if max(self._items, len(self.blocks) + len(blocks)) > MOST_BLOCKS:
            raise BadModelReply(TOO_MANY)
        if max(self._length, self._quoted) > LONGEST_ANSWER:
            raise BadModelReply(f"its answer is longer than {LONGEST_ANSWER} characters")
        self.blocks.extend(blocks)
        return tuple(blocks)


def _blocks(item: Mapping[str, object], *, step: int) -> Iterator[Block]:
    """The blocks of an item: one block, or several where a model wrote Markdown by habit. A single block cites the ids
    in its text and the ids of the item. Of several blocks, each cites the ids in its own text, or else the ids of the
    item; a heading and a header only those in its text. A quotation belongs to the first block that has its words, or
    else to the last block."""
    kind = _KINDS.get(str(item.get("kind")), "paragraph")
    text, cells = _whole(_plain(item.get("text"))), _cells(item) if kind in TABULAR else []
    names_beside = [name for item_id in _list(item, "chunk_ids")[:MOST_NAMED] if (name := _chunk_name(item_id))]
    quotations = _quotations(item)
    in_text = kind in TABULAR and not cells
    read = pieces_of(kind, "\n".join(cells) or text, step=step)
    pieces = rows(kind, text) if in_text else read
    for place, piece in enumerate(pieces):
        is_code, ids = piece.kind == "code", list[str]()
        for ids_text in () if is_code else _CITED.findall(piece.text):
            ids += [name for id in re.split(r"[,;]", ids_text) if (name := _chunk_name(id))]
        text_of_block = piece.text.strip("\n") if is_code else _without_ids(piece.text, divided=piece.kind in TABULAR)
        quotations_of_block = (
            [quotation for quotation in quotations if quotation.text in text_of_block]
            if place + 1 < len(pieces)
            else quotations
        )
        quotations = [quotation for quotation in quotations if quotation not in quotations_of_block]
        chunks = (*names_beside, *ids) if len(pieces) == 1 else ids or names_beside * (piece.kind not in NAMING)
        if any(map(str.isalnum, text_of_block)):
            yield Block(
                kind=piece.kind,
                text=text_of_block,
                chunks=tuple(chunks[:MOST_NAMED]),
                quotations=tuple(quotations_of_block),
            )


def _whole(text: str) -> str:
    """The text. Of a text that a server cut, the sentences before the last, each once; if it is one sentence, the text
    with an ellipsis."""
    if len(text) != LONGEST_BOUNDED_TEXT or stops(text[-1]):
        return text
    whole = [text[span.start : span.end] for span in sentences(text)[:-1] if not (span.before or span.after)]
    return " ".join(dict.fromkeys(whole)) or f"{text}…"


def _quotations(item: Mapping[str, object]) -> list[Quotation]:
    return [
        Quotation(text=_plain(quotation.get("text")), chunk=name)
        for quotation in _list(item, "quotations")[:MOST_QUOTED]
        if isinstance(quotation, dict) and (name := _chunk_name(quotation.get("chunk_id")))
    ]


def _cells(item: Mapping[str, object]) -> list[str]:
    """The cells of a row, each on one line; empty for a row whose cells stand in its text, between `|`."""
    cells = [" ".join(_plain(cell).split()) for cell in _list(item, "cells")]
    return cells if any(cells) else []


def _without_ids(text: str, *, divided: bool) -> str:
    """The text on one line, without the ids in brackets. A row has a line for each cell."""
    lines = text.split("\n") if divided else [text]
    return "\n".join(" ".join(_CITED.sub("", line).split()) for line in lines)


def _list(item: Mapping[str, object], name: str) -> Sequence[object]:
    value = item.get(name)
    return value if isinstance(value, list) else []


def _chunk_name(value: object) -> str:
    """The id of a chunk, or else the text of the value on one line."""
    return replies.chunk_id(value) or replies.line(value)


def _plain(value: object) -> str:
    """The visible characters of a text. Every line ends with a line feed."""
    return visible(_LINE_END.sub("\n", value)) if isinstance(value, str) else ""
