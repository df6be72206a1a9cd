"""The explanation of an answer, over the sample corpus: every document found, and why it stands where it does."""

from collections import Counter
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.corpora import THRESHOLD, sample
from retrieval.local.host import Host
from tests.conftest import Post, ask
from tests.contracts.answer.test_over_http import TEXTS, WORDS, send
from tests.laws import law

TARGET: Final = "/agents/earth-at-night/answer?detail=explained"
KEYWORDS: Final = {str(document["id"]): str(document["terms"]) for document in sample().documents}
QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"


def body(question: str = QUESTION, **limits: float) -> dict[str, Any]:
    return {"messages": ask(question)["messages"], "limits": limits}


async def explained(post: Post, content: dict[str, Any]) -> Any:
    answer = await post(content, TARGET)
    assert answer.status == 200, answer.body
    return answer.json


async def test_only_a_caller_who_asks_has_it(post: Post) -> None:
    for query in ("", "?detail=answer", "?detail=workflow"):
        answer = await post(body(), f"/agents/earth-at-night/answer{query}")
        assert answer.status == 200 and "explained" not in answer.json


@law(40)
@given(
    question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
    threshold=st.floats(0, 4),
    queries=st.integers(1, 3),
)
def test_every_document_is_there_once_and_those_that_are_not_have_the_reason_that_is_counted(
    host: Host, question: str, threshold: float, queries: int
) -> None:
    limits = {"rerankerThreshold": threshold, "maxQueries": queries, "maxFollowUps": 0}
    status, answer = send(host, body(question, **limits), "?detail=explained")
    assert status == 200
    told = answer["explained"]
    rounds = [record for record in answer["activity"] if record["type"] == "round"]
    documents = told["documents"]
    assert len({document["doc_key"] for document in documents}) == len(documents)
    found = Counter(finding["search"] for document in documents for finding in document["searches"])
    counts = [search["count"] for record in rounds for search in record["searches"]]
    assert [found[place] for place in range(len(counts))] == counts
    chunks = [document["chunk_id"] for document in documents if document["chunk_id"]]
    assert chunks == [f"c{number + 1}" for number in range(len(chunks))]
    assert {one["id"] for one in answer["selected"]} <= set(chunks)
    reasons = Counter(document["reason"] for document in documents if document["chunk_id"] is None)
    omitted = sum((Counter(record["omitted"]) for record in rounds), Counter[str]())
    omitted.pop("duplicate", None)
    assert reasons["threshold"] <= omitted.pop("threshold", 0)
    assert {reason: count for reason, count in reasons.items() if reason != "threshold"} == omitted
    for document in documents:
        assert document["score"] == max(finding["score"] for finding in document["searches"])
        assert (document["reason"] == "threshold") == (document["score"] < document["threshold"] == threshold)
        key = document["doc_key"]
        parts = (document["text"], TEXTS[key], KEYWORDS[key], document["title"])
        assert all(word in "\n".join(parts) for finding in document["searches"] for word in finding["words"])


async def test_words_that_stand_in_keywords_alone_are_named(post: Post) -> None:
    """The same holds for headings of files, which their indexes have as keywords."""
    told = (await explained(post, body("Which natural sources?")))["explained"]
    key = "earth_at_night_508_page_12_verbalized"
    words = next(one for one in told["documents"] if one["doc_key"] == key)["searches"][0]["words"]
    assert "natural" in KEYWORDS[key] and "natural" not in TEXTS[key] and "natural" in words


@pytest.mark.parametrize("lower", [0.0, 0.5, 1.0])
async def test_a_lower_threshold_brings_what_the_scores_below_it_promise(lower: float, post: Post) -> None:
    strict = (await explained(post, body(rerankerThreshold=3, maxFollowUps=0)))["explained"]["documents"]
    promised = {document["doc_key"] for document in strict if document["score"] >= lower}
    lenient = (await explained(post, body(rerankerThreshold=lower, maxFollowUps=0)))["explained"]["documents"]
    assert promised == {document["doc_key"] for document in lenient if document["reason"] != "threshold"}


async def test_a_document_that_a_filter_takes_away_is_not_shown(post: Post) -> None:
    content = body() | {"filter": "page_number eq '105'"}
    told = (await explained(post, content))["explained"]
    assert [document["doc_key"] for document in told["documents"]] == ["earth_at_night_508_page_105_verbalized"]


async def test_the_threshold_in_force_is_that_of_the_search(post: Post) -> None:
    told = (await explained(post, body(rerankerThreshold=1.25)))["explained"]
    assert {search["threshold"] for search in told["searches"] if search["ranked"]} == {1.25}
    told = (await explained(post, body()))["explained"]
    assert {search["threshold"] for search in told["searches"] if search["ranked"]} == {THRESHOLD}


async def test_a_search_began_after_the_call(post: Post) -> None:
    answer = await explained(post, body())
    records = [record for record in answer["activity"] if record["type"] == "round"]
    for search in answer["explained"]["searches"]:
        record = next(record for record in records if record["round"] == search["round"])
        assert record["started_ms"] - 2 <= search["started_ms"] <= record["started_ms"] + record["elapsed_ms"] + 2
    assert answer["explained"]["started_at"].endswith("Z")


async def test_a_conversation_names_the_words_that_were_searched(post: Post) -> None:
    messages = [
        *body("Why is the street grid of Phoenix so sharply visible?")["messages"],
        {"role": "assistant", "content": [{"type": "text", "text": "Its arterials run straight."}]},
        *body("And the interstate?")["messages"],
    ]
    told = (await explained(post, {"messages": messages}))["explained"]
    words = {word.casefold() for document in told["documents"] for word in document["searches"][0]["words"]}
    assert {"interstate", "phoenix"} <= words


async def test_a_greeting_has_no_documents(post: Post) -> None:
    told = (await explained(post, body("hello")))["explained"]
    assert (told["searches"], told["documents"]) == ([], [])
