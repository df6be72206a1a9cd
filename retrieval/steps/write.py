"""The answer as a model writes it: blocks that name their chunks; `citations` checks them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final, get_args

from retrieval.citations.blocks import TABULAR, Block, Kind, Quotation
from retrieval.errors import BadModelReply
from retrieval.model.answer import AnswerRequest
from retrieval.model.chunk import Chunk
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.steps import habits, prompts, replies
from retrieval.text.visible import visible

PROMPT: Final[str] = "write-5"
LONGEST_ANSWER: Final = 20_000
"""Characters of all its texts, and of all its quotations."""

MOST_BLOCKS: Final = 200
MOST_NAMED: Final = 20
MOST_QUOTED: Final = 5
"""Chunks and quotations of a block; the others are not read."""

_TEXT: Final[JsonValue] = {"type": "string"}
_KINDS: Final[Mapping[str, Kind]] = {kind: kind for kind in get_args(Kind)}
_BLOCK: Final[Mapping[str, JsonValue]] = {
    "kind": {"type": "string", "enum": list(_KINDS)},
    "text": _TEXT,
    "cells": replies.array_of(_TEXT),
    "chunk_ids": replies.array_of(_TEXT),
    "quotations": replies.array_of(replies.object_of({"text": _TEXT, "chunk_id": _TEXT})),
}
PROPERTIES: Final[Mapping[str, JsonValue]] = {"blocks": replies.array_of(replies.object_of(_BLOCK))}
SCHEMA: Final = replies.object_of(PROPERTIES)

_LINE_END: Final = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CITED: Final = re.compile(
    r"(?<!\s)(?:\s*+(?:\[\[|[\[【［（])|\s++\()\s*+"
    r"([cC][0-9]{1,9}(?:\s*+[,;]\s*+[cC][0-9]{1,9}){0,20})\s*+(?:\]\]|[\]】］）)])"
)
"""Ids that are in a text though they belong beside it."""


def prompt(
    request: AnswerRequest, chunks: Sequence[Chunk], *, today: date, queries: Sequence[str], most: int | None = None
) -> Prompt:
    """What a model is asked. It may cite `most` chunks where its answer selects them; None is any number."""
    about: dict[str, JsonValue] = {} if most is None else {"most_selected": most}
    return Prompt(
        name=PROMPT,
        instructions=prompts.instructions(PROMPT, nonce=request.nonce),
        data=prompts.evidence(request, chunks, about, today=today, queries=queries),
        schema=SCHEMA,
    )


def read(text: str) -> tuple[Block, ...]:
    """The blocks of a reply, as they cite. Raises BadModelReply."""
    return blocks(replies.read_object(text))


def blocks(reply: Mapping[str, object]) -> tuple[Block, ...]:
    """The blocks that say something, at most 200 of at most 20,000 characters. Raises BadModelReply."""
    items = replies.items(reply, "blocks")
    if len(items) > MOST_BLOCKS:
        raise BadModelReply(f"its answer has more than {MOST_BLOCKS} blocks")
    found: list[Block] = []
    step = 0
    for item in items:
        for block in _blocks(item, step=step + 1) if isinstance(item, dict) else ():
            step = step + 1 if block.kind == "step" else step * (block.kind in ("sentence", "code"))
            found.append(block)
    if not found:
        raise BadModelReply("it has no answer")
    if len(found) > MOST_BLOCKS:
        raise BadModelReply(f"its answer has more than {MOST_BLOCKS} blocks")
    quotations = sum(len(quotation.text) for one in found for quotation in one.quotations)
    if max(sum(len(one.text) for one in found), quotations) > LONGEST_ANSWER:
        raise BadModelReply(f"its answer is longer than {LONGEST_ANSWER} characters")
    return tuple(found)


def _blocks(item: Mapping[str, object], *, step: int) -> Iterator[Block]:
    """The blocks that say something: one, or those that its text has by habit. Each cites what stands in it, or else
    what stands beside them all; a quotation belongs to the first that has its words."""
    kind = _KINDS.get(str(item.get("kind")), "paragraph")
    text = "\n".join(_cells(item)) if kind in TABULAR else _plain(item.get("text"))
    beside = [name for one in _list(item, "chunk_ids")[:MOST_NAMED] if (name := _named(one))]
    quotations = _quotations(item)
    pieces = habits.read(kind, text, step=step)
    for place, one in enumerate(pieces):
        is_code, ids = one.kind == "code", list[str]()
        for found in () if is_code else _CITED.findall(one.text):
            ids += [name for id in re.split(r"[,;]", found) if (name := _named(id))]
        said = one.text.strip("\n") if is_code else _without_ids(one.text, divided=one.kind in TABULAR)
        own = [each for each in quotations if each.text in said] if place + 1 < len(pieces) else quotations
        quotations = [each for each in quotations if each not in own]
        chunks = (*beside, *ids) if len(pieces) == 1 else ids or beside
        if _says(said):
            yield Block(kind=one.kind, text=said, chunks=tuple(chunks[:MOST_NAMED]), quotations=tuple(own))


def _quotations(item: Mapping[str, object]) -> list[Quotation]:
    return [
        Quotation(text=_plain(one.get("text")), chunk=name)
        for one in _list(item, "quotations")[:MOST_QUOTED]
        if isinstance(one, dict) and (name := _named(one.get("chunk_id")))
    ]


def _cells(item: Mapping[str, object]) -> list[str]:
    """The cells of a row, each on one line; of a row without any what `|` divides in its text."""
    cells = [" ".join(_plain(one).split()) for one in _list(item, "cells")]
    if any(cells):
        return cells
    text = " ".join(_plain(item.get("text")).split())
    return [one.strip() for one in text.removeprefix("|").removesuffix("|").split("|")]


def _without_ids(text: str, *, divided: bool) -> str:
    """The text without the ids that belong beside it, on one line, or on one for each cell."""
    lines = text.split("\n") if divided else [text]
    return "\n".join(" ".join(_CITED.sub("", line).split()) for line in lines)


def _list(item: Mapping[str, object], name: str) -> Sequence[object]:
    value = item.get(name)
    return value if isinstance(value, list) else []


def _named(value: object) -> str:
    """The id of a chunk, or the text that is given instead."""
    return replies.chunk_id(value) or replies.line(value)


def _plain(value: object) -> str:
    """A text as it can be shown, with one kind of line end."""
    return visible(_LINE_END.sub("\n", value)) if isinstance(value, str) else ""


def _says(text: str) -> bool:
    return any(character.isalnum() for character in text)
