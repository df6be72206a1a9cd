"""The parameters: wherever they stand, whatever form they have, within their ranges."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.conftest import Post, Response
from tests.contracts.model_studio.conftest import PATH, QUERY, Ask

FORM = {"content-type": "application/x-www-form-urlencoded"}
BASE = {"IndexId": "earth-at-night", "Query": QUERY}
RICH: dict[str, Any] = {
    **BASE,
    "DenseSimilarityTopK": 50,
    "SparseSimilarityTopK": 60,
    "EnableReranking": True,
    "Rerank": [{"ModelName": "gte-rerank-hybrid", "RerankMode": "custom", "RerankInstruct": "prefer recent"}],
    "RerankMinScore": 0.2,
    "RerankTopN": 3,
    "EnableRewrite": True,
    "Rewrite": [{"ModelName": "conv-rewrite-qwen-1.8b"}],
    "QueryHistory": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "你好"}],
    "SearchFilters": [{"page_number": ["104", "105"]}],
    "SaveRetrieverHistory": False,
    "Extra": {"uniqueId": "u-1"},
}


def keys(answer: Response) -> list[str]:
    assert answer.status == 200, answer.body
    return [node["Metadata"]["_id"] for node in answer.json["Data"]["Nodes"]]


def refused(answer: Response, name: str) -> str:
    assert (answer.status, answer.json["Code"]) == (400, "Index.InvalidParameter"), answer.body
    message: str = answer.json["Message"]
    assert message.startswith(f"Required parameter({name}) missing or invalid, please check the request parameters. ")
    return message


async def test_query_string_json_body_and_form_say_the_same(ask: Ask, post: Post) -> None:
    texts = {name: json.dumps(value) if isinstance(value, list | dict) else str(value) for name, value in RICH.items()}
    answers = [
        await ask(**RICH),
        await post(RICH, PATH),
        await post(urlencode(texts).encode(), PATH, headers=FORM),
        await post(texts, PATH),
        await post(RICH, f"{PATH}?{urlencode(BASE)}"),
    ]
    found = [keys(answer) for answer in answers]
    assert all(one == found[0] for one in found)
    assert sorted(found[0]) == [f"earth_at_night_508_page_{n}_verbalized" for n in (104, 105)]


async def test_an_empty_body_may_be_of_any_type(post: Post) -> None:
    target = f"{PATH}?{urlencode(BASE)}"
    for kind in ("application/octet-stream", "text/plain", ""):
        assert keys(await post(b"", target, headers={"content-type": kind}))


@pytest.mark.parametrize("body", [b"[]", b"{", b'"x"', b"\xff", b'{"IndexId":1}', b'{"Query":"a","Query":"a"}'])
async def test_a_body_that_is_none_is_refused(post: Post, body: bytes) -> None:
    answer = await post(body, PATH)
    assert (answer.status, answer.json["Code"]) == (400, "Index.InvalidParameter")


async def test_names_are_compared_without_case_and_null_is_not_given(post: Post) -> None:
    body = {"indexId": "earth-at-night", "query": QUERY, "rerankTopN": 1, "SearchFilters": None}
    assert len(keys(await post(body, PATH))) == 1


@pytest.mark.parametrize("said", ["true", "True", "TRUE", "1"])
async def test_booleans_are_said_in_many_ways(ask: Ask, said: str) -> None:
    answer = await ask(EnableReranking=said)
    assert {node["Metadata"]["_score_source"] for node in answer.json["Data"]["Nodes"]} == {"reranker"}


async def test_numbers_are_said_in_many_ways(ask: Ask) -> None:
    assert keys(await ask(RerankMinScore="1e-02")) == keys(await ask(RerankMinScore="0.010"))


async def test_given_twice_alike_it_is_given_once_and_otherwise_refused(ask: Ask, post: Post) -> None:
    one = urlencode(BASE)
    assert keys(await post({"RerankTopN": 1}, f"{PATH}?{one}&RerankTopN=1&reranktopn=%31"))
    refused(await post(b"", f"{PATH}?{one}&RerankTopN=1&RerankTopN=2"), "RerankTopN")
    refused(await post({"RerankTopN": 2}, f"{PATH}?{one}&RerankTopN=1"), "RerankTopN")
    refused(await post(b"", f"{PATH}?{one}&Query="), "Query")
    filters = "SearchFilters=%5B%7B%22page_number%22%3A%22104%22%7D%5D"
    refused(await post(b"", f"{PATH}?{one}&{filters}&SearchFilters=%5B%5D"), "SearchFilters")
    refused(await post(b"", f"{PATH}?{one}&{filters}&SearchFilters="), "SearchFilters")


@pytest.mark.parametrize("name", ["IndexId", "Query"])
async def test_what_is_required_must_be_there_and_say_something(ask: Ask, name: str) -> None:
    for value in (None, "", "  "):
        refused(await ask(**{name: value}), name)


async def test_nothing_to_search_by_is_refused(ask: Ask) -> None:
    refused(await ask(DenseSimilarityTopK=0, SparseSimilarityTopK=0), "DenseSimilarityTopK")
    assert keys(await ask(DenseSimilarityTopK=0))
    answer = await ask(SparseSimilarityTopK=0)
    assert answer.status == 400
    assert "no vector field" in answer.json["Message"]


async def test_a_member_is_named_as_it_is_documented(ask: Ask) -> None:
    assert "[0].ModelName Input should be" in refused(await ask(Rewrite=[{"ModelName": "qwen-max"}]), "Rewrite")
    assert "[0].RerankMode Input should be" in refused(await ask(Rerank=[{"rerankmode": "best"}]), "Rerank")
    assert "[0].role Input should be" in refused(
        await ask(QueryHistory=[{"role": "x", "content": "x"}]), "QueryHistory"
    )


async def test_images_are_refused_until_they_mean_something(ask: Ask) -> None:
    refused(await ask(Images="https://e.com/a.png"), "Images")
    assert keys(await ask(Images=""))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DenseSimilarityTopK", -1),
        ("DenseSimilarityTopK", 101),
        ("SparseSimilarityTopK", "many"),
        ("SparseSimilarityTopK", ""),
        ("SparseSimilarityTopK", "1.0"),
        ("SparseSimilarityTopK", "9" * 5000),
        ("EnableReranking", "yes"),
        ("EnableReranking", ""),
        ("EnableRewrite", "2"),
        ("RerankMinScore", 0),
        ("RerankMinScore", 1.01),
        ("RerankMinScore", "nan"),
        ("RerankMinScore", "1e-05"),
        ("RerankMinScore", "inf"),
        ("RerankTopN", 0),
        ("RerankTopN", 21),
        ("Rerank", "gte-rerank"),
        ("Rerank", [{"ModelName": "my-own"}]),
        ("Rerank", [{"RerankTopN": 5}]),
        ("Rerank", [{"RerankMode": "best"}]),
        ("Rewrite", [{"ModelName": "qwen-max"}]),
        ("QueryHistory", [{"role": "system", "content": "x"}]),
        ("QueryHistory", [{"role": "user"}]),
        ("QueryHistory", {"role": "user", "content": "x"}),
        ("QueryHistory", [{"role": "user", "content": "\x00"}]),
        ("Query", "a\x00b"),
        ("SaveRetrieverHistory", "perhaps"),
        ("Extra", "[]"),
        ("SearchFilters", ""),
        ("SearchFilters", "{}"),
        ("SearchFilters", "null"),
        ("SearchFilters", '[{"salary":1}]'),
        ("is_displayed_chunk_content", "true"),
    ],
)
async def test_what_is_out_of_range_or_unknown_is_refused_by_name(ask: Ask, name: str, value: object) -> None:
    refused(await ask(**{name: value}), name)


async def test_an_object_stands_for_a_list_of_one(ask: Ask) -> None:
    assert keys(await ask(Rerank={"ModelName": "qwen3-rerank"}, Rewrite={"modelname": "conv-rewrite-qwen-1.8b"}))


@pytest.mark.parametrize("query", ["%FF", "Query=%C3%28", "&".join(["Rerank=[]"] * 300)])
async def test_a_query_string_that_cannot_be_read_is_refused(post: Post, query: str) -> None:
    answer = await post(b"", f"{PATH}?{query}")
    assert (answer.status, answer.json["Code"]) == (400, "Index.InvalidParameter")


async def test_a_body_that_is_too_large_is_refused(post: Post) -> None:
    answer = await post(b"{" + b" " * 1_048_576 + b"}", PATH)
    assert (answer.status, answer.json["Code"], answer.json["Status"]) == (413, "Index.InvalidParameter", "413")
