"""Model Studio's Retrieve over a scripted Azure: what is searched, and what becomes of failures."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from retrieval import compose
from tests.conftest import Post, Response
from tests.rooms import NEEDS_MODEL_STUDIO
from tests.scenarios.failures.conftest import CALLER_KEY, SEARCH_KEY
from tests.scripted_azure import ScriptedAzure, definition, document, failing, found, queries, stalling
from tests.scripted_azure.scripts import answering

pytestmark = NEEDS_MODEL_STUDIO
Ask = Callable[..., Awaitable[Response]]

FIELDS = {
    "姓名": {"path": "name", "type": "Edm.String"},
    "age": {"path": "person/age", "type": "Edm.Int32"},
    "code": {"path": "code", "type": "Edm.String", "wholeToken": True, "ignoreCase": True},
    "groups": {"path": "group_ids", "type": "Collection(Edm.String)", "retrievable": False},
}
TURNS = [{"role": "user", "content": "Tell me of the Danube."}, {"role": "assistant", "content": "It is a river."}]


@pytest.fixture
async def ask(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    """Ask for the index, by the agent with a model or by the one without; parameters as the SDK sends them."""

    async def send(*, agent: str = "plain", **parameters: object) -> Response:
        published = {"agent": agent, "index": "atlas", "fields": FIELDS}
        for name, value in {**settings, "WORKSPACES": json.dumps({"llm-x": {"kb": published}})}.items():
            monkeypatch.setenv(name, value)
        texts = {name: json.dumps(value) if isinstance(value, list) else value for name, value in parameters.items()}
        query = urlencode({"IndexId": "kb", "Query": "roads", **texts})
        return await post(b"", f"/llm-x/index/retrieve?{query}", key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    if compose.service.cache_info().currsize:
        await compose.service().process.close()
    compose.service.cache_clear()


def body(azure: ScriptedAzure) -> Any:
    return azure.searches[-1].json


def nodes(answer: Response) -> list[dict[str, Any]]:
    assert answer.status == 200, answer.body
    found: list[dict[str, Any]] = answer.json["Data"]["Nodes"]
    return found


async def test_the_query_is_searched_as_it_is_without_a_plan(ask: Ask, azure: ScriptedAzure) -> None:
    azure.chat = queries("never")
    await ask(agent="planner", Query="one; two whereas three? And it?", QueryHistory=TURNS)
    assert [search.json["search"] for search in azure.searches] == ["one; two whereas three? And it?"]
    assert azure.chats == []


async def test_a_model_rewrites_the_query_from_its_history(ask: Ask, azure: ScriptedAzure) -> None:
    azure.chat = queries("bridges over the Danube", "a second one that nobody asked for")
    await ask(agent="planner", Query="Which bridges cross it?", QueryHistory=TURNS, EnableRewrite=True)
    assert [search.json["search"] for search in azure.searches] == ["bridges over the Danube"]
    prompt = json.loads(azure.chats[0].json["messages"][-1]["content"])
    assert prompt["question"] == "Which bridges cross it?"
    assert "Write one query." in azure.chats[0].json["messages"][0]["content"]


async def test_the_vector_of_a_short_question_is_made_with_words_of_its_history(ask: Ask, azure: ScriptedAzure) -> None:
    azure.index = definition(vectorizable=["meaning"])
    await ask(Query="Which bridges cross it?", QueryHistory=TURNS, EnableRewrite=True, DenseSimilarityTopK=30)
    assert body(azure)["vectorQueries"][0]["text"] == "Which bridges cross it? Danube river"


@pytest.mark.parametrize("agent", ["plain", "planner"])
async def test_without_a_model_or_with_one_that_fails_terms_are_carried_over(
    ask: Ask, azure: ScriptedAzure, agent: str
) -> None:
    await ask(agent=agent, Query="Which bridges cross it?", QueryHistory=TURNS, EnableRewrite=True)
    assert [search.json["search"] for search in azure.searches] == ["bridges cross Danube^0.35 river^0.20"]
    assert [search.json["semanticQuery"] for search in azure.searches] == ["Which bridges cross it? Danube"]


async def test_a_model_that_fails_to_rewrite_is_told_in_the_message(ask: Ask, azure: ScriptedAzure) -> None:
    told = await ask(agent="planner", Query="Which bridges cross it?", QueryHistory=TURNS, EnableRewrite=True)
    assert (told.status, told.json["Code"], told.json["Success"]) == (200, "Success", True)
    assert told.json["Message"].startswith(
        "success; EnableRewrite: the query was made to stand alone without the model"
    )
    assert "The chat model failed (500)." in told.json["Message"]


@pytest.mark.parametrize("agent", ["plain", "planner"])
async def test_otherwise_the_message_is_the_documented_word(ask: Ask, azure: ScriptedAzure, agent: str) -> None:
    azure.chat = queries("bridges over the Danube")
    asked = {"Query": "Which bridges cross it?", "QueryHistory": TURNS, "EnableRewrite": True}
    assert (await ask(agent=agent, **asked)).json["Message"] == "success"


async def test_of_a_long_query_both_ends_are_searched(ask: Ask, azure: ScriptedAzure) -> None:
    await ask(Query="Roads. " + "Nothing of this matters. " * 200 + "Which bridges cross it?")
    (searched,) = (search.json["search"] for search in azure.searches)
    assert searched.startswith("Roads. Nothing") and searched.endswith("Which bridges cross it?")
    assert len(searched) <= 2_000


async def test_an_agent_with_a_model_needs_no_rewriting_without_a_history(ask: Ask, azure: ScriptedAzure) -> None:
    azure.chat = queries("never")
    await ask(agent="planner", EnableRewrite=True)
    assert azure.chats == []


async def test_both_top_k_make_a_hybrid_search(ask: Ask, azure: ScriptedAzure) -> None:
    azure.index = definition(vectorizable=["meaning"])
    await ask(DenseSimilarityTopK=30, SparseSimilarityTopK=40)
    asked = body(azure)
    assert (asked["search"], asked["queryType"]) == ("roads", "semantic")
    assert asked["vectorQueries"] == [{"kind": "text", "text": "roads", "fields": "meaning", "k": 30}]
    assert asked["hybridSearch"] == {"maxTextRecallSize": 40}
    assert azure.searches[0].version == "2025-05-01-preview"


async def test_no_sparse_documents_leave_the_text_search_off(ask: Ask, azure: ScriptedAzure) -> None:
    azure.index = definition(vectorizable=["meaning"])
    await ask(DenseSimilarityTopK=30, SparseSimilarityTopK=0)
    asked = body(azure)
    assert "search" not in asked and "hybridSearch" not in asked
    assert (asked["semanticQuery"], asked["vectorQueries"][0]["k"]) == ("roads", 30)
    assert azure.searches[0].version == "2026-04-01"


async def test_no_dense_documents_leave_the_vectors_off(ask: Ask, azure: ScriptedAzure) -> None:
    azure.index = definition(vectorizable=["meaning"])
    await ask(DenseSimilarityTopK=0, SparseSimilarityTopK=40)
    asked = body(azure)
    assert "vectorQueries" not in asked and "hybridSearch" not in asked
    assert asked["search"] == "roads"


async def test_text_alone_brings_the_documents_that_it_scored_best(ask: Ask, azure: ScriptedAzure) -> None:
    scored = [
        document(key, rank) | {"@search.score": text} for key, rank, text in (("a", 3, 1), ("b", 2, 9), ("c", 1, 5))
    ]
    azure.search = found(*scored)
    assert [node["Metadata"]["_id"] for node in nodes(await ask(SparseSimilarityTopK=2))] == ["b", "c"]


async def test_without_reranking_the_search_is_plain(ask: Ask, azure: ScriptedAzure) -> None:
    plain = [{"@search.score": 9.0 - n, "id": str(n), "content": "x"} for n in range(3)]
    azure.search = answering({"value": plain})
    azure.index = definition(vectorizable=["meaning"])
    found_nodes = nodes(await ask(EnableReranking=False))
    asked = body(azure)
    assert not {"queryType", "semanticConfiguration", "semanticErrorHandling", "semanticQuery"} & set(asked)
    assert [node["Score"] for node in found_nodes] == [0.75, 0.5, 0.25]


async def test_filters_reach_the_index_and_fields_come_back_by_their_names(ask: Ask, azure: ScriptedAzure) -> None:
    azure.search = found(document("a", 4.0) | {"name": "张三", "person": {"age": 5}, "code": None})
    answer = await ask(SearchFilters=[{"姓名": "张三", "age": {"gte": 5}}, {"groups": ["g1", "g2"]}])
    expected = "name eq '张三' and person/age ge 5 and group_ids/any(t: search.in(t, 'g1,g2'))"
    assert body(azure)["filter"] == expected
    assert body(azure)["select"] == "id,title,content,name,person,code"
    metadata = nodes(answer)[0]["Metadata"]
    assert (metadata["姓名"], metadata["age"], metadata["name"]) == ("张三", 5, "张三")
    assert "groups" not in metadata


async def test_what_the_index_cannot_answer_is_evaluated_on_what_it_found(ask: Ask, azure: ScriptedAzure) -> None:
    people = {"a": "技术员", "b": "技术", "c": None, "d": "技能员"}
    azure.search = found(*(document(key, 3.0) | {"name": name, "person": None} for key, name in people.items()))
    answer = await ask(SearchFilters=[{"姓名": {"like": "技%员"}}])
    assert body(azure)["filter"] == "name ne null"
    assert [node["Metadata"]["_id"] for node in nodes(answer)] == ["a", "d"]


async def test_a_field_of_whole_tokens_answers_a_pattern_itself(ask: Ask, azure: ScriptedAzure) -> None:
    azure.search = found(document("a", 3.0))
    answer = await ask(SearchFilters=[{"code": {"like": "AB%"}}])
    assert body(azure)["filter"] == "search.ismatch('/ab.*/', 'code', 'full', 'any')"
    assert len(nodes(answer)) == 1


async def test_a_pattern_beside_a_field_that_is_not_returned_is_refused(ask: Ask, azure: ScriptedAzure) -> None:
    answer = await ask(SearchFilters=[{"姓名": {"like": "a%b"}, "groups": "g1"}])
    assert (answer.status, answer.json["Code"]) == (400, "Index.InvalidParameter")
    assert "'group_ids'" in answer.json["Message"]
    assert azure.searches == []


async def test_throttling_says_when_to_come_again_in_milliseconds(ask: Ask, azure: ScriptedAzure) -> None:
    azure.search = failing(429, retry_after=7)
    answer = await ask()
    assert (answer.status, answer.json["Code"]) == (429, "Throttling.User")
    assert answer.headers["x-acs-retry-after"] == "7000"


@pytest.mark.parametrize(
    ("status", "expected"),
    [(500, (503, "ServiceUnavailable")), (403, (503, "ServiceUnavailable")), (400, (400, "Index.InvalidParameter"))],
)
async def test_a_failure_of_the_index_has_a_documented_code(
    ask: Ask, azure: ScriptedAzure, status: int, expected: tuple[int, str]
) -> None:
    azure.search = failing(status)
    answer = await ask()
    assert (answer.status, answer.json["Code"], answer.json["Success"]) == (*expected, False)
    assert "x-acs-retry-after" not in answer.headers


async def test_an_answer_comes_before_the_sdk_gives_up(ask: Ask, azure: ScriptedAzure) -> None:
    azure.search = stalling()
    answer = await ask()
    assert (answer.status, answer.json["Code"]) == (503, "ServiceUnavailable")
    assert "8.9 s" in answer.json["Message"]


async def test_a_ranker_that_is_away_leaves_the_documents_in_their_order(ask: Ask, azure: ScriptedAzure) -> None:
    azure.search = found(document("a", 2.0), document("b", None), document("c", None), partial="capacityOverloaded")
    answer = nodes(await ask(RerankMinScore=0.4))
    assert [(node["Metadata"]["_score_source"], node["Score"]) for node in answer] == [
        ("reranker", 0.5),
        ("rank", pytest.approx(1 / 3)),
        ("rank", pytest.approx(1 / 6)),
    ]


async def test_what_is_not_configured_is_not_told(ask: Ask, settings: dict[str, str]) -> None:
    settings["AGENTS_FILE"] = ""
    answer = await ask()
    assert (answer.status, answer.json["Code"], answer.json["Status"]) == (503, "ServiceUnavailable", "503")
    assert "AGENTS_FILE" not in answer.json["Message"]
    assert SEARCH_KEY not in answer.json["Message"]


async def test_an_index_that_the_agent_does_not_have_cannot_be_published(
    ask: Ask, settings: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    assert (await ask(agent="nobody")).status == 503
    assert "'nobody' has no Azure index 'atlas'" in caplog.text
