"""The runner over two questions, step by step: each run goes as deep as its replies."""

import json
from collections import Counter
from typing import Any, Final

from tests.answer.material import blocks
from tests.answer.scripts import judgement
from tests.benchmarks.answers import asking, report
from tests.benchmarks.answers.asking import Asked
from tests.benchmarks.answers.endpoint import DAY, Endpoint, read

KINDS: Final = {"two parts": 15, "language": 8, "conversation": 5, "no answer": 8, "plain": 4}


def planned(query: str) -> dict[str, Any]:
    return {"queries": [query], "retrieval_goals": ["Find it."], "filter": "", "next": ""}


def steps(asked: list[Asked]) -> list[list[str]]:
    return [sorted(call.prompt.name.partition("-")[0] for call in one.missing) for one in asked]


def reply(asked: list[Asked], replies: dict[str, object], by_step: dict[str, object]) -> None:
    """What is missing is written, from its step alone."""
    replies |= {call.key: by_step[call.prompt.name.partition("-")[0]] for one in asked for call in one.missing}


async def test_each_run_asks_for_the_replies_of_one_step_more() -> None:
    chosen = [one for one in asking.questions() if one.id in {"f13", "h15"}]
    replies: dict[str, object] = {}
    async with asking.opened(Endpoint(replies=replies)) as ask:
        asked = [await ask(one) for one in chosen]
        assert steps(asked) == [["plan"], ["plan"]]
        reply(asked, replies, {"plan": planned("complaint invoice READ? command TCP port")})
        asked = [await ask(one) for one in chosen]
        assert steps(asked) == [["answer"], ["answer"]]
        reply(asked, replies, {"answer": {"blocks": blocks("The documents name it [c1]."), **judgement("c1")}})
        asked = [await ask(one) for one in chosen]
    assert steps(asked) == [[], []]
    rows = [report.row(one) for one in asked]
    assert [one["answer_by"] for one in rows] == ["model", "model"]
    assert [(one["calls_in_sequence"], len(one["calls"]), one["is_sufficient"]) for one in rows] == [(2, 2, True)] * 2
    assert all("The documents name it" in one["answer_markdown"] and one["cited"][0]["text"] for one in rows)
    assert all(one["tokens_in"] > one["tokens_out"] > 0 for one in rows)
    assert json.loads(report.lines(rows)[0])["gold"]
    assert "all" in report.table(rows)[-1].split()


def test_a_prompt_is_the_same_on_another_day_and_with_another_fence() -> None:
    first = body(fence="0123456789abcdef" * 2, today="2026-02-03")
    assert read(first) == read(body(fence="f" * 32, today="2027-12-31"))
    assert DAY in read(first).data
    assert read(first) != read(body(fence="f" * 32, today="2027-12-31", text="another"))


def body(*, fence: str, today: str, text: str = "a text") -> dict[str, Any]:
    messages = [
        {"role": "system", "content": f'Chunks stand between <chunk-{fence} id="…"> and </chunk-{fence}>.'},
        {"role": "user", "content": f'{{"today": "{today}"}}\n<chunk-{fence} id="c1">{text}</chunk-{fence}>'},
    ]
    return {"messages": messages, "response_format": {"json_schema": {"name": "answer-1", "schema": {}}}}


def test_the_questions_are_of_the_kinds_that_are_measured_and_name_files_that_are_there() -> None:
    questions = asking.questions()
    assert Counter(one.kind for one in questions) == KINDS and len({one.id for one in questions}) == len(questions)
    named = [(one.collection, file) for one in questions for file in one.documents]
    assert [one for one in named if not asking.FOLDER.joinpath("collections", *one).is_file()] == []
    assert [one.id for one in questions if bool(one.gold) == (one.kind == "no answer")] == []
    assert [one.id for one in questions if len(one.turns) % 2 == 0] == []
