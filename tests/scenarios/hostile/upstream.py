"""What comes from behind: documents and replies of a model that are worst for whoever reads them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from retrieval.local.wire import WireService
from tests.answer import scripts
from tests.answer.material import blocks
from tests.scenarios.hostile.texts import filled
from tests.scripted_azure import answering, document, replying

DOCUMENTS: Final = 50
LONGEST: Final = 16_000
"""Characters of a document: eight times as many as the chunks of an index usually have."""

PARTS: Final = {
    "sentences": "Roads follow rivers to Rome. ",
    "names": "Roads Of The Rome ",
    "capitals": "ROADS GO ",
    "marks": "\u0315\u0300",
    "ideographs": "道路沿着河流通向港口",
    "what grows": "\ufdfa",
    "points": ". ",
    "stops": ".",
    "references": "[1]",
    "references after stops": ".[1] ",
    "closed quotations": '." ',
    "line ends": "\n",
    "headings": "# a\n",
    "underlines": "a\n===\n",
    "marks of lists": "- ",
    "blanks": " ",
    "titles": "《路路》",
    "brackets": "[",
    "tags": "<a>",
    "addresses": "http://a.b/c ",
    "mailboxes": "a@b.c ",
    "signs at": "a@",
    "hosts": "aa.bb.cc ",
    "figures": "1,234 ",
    "cells of figures": "|1",
    "fractions": "½ ",
    "one word": "acgt",
    "one word that grows": "İ",
    "paragraphs of one letter": "é\n\n",
    "empty items": " \n-\n",
    "controls": "\x01",
    "quotation marks": "“",
    "apostrophes": "s’ ",
    "backticks": "`",
    "backslashes": "\\",
}


def documents(part: str, number: int, *, in_title: bool = False) -> WireService:
    """A page of the largest documents, no two alike, whose contents, or titles, are made of a part."""

    def one(place: int) -> dict[str, object]:
        text = f"Roads {number} {place} {part * (LONGEST // len(part))}"
        title, content = (text, f"Roads {place}.") if in_title else (f"T{place}", text)
        return document(f"k{place}", 3.0, title=title, content=content, name=text)

    page = {"value": [one(place) for place in range(DOCUMENTS)]}
    return answering(json.dumps(page, ensure_ascii=False).encode())


def _ids() -> list[str]:
    return [f"c{number}" for number in range(1, 17)]


def _judgement(**members: object) -> str:
    usual = scripts.judgement("c1", "c2", sufficient=False, more=("more roads",), missing=("Which?",))
    return json.dumps({"blocks": blocks("Roads [c1]."), **usual, **members})


def judgements(number: int) -> Mapping[str, str]:
    """Replies about the evidence whose judgement is as long as a reply may be."""
    quotes = "“Cicero is not. " * 30
    return {
        "key points": _judgement(key_points=[{"text": f"Rome {number} {one}", "ids": ["c1"]} for one in range(4_000)]),
        "key points of all": _judgement(
            key_points=[{"text": f"Zz {number} {one} “wrong words here”. More.", "ids": _ids()} for one in range(1_000)]
        ),
        "quotations": _judgement(key_points=[{"text": f"{quotes}{number}", "ids": _ids()}] * 250),
        "ids": _judgement(key_points=[{"text": f"Rome {number}", "ids": ["c1"] * 25_000}]),
        "selections": _judgement(selected=[{"id": "c1", "rationale": f"{number}"}] * 4_000),
        "questions": _judgement(missing_info_questions=[f"q{number} {one}" for one in range(10_000)]),
        "follow-ups": _judgement(follow_ups=[{"query": f"q{number} {one}", "goal": "g"} for one in range(5_000)]),
        "numbers": _judgement(selected=[1] * 60_000),
        "open lists": "[" * 190_000,
        "empty objects": '{"selected":[' + "{}," * 60_000 + "{}]}",
    }


ANSWERS: Final = (
    "Roads of Rome [c1]. ", "Roads of Rome go. ", "Xyzzy plugh [c99]. ", "[", "[c1]", "[[", "[a](", "![a](b)",
    "“Roads of Rome” [c1]. ", "“a ", "‘s’ a ", "http://a.b/c ", "a@b.c ", "aa.bb.cc/ ", "www.a", "`a` ", "```a\n",
    "```\na\n```\n", "~~~\na\n", "|a|b|\n|-|-|\n|c|d|\n", "- a\n", "  - a\n", "# a\n", "<a>", "<", "<!-- ", "&amp;",
    "\\", "\\[", ". ", ".", "\n", " ", "[a]: b\n", "[^1]: a\n", "(", "](", "//a", "\u0300", "路。", "*", "1,234,567 ",
    "Smith et al, 2000 [", "[Doe, J., 1999] ", "[a - b] ", "[c1-c9] ", "【c1】", "> ", "1. a\n", "=\n", "-\n", "\ufdd0",
)  # fmt: skip
"""An answer is made of one of them, again and again."""


def model(number: int, *, answer: str | None = None, judgement: str | None = None, plan: str | None = None) -> Any:
    """A model of which one step replies so, the longest answer of a part, and the others as usual."""
    written = filled(answer, size=19_900, before=f"Roads of Rome {number} [c1]. ")[:19_990] if answer else "Roads [c1]."
    reply = _judgement(blocks=blocks(written)) if judgement is None else judgement
    replies = {
        "route": scripts.routed(),
        "plan": scripts.planned("roads", "rivers") if plan is None else replying(plan),
        "answer": replying(reply),
        "again": scripts.answered(written, "c1"),
    }
    return scripts.by_step(replies)
