"""docs/calling/answer.md tells the truth: its request gives its answer, its tables have what there is."""

import json
import re
from typing import Any, Final

from retrieval.answer import answers, second_round
from retrieval.contracts.answer.request import AskRequest, Limits
from retrieval.contracts.answer.response import AnswerResponse
from retrieval.contracts.answer.workflow import Workflow
from retrieval.model.retrieval import ANSWER_LIMITS
from retrieval.retrieve.plan import plan_by_model
from retrieval.writing import answer_blocks
from tests.conftest import ROOT, Post
from tests.contracts.answer import example

PAGE: Final = example.PAGE.read_text(encoding="utf-8")
REQUEST: Final = example.request(PAGE)
TIMES: Final = re.compile(r'"(started_ms|elapsed_ms)":\s*\d+')


def table(head: str) -> dict[str, list[str]]:
    """The table with that head: first cell of each row to the others."""
    _, _, *rows = re.split(rf"\n(?:\| )?(?={re.escape(head)})", PAGE)[1].split("\n\n", 1)[0].splitlines()
    return {first: rest for first, *rest in (row.strip("| ").split(" | ") for row in rows)}


def names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def without_times(answer: str) -> Any:
    return json.loads(TIMES.sub(r'"\1": 0', answer))


async def test_the_request_of_the_page_gives_the_answer_that_it_links(post: Post) -> None:
    answer = await post(REQUEST, example.TARGET)
    assert answer.status == 200, answer.body
    assert without_times(answer.body.decode()) == without_times(example.SHOWN.read_text(encoding="utf-8"))


async def test_with_detail_the_same_request_gives_the_payloads_of_the_page(post: Post) -> None:
    answer = await post(REQUEST, f"{example.TARGET}?detail=workflow")
    described = names(PAGE.split("## Instead of the Foundry workflow")[1].split("\n\n")[1])
    assert described == list(Workflow.model_fields) == list(answer.json)


def test_the_members_of_the_page_are_those_of_the_contract() -> None:
    assert [name for cell in table("Member | What it says") for name in names(cell)] == list(
        AnswerResponse.model_fields
    )
    request = [name for cell in table("Member | Rule") for name in names(cell)]
    assert request == [field.alias for field in AskRequest.model_fields.values()]


def test_the_limits_of_the_page_are_those_of_the_contract() -> None:
    limits = ANSWER_LIMITS
    defaults = {
        "maxRuntimeInSeconds": limits.runtime,
        "maxTokens": limits.tokens,
        "maxQueries": limits.queries,
        "maxChunks": limits.chunks,
        "maxFollowUps": limits.follow_ups,
        "rerankerThreshold": 0,
    }
    described = table("Limit | Range | Default |")
    assert [names(one)[0] for one in described] == [one.alias for one in Limits.model_fields.values()]
    properties = Limits.model_json_schema()["properties"]
    for cell, (range_, default, _) in described.items():
        name = names(cell)[0]
        bounds = next(one for one in properties[name]["anyOf"] if "minimum" in one)
        least, most = (int(one.replace(",", "")) for one in range_.split(" to "))
        assert (bounds["minimum"], bounds["maximum"]) == (least, most)
        assert float(default.split(" ")[-1].replace(",", "")) == defaults[name]


def test_the_prompts_of_the_page_are_those_that_are_asked() -> None:
    asked = [step.PROMPT for step in (answers, plan_by_model, second_round, answer_blocks)]
    section = PAGE.split("## Prompts")[1].split("## ")[0]
    assert re.findall(r"`(\w+-\d+)`", section) == asked
    assert all((ROOT / "retrieval" / "call" / "prompts" / f"{version}.txt").is_file() for version in asked)
