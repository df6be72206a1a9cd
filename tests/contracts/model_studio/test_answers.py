"""The answers: nodes with falling scores, the envelope of every success and error, the routes."""

import re
from hashlib import sha256
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.model_studio.contract import reranker_score, score, scores
from retrieval.model.retrieval import Reference
from retrieval.model.search import Hit, SearchTarget
from tests import conftest
from tests.conftest import Post, Response
from tests.contracts.model_studio.conftest import PATH, Ask

BODY: Final = b'{"IndexId": "earth-at-night", "Query": "Phoenix"}'
UUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")


def failed(answer: Response) -> tuple[int, str]:
    """Status and code of an answer that has the whole envelope of an error."""
    assert set(answer.json) == {"Code", "Message", "RequestId", "Status", "Success"}
    assert answer.json["Success"] is False
    assert answer.json["Status"] == str(answer.status)
    assert UUID.fullmatch(answer.json["RequestId"])
    assert answer.headers["request-id"].upper() == answer.json["RequestId"]
    return answer.status, answer.json["Code"]


async def test_a_success_has_the_documented_envelope(ask: Ask) -> None:
    answer = await ask(RerankTopN=2)
    body = answer.json
    assert UUID.fullmatch(body["RequestId"])
    assert answer.headers["x-acs-request-id"] == body["RequestId"]
    nodes = body["Data"]["Nodes"]
    assert [set(node) for node in nodes] == [{"Text", "Score", "Metadata"}] * 2
    del body["RequestId"]
    assert body == {
        "Code": "Success",
        "Message": "success",
        "Status": "200",
        "Success": True,
        "Data": {"Nodes": nodes},
    }


async def test_a_node_has_its_text_its_score_and_what_is_known_of_it(ask: Ask) -> None:
    node = (await ask(RerankTopN=1)).json["Data"]["Nodes"][0]
    metadata = node["Metadata"]
    assert metadata["_score"] == node["Score"] == 1.0
    assert metadata["content"] == node["Text"]
    assert metadata["_id"] == metadata["doc_id"] == metadata["id"] == "earth_at_night_508_page_104_verbalized"
    assert metadata["title"] == metadata["doc_name"] == "Phoenix by Night"
    assert (metadata["pipeline_id"], metadata["workspace_id"]) == ("earth-at-night", "llm-local")
    assert metadata["page_number"] == "104"
    assert "Phoenix" in metadata["terms"]


async def test_nothing_found_is_a_success_without_nodes(ask: Ask) -> None:
    answer = await ask(SearchFilters=[{"page_number": "104"}, {"page_number": "105"}])
    assert answer.status == 200
    assert (answer.json["Code"], answer.json["Success"], answer.json["Data"]) == ("Success", True, {"Nodes": []})


async def test_scores_fall_and_the_threshold_and_the_number_cut(ask: Ask) -> None:
    everything = (await ask(RerankTopN=20, RerankMinScore=0.01)).json["Data"]["Nodes"]
    found = [node["Score"] for node in everything]
    assert found == sorted(found, reverse=True)
    assert len(found) == 20
    best = (await ask(RerankTopN=20, RerankMinScore=0.5)).json["Data"]["Nodes"]
    assert [node["Score"] for node in best] == [one for one in found if one >= 0.5]
    assert len((await ask()).json["Data"]["Nodes"]) == 5


async def test_a_score_that_equals_the_threshold_passes(ask: Ask) -> None:
    second = (await ask()).json["Data"]["Nodes"][1]["Score"]
    again = (await ask(RerankMinScore=repr(second))).json["Data"]["Nodes"]
    assert again[-1]["Score"] == second


async def test_without_reranking_the_score_falls_with_the_rank_and_says_so(ask: Ask) -> None:
    nodes = (await ask(EnableReranking=False, RerankTopN=4, RerankMinScore=0.9)).json["Data"]["Nodes"]
    assert [node["Score"] for node in nodes] == pytest.approx([0.8, 0.6, 0.4, 0.2])
    assert {node["Metadata"]["_score_source"] for node in nodes} == {"rank"}


async def test_a_pattern_is_evaluated_on_what_is_found(ask: Ask) -> None:
    nodes = (await ask(SearchFilters=[{"page_number": {"like": "10_"}}], RerankTopN=20)).json["Data"]["Nodes"]
    pages = {node["Metadata"]["page_number"] for node in nodes}
    assert pages
    assert all(re.fullmatch("10.", page) for page in pages)


