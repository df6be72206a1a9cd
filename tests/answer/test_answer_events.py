"""The answer as events over HTTP: what is told, in which order, and when."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Mapping
from functools import partial
from typing import Any, Final

import aiohttp
import pytest

from retrieval.local.host import Host
from retrieval.local.server import serving
from retrieval.text.languages.language import ENGLISH, language
from tests.answer.conftest import Ask, ask, settings
from tests.answer.material import blocks
from tests.answer.scripts import GOOD, answered, by_step, judgement, planned, reading, routed, written
from tests.answer.test_answers import RIVER, ROAD, model
from tests.conftest import Response, deploying
from tests.scenarios.failures.conftest import CALLER_KEY, QUESTION
from tests.scenarios.failures.test_events import events
from tests.scripted_azure import ScriptedAzure, by_search, failing, found, streaming
from tests.scripted_azure.streams import Part, cut, ending, piece, pieces

__all__ = ["ask", "settings"]

ACCEPT: Final = {"accept": "text/event-stream"}
TEXT: Final = f"{GOOD}\n- Barges carried the grain [c2]."
SAID: Final = json.dumps({"blocks": blocks(TEXT)})
BOTH: Final = reading(TEXT, "c1", "c2")
TIMES: Final = re.compile(r'"(?:elapsed|started)_ms": ?\d+')


def joined(told: list[tuple[str, Any]]) -> str:
    """As docs/calling/streaming.md says."""
    texts: dict[int, str] = {}
    for name, data in told:
        for block in [data] if name == "block" else data["blocks"] if name == "revision" else []:
            texts[block["id"]] = block["markdown"]
    return "".join(text for _, text in sorted(texts.items()))


def unordered(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, with its activity as texts without times. Steps that run at once end in any order, and are numbered
    in that order."""
    records = ({**record, "id": 0} for record in answer["activity"])
    return {**answer, "activity": sorted(TIMES.sub("", json.dumps(record)) for record in records)}


async def test_everything_is_told_once_and_the_end_is_the_answer(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(BOTH, 1), ending()))
    answer = await ask(headers=ACCEPT)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    told = events(answer)
    azure.chat = model(answer=written(f"{GOOD}\n- Barges carried the grain [c2]."))
    whole = (await ask()).json
    name, end = told[-1]
    assert (name, unordered(end)) == ("end", unordered(whole))
    assert [record["id"] for record in end["activity"]] == [record["id"] for record in whole["activity"]]
    assert joined(told) == whole["answer_markdown"]
    names = [name for name, _ in told if name != "activity"]
    assert names[-4:] == ["block", "block", "block", "end"]
    assert names.count("search") == 3 and names.count("route") == 1
    assert names.index("references") == max(place for place, name in enumerate(names) if name == "search") + 1
    (references,) = (data for name, data in told if name == "references")
    assert [(one["id"], one["source"]) for one in references["references"]] == [
        ("c1", "Roads - road"),
        ("c2", "Rivers - river"),
    ]
    records = [{key: value for key, value in record.items() if key != "id"} for record in end["activity"]]
    ended = [data["record"] for name, data in told if name == "activity"]
    assert sorted(map(str, ended)) == sorted(map(str, records))


async def test_the_plan_is_told_query_by_query(azure: ScriptedAzure, ask: Ask) -> None:
    rest = ', "harbours"], "retrieval_goals": ["A.", "B."], "filter": "", "next": ""}'
    parts = (piece('{"queries": ["roads along rivers"'), partial(asyncio.sleep, 1), piece(rest), ending())
    azure.search, azure.chat = found(ROAD, RIVER), model(plan=streaming(*parts))
    told = [data for name, data in events(await ask(headers=ACCEPT)) if name == "plan"]
    assert [[query["query"] for query in data["queries"]][:2] for data in told] == [
        ["roads along rivers"],
        ["roads along rivers", "harbours"],
        ["roads along rivers", "harbours"],
    ]
    assert [data["is_complete"] for data in told] == [False, False, True]
    assert told[-1]["queries"][0]["goal"] == "A."


