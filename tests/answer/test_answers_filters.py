"""The filter that a model writes: kept where the index can answer it, dropped with a note where not."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.answer.rounds import FILTER_GIVEN_UP
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.answer.conftest import Ask
from tests.answer.scripts import judged, planned, rounds, step_of
from tests.answer.test_answers import RIVER, ROAD, TOLL, model
from tests.scenarios.failures.conftest import QUESTION
from tests.scripted_azure import ScriptedAzure, answering, definition, failing, found, replying

FIELDS: Final[list[dict[str, object]]] = [
    {"name": "id", "type": "Edm.String", "key": True, "filterable": True},
    {"name": "title", "type": "Edm.String", "filterable": False},
    {"name": "content", "type": "Edm.String", "filterable": False},
    {"name": "year", "type": "Edm.Int32", "filterable": True},
    {"name": "tags", "type": "Collection(Edm.String)", "filterable": True},
]
PRIORITIZED: Final = {"titleField": {"fieldName": "title"}, "prioritizedContentFields": [{"fieldName": "content"}]}
DEFINITION: Final = answering(
    {
        "name": "atlas",
        "fields": FIELDS,
        "semantic": {"configurations": [{"name": "usual", "prioritizedFields": PRIORITIZED}]},
    }
)


def where(filters: dict[str | None, WireService]) -> WireService:
    """A script for each filter."""

    async def answer(request: WireRequest) -> WireResponse:
        return await filters[json.loads(request.body).get("filter")](request)

    return answer


def filters(azure: ScriptedAzure) -> list[str | None]:
    return [one.json.get("filter") for one in azure.searches]


async def test_a_filter_over_filterable_fields_reaches_every_search(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search = DEFINITION, found(ROAD)
    azure.chat = model(plan=planned("roads", "rivers", filter="year ge 1200 and tags/any(t: t eq 'road')"))
    answer = await ask()
    assert set(filters(azure)) == {"year ge 1200 and tags/any(t: t eq 'road')"}
    assert answer.json["plan"]["filter"] == "year ge 1200 and tags/any(t: t eq 'road')"
    prompt = next(one.json for one in azure.chats if step_of(one.json) == "plan")["messages"][1]["content"]
    fields = json.dumps(json.loads(prompt)["fields"])
    assert all(name in fields for name in ('"id"', '"year"', '"tags"', "Edm.Int32"))
    assert "title" not in fields and "content" not in fields


async def test_it_is_joined_to_the_filter_of_the_caller(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search = DEFINITION, found(ROAD)
    azure.chat = model(plan=planned("roads", filter="year ge 1200 or year lt 0"))
    await ask(filter="tags/any(t: t eq 'public')")
    (sent,) = filters(azure)
    assert sent is not None and sent.startswith("tags/any(t: t eq 'public') and (")


@pytest.mark.parametrize(
    "filter",
    [
        "colour eq 'red'",
        "title eq 'Roads'",
        "year eq 'many'",
        "year ge",
        "search.ismatch('roads')",
        "((((",
        "x" * 3_000,
    ],
)
async def test_one_that_the_index_cannot_answer_is_dropped_with_a_note(
    filter: str, azure: ScriptedAzure, ask: Ask
) -> None:
    azure.index, azure.search = DEFINITION, found(ROAD)
    azure.chat = model(plan=planned("roads", filter=filter))
    answer = await ask()
    assert filters(azure) == [None]
    assert answer.json["plan"]["filter"] is None
    assert answer.json["plan"]["notes"] != []


async def test_one_that_leaves_nothing_is_given_up_with_a_note(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index = DEFINITION
    azure.search = where({"year ge 1900": found(), None: found(ROAD)})
    azure.chat = model(plan=planned("roads", filter="year ge 1900"))
    answer = await ask()
    assert filters(azure) == ["year ge 1900", None]
    assert rounds(answer)[0]["notes"] == [FILTER_GIVEN_UP["fruitless"]]
    assert (answer.json["plan"]["filter"], answer.json["plan"]["notes"]) == (None, rounds(answer)[0]["notes"])
    assert answer.json["sources"] == ["Roads - road"]


async def test_one_that_the_service_refuses_is_given_up_too(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index = DEFINITION
    azure.search = where({"year ge 1900": failing(400, "No such thing."), None: found(ROAD)})
    azure.chat = model(plan=planned("roads", filter="year ge 1900"))
    answer = await ask()
    assert answer.json["sources"] == ["Roads - road"]
    assert len(rounds(answer)[0]["searches"]) == 2
    assert rounds(answer)[0]["notes"] == [FILTER_GIVEN_UP["refused"]]


async def test_it_is_relaxed_for_the_follow_up_and_the_callers_is_not(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index = DEFINITION
    theirs = "tags/any(t: t eq 'public')"
    azure.search = where({f"{theirs} and year ge 1200": found(ROAD, RIVER), theirs: found(TOLL)})
    azure.chat = model(
        plan=planned("roads", filter="year ge 1200"),
        answer=judged("c1", sufficient=False, confidence=0.2, more=("bridge toll",)),
    )
    answer = await ask(filter=theirs)
    assert filters(azure) == [f"{theirs} and year ge 1200", theirs]
    assert len(rounds(answer)) == 2


async def test_where_the_definition_may_not_be_read_no_filter_is_used(
    azure: ScriptedAzure, settings: dict[str, str], ask: Ask
) -> None:
    fields: dict[str, Any] = {"key": "id", "title": "title", "content": ["content"], "semanticConfiguration": "usual"}
    settings["INDEX_FIELDS"] = json.dumps({"atlas": fields})
    azure.index, azure.search = failing(403), found(ROAD)
    azure.chat = model(plan=planned("roads", filter="year ge 1200"))
    answer, again = await ask(), await ask()
    assert filters(azure) == [None, None]
    assert answer.json["plan"]["notes"] == again.json["plan"]["notes"] != []
    assert len(azure.definitions_read) == 1


async def test_a_callers_filter_that_cannot_be_read_is_refused(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search, azure.chat = definition(), found(ROAD), model()
    answer = await ask(QUESTION, filter="year ge")
    assert (answer.status, answer.json["error"]["target"]) == (400, "filter")
    assert azure.chats == []


async def test_a_definition_is_read_once_for_the_filter_and_the_searches(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search, azure.chat = DEFINITION, found(ROAD), model(plan=planned("roads", "rivers"))
    await ask()
    await ask()
    assert len(azure.definitions_read) == 1


@pytest.fixture
def hinted(settings: dict[str, str]) -> None:
    """The source of the index has query hints."""
    file = Path(settings["AGENTS_FILE"])
    hints = {"filters": [{"field": "year", "fieldValues": []}], "boosts": []}
    source = {
        "name": "atlas",
        "kind": "searchIndex",
        "searchIndexParameters": {"searchIndexName": "atlas", "queryHints": hints},
    }
    file.write_text(json.dumps({"knowledgeSources": [source], "agents": json.loads(file.read_text())}))


def hinting(*values: str) -> WireService:
    test = {"field": "year", "operator": "ge", "values": values}
    made = [{"source": "atlas", "filters": [test], "boosts": []}]
    return replying(json.dumps({"queries": ["roads"], "retrieval_goals": ["Find roads."], "filter": "", "hints": made}))


@pytest.mark.usefixtures("hinted")
async def test_query_hints_of_the_source_hold_for_an_answer_too(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search = DEFINITION, found(ROAD)
    azure.chat = model(plan=hinting("1200"))
    answer = await ask(filter="tags/any(t: t eq 'public')")
    assert set(filters(azure)) == {"tags/any(t: t eq 'public') and year ge 1200"}
    assert [one["prompt"] for one in answer.json["activity"] if one.get("step") == "plan"] == ["plan-6"]


@pytest.mark.usefixtures("hinted")
async def test_query_hints_that_leave_no_document_are_given_up_and_noted(azure: ScriptedAzure, ask: Ask) -> None:
    azure.index, azure.search = DEFINITION, where({"year ge 3000": found(), None: found(ROAD)})
    azure.chat = model(plan=hinting("3000"))
    answer = await ask()
    assert filters(azure)[:2] == ["year ge 3000", None]
    (first, *_) = rounds(answer)
    assert first["notes"] == ["With its query hints 'atlas' gave no document, so it was searched again without them."]
