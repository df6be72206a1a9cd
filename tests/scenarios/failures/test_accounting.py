"""Nothing is lost: every document found is a reference or is counted under a reason; what was not ranked comes last."""

import json
import logging
import math
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.conftest import Post, Response, ask
from tests.laws import law
from tests.rooms import NEEDS_MCP
from tests.scenarios.failures.answer import keys, ranking, searches
from tests.scenarios.failures.conftest import CALLER_KEY, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, by_search, document, found, queries
from tests.scripted_azure.scripts import Document

TOOL: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "rag_retrieve", "arguments": {"query": "roads"}},
}
READABLE: Final = st.builds(
    document,
    st.integers(0, 99).map("doc-{}".format),
    st.none() | st.floats(0, 4) | st.integers(0, 4),
    content=st.text(max_size=20) | st.none(),
)
UNREADABLE: Final = st.builds(
    document,
    st.integers(0, 99).map("doc-{}".format) | st.none() | st.integers() | st.lists(st.text(max_size=3), max_size=2),
    st.sampled_from([math.nan, math.inf, -math.inf, "3.5", True, [], {}]),
)
PAGES: Final = st.lists(st.lists(READABLE | READABLE | READABLE | UNREADABLE, max_size=40), min_size=1, max_size=3)


@law(60, suppress=(HealthCheck.function_scoped_fixture,))
@given(pages=PAGES, threshold=st.floats(0, 4), most=st.none() | st.integers(1, 200))
async def test_every_document_found_is_referred_to_or_counted(
    pages: list[list[Document]], threshold: float, most: int | None, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    names = [f"query {number}" for number in range(len(pages))]
    azure.chat = queries(*names)
    azure.search = by_search({name: found(*page) for name, page in zip(names, pages, strict=True)}, otherwise=found())
    answer = await retrieve(names[0], rerankerThreshold=threshold, maxDocsForReranker=most)
    assert answer.status == 200
    for page, record in zip(pages, searches(answer), strict=True):
        dropped = record["dropped"]
        assert record["count"] == len(page)
        assert set(dropped) <= {"threshold", "duplicate", "limit", "error", "budget"}
        assert all(count > 0 for count in dropped.values())
        elsewhere = sum(count for reason, count in dropped.items() if reason != "budget")
        assert record["count"] == _credited(answer, record["id"]) + elsewhere
    _references_are_in_order(answer, pages, threshold)
    _what_is_not_in_the_text_is_counted(answer)


def _credited(answer: Response, activity: int) -> int:
    return sum(reference["activitySource"] == activity for reference in answer.json["references"])


def _references_are_in_order(answer: Response, pages: list[list[Document]], threshold: float) -> None:
    first = searches(answer)[0]["id"]
    scores = []
    for reference in answer.json["references"]:
        score = _best(pages, reference["docKey"], threshold)
        page = pages[reference["activitySource"] - first]
        assert any(one["id"] == reference["docKey"] and one["@search.rerankerScore"] == score for one in page)
        scores.append(-1.0 if score is None else score)
    assert any(_falls(scores[:best]) and _falls(scores[best:]) for best in range(len(pages) + 1))
    assert len(set(keys(answer))) == len(scores)


def _falls(scores: list[float]) -> bool:
    """The best document of each query comes first, by score, and then the others."""
    return scores == sorted(scores, reverse=True)


def _best(pages: list[list[Document]], key: object, threshold: float) -> float | None:
    """The best score that passes; None for a document that passes because one of its searches was not ranked."""
    scores = [one["@search.rerankerScore"] for page in pages for one in page if one["id"] == key]
    numbers = [float(score) for score in scores if isinstance(score, int | float) and not isinstance(score, bool)]
    return max((number for number in numbers if threshold <= number <= 4), default=None)


def _what_is_not_in_the_text_is_counted(answer: Response) -> None:
    grounded: list[dict[str, Any]] = json.loads(answer.json["response"][0]["content"][0]["text"])
    left_out = sum(record["dropped"].get("budget", 0) for record in searches(answer))
    assert len(grounded) + left_out == len(keys(answer))
    assert [item["ref_id"] for item in grounded] == sorted({item["ref_id"] for item in grounded})


async def test_documents_that_do_not_fit_into_the_text_are_referred_to_and_counted(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = found(*(document(f"doc-{number}", 3.0, content="x" * 5_000) for number in range(8)))
    answer = await retrieve("Which roads?", agent="plain")
    assert len(keys(answer)) == 8
    assert searches(answer)[0]["dropped"] == {"budget": 5}


async def test_a_partial_ranking_keeps_what_was_not_ranked_after_what_was(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    documents = [document("unranked-1", None), document("ranked", 1.5), document("unranked-2", None)]
    azure.search = found(*documents, partial="capacityOverloaded")
    answer = await retrieve("Which roads?", agent="plain")
    assert answer.status == 200
    assert keys(answer) == ["ranked", "unranked-1", "unranked-2"]
    (search,) = searches(answer)
    assert (search["count"], search["dropped"]) == (3, {})
    assert search["error"]["code"] == "SemanticRankingUnavailable"
    assert "capacityOverloaded" in search["error"]["message"]


async def test_a_ranker_that_gave_no_score_is_named_though_the_search_service_does_not(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = found(document("road", None), document("river", None))
    answer = await retrieve("Which roads?", agent="plain", rerankerThreshold=4)
    assert keys(answer) == ["road", "river"]
    assert searches(answer)[0]["error"]["code"] == "SemanticRankingUnavailable"
    assert ranking(answer)["inputTokens"] == 0


async def test_a_document_without_a_key_is_counted_as_an_error(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = found(document("road", 3.0), {"@search.rerankerScore": 3.5, "title": "No key"})
    answer = await retrieve("Which roads?", agent="plain")
    assert keys(answer) == ["road"]
    assert (searches(answer)[0]["count"], searches(answer)[0]["dropped"]) == (2, {"error": 1})


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize(
    "broken",
    [
        document("half", 3.5, title="Half a character \ud800 of it"),
        document("half", 3.5, content="\udfff"),
        document("half-\ud800", 3.5),
        {**document("half", 3.5), "\ud800": 1},
        None,
        7,
        [],
    ],
    ids=["title", "content", "key", "name", "null", "number", "list"],
)
async def test_a_document_that_cannot_be_read_is_counted_and_the_others_stay(
    broken: Document, place: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    others = [document("road", 3.0), document("river", 2.0)]
    azure.search = found(*([broken, *others] if place == "first" else [*others, broken]))
    answer = await retrieve("Which roads?", agent="plain", includeReferenceSourceData=True)
    assert keys(answer) == ["road", "river"]
    assert (searches(answer)[0]["count"], searches(answer)[0]["dropped"]) == (3, {"error": 1})


async def test_half_a_character_that_came_as_bytes_is_counted_too(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    page = json.dumps({"value": [document("road", 3.0), document("half", 3.5, title="HALF")]}).encode()
    azure.search = answering(page.replace(b"HALF", b"\xed\xa0\x80"))
    answer = await retrieve("Which roads?", agent="plain")
    assert keys(answer) == ["road"]
    assert searches(answer)[0]["dropped"] == {"error": 1}


async def test_a_score_that_is_not_a_number_is_not_a_score(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = found(document("nan", math.nan), document("infinite", math.inf), document("road", 3.0))
    answer = await retrieve("Which roads?", agent="plain")
    assert keys(answer) == ["road"]
    assert searches(answer)[0]["dropped"] == {"error": 2}


async def test_the_log_has_the_counts_of_a_retrieval(
    azure: ScriptedAzure, retrieve: Retrieve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="retrieval")
    azure.chat = queries("roads", "rivers")
    azure.search = found(document("road", 3.1), document("path", 0.2))
    await retrieve()
    (line,) = [one.getMessage() for one in caplog.records if one.getMessage().startswith("retrieve agent=planner")]
    assert line.endswith(" found=4 returned=1 threshold=2 duplicate=1")


@pytest.mark.parametrize(
    ("target", "begins"),
    [
        ("/agents/plain/answer", "answer agent=plain"),
        ("/agents/plain/answer events", "answer agent=plain"),
        ("/knowledgebases/plain/retrieve?api-version=2026-10-01 events", "retrieve agent=plain"),
        pytest.param("/agents/plain/mcp", "mcp", marks=NEEDS_MCP),
    ],
)
async def test_the_log_has_the_counts_of_each_way_to_an_answer(
    target: str, begins: str, azure: ScriptedAzure, retrieve: Retrieve, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    azure.search = found(document("road", 3.1), document("path", 0.2))
    await retrieve(agent="plain")
    caplog.set_level(logging.INFO, logger="retrieval")
    path, _, events = target.partition(" ")
    headers = {"accept": "text/event-stream" if events else "application/json, text/event-stream"}
    body = TOOL if path.endswith("mcp") else {"messages": ask("Roads")["messages"]}
    answer = await post(body, path, headers=headers, key=CALLER_KEY)
    assert answer.status == 200, answer.body
    (line,) = [one.getMessage() for one in caplog.records if one.getMessage().startswith(begins)]
    assert " found=" in line and " returned=1" in line and " threshold=" in line, line


async def test_a_piece_of_a_dropped_document_has_the_word_that_was_found(
    azure: ScriptedAzure, retrieve: Retrieve, post: Post
) -> None:
    """Also in a language that is written without blanks."""
    text = "夜間の地球を宇宙から見る。" * 60 + "フェニックスの街路。"
    azure.search = found(document("grid", 0.2, content=text))
    await retrieve(agent="plain")
    body = {"messages": ask("フェニックス")["messages"]}
    answer = await post(body, "/agents/plain/answer?detail=explained", key=CALLER_KEY)
    (shown,) = answer.json["explained"]["documents"]
    assert shown["searches"][0]["words"] and "フェニックス" in shown["text"]