async def test_a_search_that_fails_says_why_and_one_that_drops_documents_how_many(
    azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search = by_search({"roads along rivers": failing(400)}, otherwise=found(ROAD, RIVER))
    azure.chat = model()
    searches = {data["query"]: data for name, data in events(await ask(headers=ACCEPT)) if name == "search"}
    assert "error" in searches["roads along rivers"]
    good = searches["harbours at river mouths"]
    assert (good["round"], good["count"], good["goal"]) == (0, 2, "Find harbours at river mouths.")


async def test_what_is_wrong_before_the_first_event_has_its_own_status(azure: ScriptedAzure, ask: Ask) -> None:
    answer = await ask(headers=ACCEPT, limits={"maxChunks": 99})
    assert answer.status == 400
    assert answer.json["error"]["code"]
    azure.search, azure.chat = failing(503), model()
    told = events(await ask(headers=ACCEPT))
    assert [name for name, _ in told if name in ("route", "end", "error")] == ["route", "error"]
    assert told[-1][1]["error"]["message"]


async def test_a_greeting_is_one_block(azure: ScriptedAzure, ask: Ask) -> None:
    azure.chat = model()
    told = events(await ask("Hello!", headers=ACCEPT))
    assert [name for name, _ in told] == ["activity", "route", "block", "end"]
    assert joined(told) == told[-1][1]["answer_markdown"]
    assert told[2][1]["kind"] == "text"


async def test_without_a_model_the_passages_are_one_block_and_their_sources(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD, RIVER)
    told = events(await ask(agent="plain", headers=ACCEPT))
    assert joined(told) == told[-1][1]["answer_markdown"]
    assert told[-1][1]["answer_by"] == "rules"


async def test_the_six_payloads_end_the_same_events(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(BOTH, 3), ending()))
    told = events(await ask(headers=ACCEPT, detail="workflow"))
    assert joined(told) == told[-1][1]["answer"]["answer_markdown"]
    assert "[Roads - road]" in joined(told)


async def test_a_follow_up_is_a_second_round_and_its_writer_begins_anew(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = by_search({"the toll": found(RIVER)}, otherwise=found(ROAD))
    azure.chat = by_step(
        {
            "route": routed(),
            "plan": planned("roads along rivers"),
            "answer": streaming(*pieces(reading(GOOD, "c1", sufficient=False, more=("the toll",)), 3), ending()),
            "again": answered("Barges carried the grain [c2].", "c2"),
        }
    )
    told = events(await ask(headers=ACCEPT))
    assert joined(told) == told[-1][1]["answer_markdown"]
    assert [data["round"] for name, data in told if name == "references"] == [0, 1]
    assert [query["goal"] for name, data in told if name == "plan" and data["round"] for query in data["queries"]] == [
        "Find the toll."
    ]
    assert "Barges" in joined(told) and "old road" not in joined(told)


@pytest.mark.parametrize("headers", [{}, ACCEPT])
async def test_a_reply_that_only_judges_is_followed_up(headers: dict[str, str], azure: ScriptedAzure, ask: Ask) -> None:
    judged = json.loads(reading(GOOD, sufficient=False, more=("the toll",)))
    azure.search = by_search({"the toll": found(RIVER)}, otherwise=found(ROAD))
    first = streaming(*pieces(json.dumps({**judged, "blocks": []}), 9), ending())
    steps = {"route": routed(), "plan": planned("roads along rivers"), "answer": first}
    azure.chat = by_step({**steps, "again": answered("Barges carried the grain [c2].", "c2")})
    answer = await ask(headers=headers)
    end = events(answer)[-1][1] if headers else answer.json
    assert end["answer_markdown"].startswith("Barges carried the grain [1].") and end["evidence"]["by"] == "model"
    azure.chat = by_step({**steps, "again": failing(500)})
    answer = await ask(headers=headers)
    end = events(answer)[-1][1] if headers else answer.json
    assert end["answer_by"] == "rules" and "> The old road" in end["answer_markdown"]
    assert end["evidence"]["is_sufficient"] is False


def hang() -> Awaitable[object]:
    return asyncio.Event().wait()


BREAKS: Final[Mapping[str, tuple[Part, ...]]] = {
    "dies": (partial(asyncio.sleep, 1), cut),
    "runs out of tokens": (ending("length"),),
    "hangs": (hang,),
    "ends as if it were whole": (ending(),),
}


@pytest.mark.parametrize("with_events", [True, False])
@pytest.mark.parametrize("said", [SAID[:-40], SAID[:-2].rpartition(", {")[0], SAID[:-2]])
@pytest.mark.parametrize("way", BREAKS)
async def test_a_reply_that_breaks_off_ends_with_what_was_checked_and_says_so(
    way: str, said: str, with_events: bool, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(said, 7), *BREAKS[way]))
    if with_events:
        told = events(await ask(headers=ACCEPT))
        end = told[-1][1]
        assert joined(told) == end["answer_markdown"]
    else:
        end = (await ask()).json
    text, _, below = end["answer_markdown"].partition(ENGLISH.frames.cut)
    checked = ["The old road follows the river [1].", "- Barges carried the grain [2]."][: 1 + (said == SAID[:-2])]
    assert text.split("\n\n") == [*checked, ""]
    assert below.startswith("\n\n**Sources**") and end["answer_by"] == "model"
    assert end["evidence"]["is_sufficient"] is None
    assert end["ended_by"] == (["reply", "runtime"] if way == "hangs" else ["reply"])
    assert [record["error"]["code"] for record in end["activity"] if record.get("step") == "answer"]


