"""The route over the sample corpus, without a model: whatever is asked, the answer adds up and can be verified."""

import asyncio
import json
from collections import Counter
from typing import Any, Final

from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.local.corpora import sample
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.conftest import Post, ask
from tests.contracts.answer.test_request import RANGES
from tests.contracts.answer.test_workflow_payloads import valid
from tests.laws import law

TARGET: Final = "/agents/earth-at-night/answer"
TEXTS: Final = {str(document["id"]): str(document["content"]) for document in sample().documents}
WORDS: Final = sorted({word for text in TEXTS.values() for word in text.split()})

_questions = (
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
    | st.text(min_size=1, max_size=30).filter(str.strip)
    | st.sampled_from(["hello", "Thanks!", "Which rivers? And which roads follow them to harbours?", "あ", "?"])
)
_limits = st.fixed_dictionaries(
    {},
    optional={
        "maxQueries": st.integers(1, 3),
        "maxChunks": st.integers(1, 8),
        "maxFollowUps": st.integers(0, 1),
        "rerankerThreshold": st.floats(0, 4),
    },
)


def send(host: Host, body: object, query: str = "") -> tuple[int, Any]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = (
        ("content-type", "application/json"),
        ("content-length", str(len(content))),
        ("api-key", "local-dev-key"),
    )
    request = WireRequest(method="POST", target=f"{TARGET}{query}", headers=headers, body=content)
    response = asyncio.run(host(request))
    return response.status, json.loads(response.body)


@law(80)
@given(question=_questions, limits=_limits)
@example(question="Few India Kilauea, When", limits={})
def test_every_document_found_is_counted_and_every_quote_is_in_its_document(
    host: Host, question: str, limits: dict[str, float]
) -> None:
    body = {"messages": ask(question)["messages"], "limits": limits}
    status, answer = send(host, body)
    if status == 400:
        assert "Control character" in answer["error"]["message"]
        return
    assert status == 200, answer
    rounds = [one for one in answer["activity"] if one["type"] == "round"]
    assert bool(rounds) == answer["route"]["should_run_rag"]
    for one in rounds:
        dropped = sum((Counter(search["dropped"]) for search in one["searches"]), Counter[str]())
        assert one["found"] == one["gathered"] + sum(one["omitted"].values())
        assert one["found"] == sum(search["count"] for search in one["searches"])
        assert all(one["omitted"][reason] >= count for reason, count in dropped.items())
    selected = {one["id"]: one for one in answer["selected"]}
    assert len(selected) <= limits.get("maxChunks", 8)
    for one in answer["citations"]:
        chunk = selected[one["chunk_id"]]
        if one["quote"] is not None:
            assert one["quote"] == chunk["text"][one["start"] : one["end"]]
            assert one["quote"] in TEXTS[chunk["doc_key"]]
        number = 1 + answer["sources"].index(one["source"])
        assert f"[{number}]" in answer["answer_markdown"] and f"\n- [{number}] " in answer["answer_markdown"]
    evidence = answer["evidence"]
    if evidence is not None:
        assert (evidence["is_sufficient"], evidence["by"], "confidence" in evidence) == (None, None, False)
    valid(send(host, body, "?detail=workflow")[1])


_members = st.sampled_from(["messages", "filter", "indexName", "limits"]) | st.text(max_size=4)
_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["user", "a eq 1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_members | st.sampled_from(list(RANGES)), inner),
    max_leaves=6,
)
_usual: Final = ask("Phoenix")


@law(200)
@given(body=st.binary(max_size=30) | _values | st.dictionaries(_members, _values).map(lambda more: {**_usual, **more}))
def test_any_body_is_answered_in_azures_envelope(host: Host, body: object) -> None:
    status, answer = send(host, body)
    assert status == 200 or 400 <= status < 500, answer
    assert "error" in answer or "answer_markdown" in answer


async def test_no_version_is_asked_for_and_one_that_is_said_is_no_fault(post: Post) -> None:
    assert (await post(ask("Phoenix"), TARGET)).status == 200
    assert (await post(ask("Phoenix"), f"{TARGET}?api-version=2025-05-01-preview")).status == 200


async def test_who_may_not_retrieve_may_not_ask(post: Post) -> None:
    for key, status in ((None, 401), ("wrong", 403)):
        answer = await post(ask("Phoenix"), TARGET, key=key)
        assert (answer.status, set(answer.json)) == (status, {"error"})


async def test_what_is_not_there_is_a_404_and_what_is_too_large_a_413(post: Post) -> None:
    assert (await post(ask("Phoenix"), "/agents/nobody/answer")).json["error"]["code"] == "ResourceNotFound"
    assert (await post(ask("x" * 1_048_576), TARGET)).json["error"]["code"] == "RequestBodyTooLarge"