async def test_a_question_is_rewritten_from_its_history_only_when_asked(ask: Ask) -> None:
    history = [
        {"role": "user", "content": "What lights up the Nile delta?"},
        {"role": "assistant", "content": "Towns."},
    ]
    plain = await ask(Query="And what about it at night?", QueryHistory=history)
    rewritten = await ask(Query="And what about it at night?", QueryHistory=history, EnableRewrite=True)
    titles = [[node["Metadata"]["title"] for node in answer.json["Data"]["Nodes"]] for answer in (plain, rewritten)]
    assert not any("Nile" in title for title in titles[0][:1])
    assert "Nile" in titles[1][0]


@pytest.mark.parametrize(
    ("path", "index", "expected"),
    [
        ("/llm-other/index/retrieve", "earth-at-night", (403, "Index.NoWorkspacePermissions")),
        ("/ws_3Nt27MYcoK191ISp/index/retrieve", "earth-at-night", (403, "Index.NoWorkspacePermissions")),
        (PATH, "nothing", (404, "Index.NotExist")),
        ("/shop/index/retrieve", "earth-at-night", (404, "InvalidApi.NotFound")),
        ("/index/retrieve", "earth-at-night", (404, "InvalidApi.NotFound")),
        ("/api/v1/indices/rag/index/retrieve", "x", (404, "InvalidApi.NotFound")),
    ],
)
async def test_what_is_not_there_is_said_in_the_contracts_words(
    ask: Ask, path: str, index: str, expected: tuple[int, str]
) -> None:
    assert failed(await ask(path=path, IndexId=index)) == expected


async def test_another_action_or_version_is_no_operation(post: Post) -> None:
    for headers in ({"x-acs-action": "ListIndices"}, {"x-acs-version": "2024-01-01"}):
        assert failed(await post(b"", PATH, headers=headers)) == (404, "InvalidApi.NotFound")


async def test_an_agent_named_index_is_asked_by_azures_route(post: Post) -> None:
    answer = await post(conftest.ask("x"), "/agents/index/retrieve?api-version=2025-05-01-preview")
    assert (answer.status, answer.json["error"]["code"]) == (404, "ResourceNotFound")
    assert (await post(b"", "/nowhere")).json["error"]["code"] == "ResourceNotFound"


async def test_a_key_of_this_service_opens_it_as_a_bearer_token_too(post: Post) -> None:
    target = f"{PATH}?IndexId=earth-at-night&Query=Phoenix"
    bearer = {"x-acs-bearer-token": "local-dev-key", "x-acs-signature-type": "BEARERTOKEN"}
    assert (await post(b"", target, key=None, headers=bearer)).status == 200
    wrong = {"x-acs-bearer-token": "guess"}
    assert failed(await post(b"", target, key=None, headers=wrong)) == (403, "AccessDenied")
    assert failed(await post(b"", target, key="guess")) == (403, "AccessDenied")
    assert failed(await post(b"", target, key=None)) == (400, "IncompleteSignature")


@pytest.mark.parametrize(
    ("told", "status"),
    [(sha256(BODY).hexdigest(), 200), ("UNSIGNED-PAYLOAD", 200), (sha256(b"").hexdigest(), 400), ("0" * 64, 400)],
)
async def test_a_body_with_the_hash_of_another_is_refused_with_a_key_too(post: Post, told: str, status: int) -> None:
    headers = {"content-type": "application/json", "x-acs-content-sha256": told}
    answer = await post(BODY, PATH, headers=headers)
    assert answer.status == status, answer.body
    assert status == 200 or "x-acs-content-sha256" in answer.json["Message"]


async def test_a_signature_that_does_not_hold_is_not_saved_by_a_key(post: Post) -> None:
    target = f"{PATH}?IndexId=earth-at-night&Query=Phoenix"
    assert failed(await post(b"", target, headers={"authorization": "acs x:y"})) == (400, "IncompleteSignature")


@given(st.floats(0, 4), st.floats(0, 4))
def test_the_map_of_scores_keeps_order_and_has_an_inverse(one: float, other: float) -> None:
    assert 0 <= score(one) <= 1
    if score(one) < score(other):
        assert one < other
    if one <= other:
        assert score(one) <= score(other)
    assert reranker_score(score(one)) == pytest.approx(one, abs=1e-300)
    assert score(reranker_score(one / 4)) == one / 4


ranks = st.tuples(st.lists(st.floats(0, 5), max_size=8), st.integers(0, 8))


@given(ranks)
def test_scores_fall_from_ranked_to_unranked(found: tuple[list[float], int]) -> None:
    ranked, others = sorted(found[0], reverse=True), found[1]
    hits = [Hit(key=str(n), score=one) for n, one in enumerate([*ranked, *[None] * others])]
    target = SearchTarget(index="i", threshold=0)
    given_to = scores(tuple(Reference(hit=hit, target=target, subquery=0) for hit in hits))
    assert given_to == sorted(given_to, reverse=True)
    assert all(0 <= one <= 1 for one in given_to)
