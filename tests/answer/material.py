"""What the tests of the steps work on: chunks, requests, replies, and strategies for hostile ones."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from hypothesis import strategies as st

from retrieval.model.conversation import Message, Prompt
from retrieval.model.retrieval import ANSWER_LIMITS, Chunk, Reference, RetrievalRequest
from retrieval.model.search import Hit, SearchTarget
from retrieval.text.source_labels import label

TARGET: Final = SearchTarget(index="atlas", threshold=0)
NONCE: Final = "5f0c9a"
TODAY: Final = date(2026, 11, 20)


def sourced(text: str, *labels: str, heading: str = "**Sources**") -> str:
    """A text with the list of its sources below it."""
    lines = "\n".join(f"- [{number}] {one}" for number, one in enumerate(labels, start=1))
    return f"{text}\n\n{heading}\n\n{lines}"


def reference(key: str, content: str | None, *, title: str | None = None, index: str = "atlas") -> Reference:
    target = SearchTarget(index=index, threshold=0)
    return Reference(hit=Hit(key=key, score=2.0, title=title, content=content), target=target, subquery=0)


def chunk(number: int, text: str, *, title: str | None = None) -> Chunk:
    """A chunk of the document `k1`, `k2`, …, which has the title `T1`, `T2`, … if none is given."""
    found = reference(f"k{number}", text, title=f"T{number}" if title is None else title)
    return Chunk(id=f"c{number}", source=label(found.hit), text=text, reference=found)


def user(text: str) -> Message:
    return Message(role="user", text=text)


def request(*messages: Message, queries: int = 3) -> RetrievalRequest:
    return RetrievalRequest(
        output="answer",
        effort="medium",
        messages=messages or (user("When did the plant open?"),),
        targets=(TARGET,),
        limits=replace(ANSWER_LIMITS, queries=queries),
        nonce=NONCE,
    )


def told(prompt: Prompt) -> dict[str, object]:
    """The JSON object that a prompt's data begin with."""
    found, _ = json.JSONDecoder().raw_decode(prompt.data)
    assert isinstance(found, dict)
    return found


def chunks_of(texts: Sequence[str]) -> tuple[Chunk, ...]:
    return tuple(chunk(number, text) for number, text in enumerate(texts, start=1))


json_values: Final[st.SearchStrategy[object]] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["c1", "c2", "[c1]"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)


def replies(*members: str) -> st.SearchStrategy[str]:
    """Any text, and JSON objects whose members are anything."""
    objects = st.fixed_dictionaries({}, optional=dict.fromkeys(members, json_values))
    return st.text(max_size=80) | objects.map(json.dumps)


PLANT: Final = (
    "The plant opened in 1998 and closed in 2011. It made “green paint” for ships – and\n  for art. "
    "See https://plant.example/history for more."
)
CAIRO: Final = "Cairo is the brightest city of the delta; it shines all night."
BEIJING: Final = "北京的夜晚非常明亮，可以从太空看到。长江沿岸也是如此。"
CHUNKS: Final = (chunk(1, PLANT), chunk(2, CAIRO), chunk(3, BEIJING))


_CITED: Final = re.compile(r"\s*\[(c\d+(?:, c\d+)*)\]")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_MARKS: Final = re.compile(
    r"(?P<heading># )|(?P<bullet>- )|(?P<step>\d\. )|(?P<row>\| )|(?P<code>``` )|(?P<missing>\? )"
)


def blocks(text: str) -> list[dict[str, object]]:
    """An answer as a model sends it: each line begins a block, as its mark says; each sentence is a block of its own.

    The marks are `# `, `- `, `1. `, `| ` (the first such line is the header), `` ``` `` and `? ` for what is missing.
    A sentence cites what stands in brackets in it: `[c1]`.
    """
    found: list[dict[str, object]] = []
    for line in filter(None, text.split("\n")):
        mark = _MARKS.match(line)
        kind = "paragraph" if mark is None or mark.lastgroup is None else mark.lastgroup
        if kind == "row" and not (found and found[-1]["kind"] in ("header", "row")):
            kind = "header"
        rest = line if mark is None else line[mark.end() :]
        flows = kind in ("paragraph", "bullet", "step")
        for place, sentence in enumerate(_SENTENCE.split(rest) if flows else [rest]):
            ids = [one for listed in _CITED.findall(sentence) for one in listed.split(", ")]
            said = _CITED.sub("", sentence)
            found.append(block(said, *ids, kind="sentence" if place else kind))
    return found


def block(
    text: str,
    *ids: str,
    kind: str = "paragraph",
    quotations: Sequence[tuple[str, str]] = (),
    cells: Sequence[str] = (),
) -> dict[str, object]:
    """A block of a reply. A quotation is a text and the id of its chunk."""
    quoted = [{"text": said, "chunk_id": id} for said, id in quotations]
    return {"kind": kind, "text": text, "cells": list(cells), "chunk_ids": list(ids), "quotations": quoted}
