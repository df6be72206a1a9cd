"""What is kept of an answer: a JSON line for whoever grades it, with the gold, and a table by kind of question."""

import json
from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final

from tests.benchmarks.answers.asking import Asked

OMITTED: Final = frozenset({"route", "plan", "selected", "evidence", "citations", "activity", "totals"})
"""Members of an answer of which only a part is kept, or nothing."""


def row(asked: Asked) -> dict[str, Any]:
    """`calls_in_sequence` counts steps that wait for one another; tokens are bytes over four, of calls with a reply."""
    question, answer = asked.question, asked.answer
    evidence = answer["evidence"] or {}
    return {
        "id": question.id,
        "collection": question.collection,
        "kind": question.kind,
        "turns": question.turns,
        "gold": question.gold,
        "documents": question.documents,
        "note": question.note,
        **{name: value for name, value in answer.items() if name not in OMITTED},
        "is_sufficient": evidence.get("is_sufficient"),
        "confidence": evidence.get("confidence"),
        "missing_info_questions": evidence.get("missing_info_questions"),
        "cited": [_chunk(one) for one in answer["selected"] if one["id"] in _cited(answer)],
        "calls": sorted(call.key for call in asked.calls),
        "calls_in_sequence": len({call.depth for call in asked.calls}),
        "tokens_in": sum(call.input_tokens for call in asked.calls),
        "tokens_out": sum(call.output_tokens for call in asked.calls),
        "missing_replies": sorted(call.key for call in asked.missing),
    }


def _cited(answer: Any) -> set[str]:
    return {citation["chunk_id"] for citation in answer["citations"]}


def _chunk(selected: Any) -> dict[str, str]:
    return {name: selected[name] for name in ("id", "source", "text")}


def lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [json.dumps(one, ensure_ascii=False) for one in rows]


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each kind of question and one for all; the calls and tokens are means."""
    head = f"  {'':<14}{'asked':>6}{'by model':>10}{'sufficient':>12}{'removed':>9}{'in a row':>10}{'in':>9}{'out':>8}"
    kinds = dict.fromkeys(one["kind"] for one in rows)
    groups = {kind: [one for one in rows if one["kind"] == kind] for kind in kinds}
    return [head, *(_line(kind, group) for kind, group in {**groups, "all": list(rows)}.items())]


def _line(kind: str, rows: Sequence[dict[str, Any]]) -> str:
    by_model = sum(one["answer_by"] == "model" for one in rows)
    sufficient = sum(one["is_sufficient"] is True for one in rows)
    removed = sum(len(one["removed"]) for one in rows)
    row, read, written = (fmean(one[name] for one in rows) for name in ("calls_in_sequence", "tokens_in", "tokens_out"))
    return (
        f"  {kind:<14}{len(rows):>6}{by_model:>10}{sufficient:>12}{removed:>9}{row:>10.2f}{read:>9,.0f}{written:>8,.0f}"
    )