@pytest.mark.parametrize("with_events", [True, False])
async def test_a_reply_that_breaks_off_after_its_last_block_is_whole(
    with_events: bool, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(SAID[:-1], 7), *BREAKS["dies"]))
    answer = await ask(headers=ACCEPT if with_events else {})
    end = events(answer)[-1][1] if with_events else answer.json
    assert "Barges" in end["answer_markdown"] and ENGLISH.frames.cut not in end["answer_markdown"]
    assert end["ended_by"] == []


@pytest.mark.parametrize("said", ["", '{"blocks": [', SAID[:30], SAID.replace("c1", "c77").replace("c2", "c78")[:-40]])
async def test_a_reply_that_breaks_off_before_a_block_holds_is_replaced_by_passages(
    said: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(said, 7), cut))
    for headers in ({}, ACCEPT):
        answer = await ask(headers=headers)
        end = events(answer)[-1][1] if headers else answer.json
        assert end["answer_by"] == "rules" and "> The old road follows the river" in end["answer_markdown"]
        assert ENGLISH.frames.cut not in end["answer_markdown"]


async def test_the_line_that_an_answer_breaks_off_is_in_its_language(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*pieces(SAID[:-40], 7), *BREAKS["dies"]))
    questions = {"Wohin führt die alte Straße am Fluss?": "de", "Dokąd prowadzi stara droga nad rzeką?": "en"}
    for question, code in questions.items():
        assert language(code).frames.cut in (await ask(question)).json["answer_markdown"]


@pytest.fixture
async def address(host: Host, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    async with deploying(settings, monkeypatch), serving(host) as address:
        yield address


async def test_a_block_reaches_the_caller_before_the_model_goes_on(azure: ScriptedAzure, address: str) -> None:
    read = asyncio.Event()
    first, second = (json.dumps(one) for one in json.loads(BOTH)["blocks"])
    rest = json.dumps(judgement("c1", "c2"))[1:]
    parts = (piece(f'{{"blocks": [{first}'), read.wait, piece(f", {second}], {rest}"), ending())
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=streaming(*parts))
    headers = {"api-key": CALLER_KEY, **ACCEPT}
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}
    content = b""
    async with (
        aiohttp.ClientSession(address, headers=headers) as session,
        session.post("/agents/planner/answer", json=body) as response,
    ):
        async for line in response.content:
            content += line
            if line.startswith(b"data:") and b"old road follows" in line and not read.is_set():
                assert b"Barges carried the grain" not in content
                read.set()
    told = events(Response(status=200, headers={}, body=content))
    assert joined(told) == told[-1][1]["answer_markdown"]
    assert "Barges carried the grain" in joined(told)
