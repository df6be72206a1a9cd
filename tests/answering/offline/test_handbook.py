"""The handbook's questions through the whole workflow: what a useful answer says is quoted, what nobody says is told.

Read them with `python -m tests.answering.offline.handbook`.
"""

import json

import pytest

from tests.answering.offline.handbook import HANDBOOK, QUESTIONS, Asked, answered


@pytest.mark.parametrize("asked", [one for one in QUESTIONS if one.says], ids=lambda one: one.text)
async def test_what_the_question_asks_for_is_quoted(asked: Asked) -> None:
    given = await answered(asked)
    quoted = " ".join(given.written.markdown.split())
    assert asked.says in quoted
    by_id = {chunk.id: chunk.text for chunk in given.chunks}
    for one in given.written.citations:
        assert by_id[one.chunk][one.start : one.end] == one.quote


@pytest.mark.parametrize("asked", [one for one in QUESTIONS if not one.says], ids=lambda one: one.text)
async def test_what_no_document_says_is_not_called_answered(asked: Asked) -> None:
    given = await answered(asked)
    assert given.judgement is not None and not given.judgement.evidence.sufficient
    assert not given.written.markdown.startswith("- ")


def test_the_handbook_is_of_the_promised_kinds() -> None:
    documents = [json.loads(line) for line in HANDBOOK.read_text(encoding="utf-8").splitlines()]
    assert 25 <= len(documents) == len({one["_id"] for one in documents}) <= 40
    assert sum(one["title"].endswith(("?", "？")) for one in documents) >= 6
    assert sum("|---|" in one["text"] for one in documents) >= 5
    assert len(QUESTIONS) == 30
