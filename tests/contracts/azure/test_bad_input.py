"""Every kind of bad input has its own clear answer, in the contract's envelope."""

import codecs
import gzip
import json
from typing import Any

import pytest

from tests.conftest import Post, ask

HOW_TO_WITH_BROKEN_QUOTES = b"""{"messages": [{"role": "assistant", "content": [{"type": "text",
    "text": "If you do not have the answer, respond with "I don't know"." }]}]}"""


def messages(*content: object, role: object = "user") -> dict[str, object]:
    return {"messages": [{"role": role, "content": list(content)}]}


def text(value: object) -> dict[str, object]:
    return {"type": "text", "text": value}


def with_params(**params: object) -> dict[str, object]:
    return ask("street grid", **params)


BAD_BODIES: dict[str, tuple[object, str, str | None]] = {
    "broken JSON": (b'{"messages": [', "not valid JSON", None),
    "the how-to's unescaped quotes": (HOW_TO_WITH_BROKEN_QUOTES, "not valid JSON", None),
    "not UTF-8": (b'{"messages": "\xff"}', "not valid JSON", None),
    "compressed": (gzip.compress(b"{}"), "is compressed", None),
    "empty": (b"", "body is empty", None),
    "blank": (b" \n ", "body is empty", None),
    "array": ([], "must be a JSON object, not an array", None),
    "null": (None, "must be a JSON object, not null", None),
    "NaN": (b'{"messages": NaN}', "not valid JSON", None),
    "no messages": ({}, "'messages' is required", "messages"),
    "messages null": ({"messages": None}, "messages: Input should be a valid list", "messages"),
    "messages empty": ({"messages": []}, "at least 1 item", "messages"),
    "no user message": (messages(text("hi"), role="assistant"), "role 'user'", "messages"),
    "blank user message": (messages(text("  ")), "role 'user'", "messages"),
    "role of the wrong type": (messages(text("hi"), role=1), "valid string", "messages[0].role"),
    "role missing": ({"messages": [{"content": [text("hi")]}]}, "is required", "messages[0].role"),
    "content a string": (
        {"messages": [{"role": "user", "content": "hi"}]},
        '[{"type": "text", "text": "…"}]',
        "messages[0].content",
    ),
    "content empty": (messages(), "at least 1 item", "messages[0].content"),
    "content an image": (
        messages({"type": "image", "image": {"url": "https://example.org/a.png"}}),
        "Image content is not supported",
        "messages[0].content[0]",
    ),
    "content of another type": (messages({"type": "audio"}), "must be 'text'", "messages[0].content[0].type"),
    "text missing": (messages({"type": "text"}), "has the property 'text'", "messages[0].content[0]"),
    "text a number": (messages(text(7)), "valid string", "messages[0].content[0].text"),
    "unknown property": ({**ask("hi"), "foo": 1}, "'foo' does not exist", "foo"),
    "unknown property below": (messages({**text("hi"), "x": 1}), "'x' does not exist", "messages[0].content[0].x"),
    "a property twice": ({**ask("hi"), "Messages": []}, "given twice", "messages"),
    "two targetIndexParams": ({**ask("hi"), "targetIndexParams": [{}, {}]}, "Only one", "targetIndexParams"),
    "foreign index": (with_params(indexName="other"), "is not a target", "targetIndexParams[0].indexName"),
    "threshold below": (with_params(rerankerThreshold=-0.1), "greater than", "targetIndexParams[0].rerankerThreshold"),
    "threshold above": (with_params(rerankerThreshold=4.01), "less than", "targetIndexParams[0].rerankerThreshold"),
    "threshold a string": (
        with_params(rerankerThreshold="NaN"),
        "valid number",
        "targetIndexParams[0].rerankerThreshold",
    ),
    "no documents": (with_params(maxDocsForReranker=0), "greater than", "targetIndexParams[0].maxDocsForReranker"),
    "too many documents": (
        with_params(maxDocsForReranker=201),
        "less than or equal to 200",
        "targetIndexParams[0].maxDocsForReranker",
    ),
    "half a document": (
        with_params(maxDocsForReranker=50.5),
        "valid integer",
        "targetIndexParams[0].maxDocsForReranker",
    ),
    "true documents": (
        with_params(maxDocsForReranker=True),
        "valid integer",
        "targetIndexParams[0].maxDocsForReranker",
    ),
    "malformed filter": (with_params(filterAddOn="page_number eq"), "position", "targetIndexParams[0].filterAddOn"),
    "two fields compared": (with_params(filterAddOn="foo eq bar"), "'bar'", "targetIndexParams[0].filterAddOn"),
    "escape from our parenthesis": (
        with_params(filterAddOn="page_number eq '1') or (page_number ne '1'"),
        "position",
        "targetIndexParams[0].filterAddOn",
    ),
    "a control character in a filter": (
        with_params(filterAddOn="page_number eq '\u0000'"),
        "U+0000",
        "targetIndexParams[0].filterAddOn",
    ),
    "4,000 messages": ({"messages": ask("hi")["messages"] * 4_000}, "at most 1000 items", "messages"),  # type: ignore[operator]
    "control character": (messages(text("a\u0000b")), "U+0000 at position 1", "messages[0].content[0].text"),
    "raw control character": (b'{"messages": "\x01"}', "not valid JSON", None),
    "lone surrogate": (
        b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "\\ud800"}]}]}',
        "not valid JSON",
        None,
    ),
    "nested 10,000 deep": (b'{"messages": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "not valid JSON", None),
}


@pytest.mark.parametrize("kind", BAD_BODIES)
async def test_a_bad_body_is_a_400_that_says_what_is_wrong_and_where(post: Post, kind: str) -> None:
    body, message, target = BAD_BODIES[kind]
    answer = await post(body)
    assert answer.status == 400, answer.body
    error = answer.json["error"]
    assert message in error["message"]
    assert error.get("target") == target
    assert error["code"] in {"InvalidRequest", "InvalidFilter"}
    assert answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    ("filter_", "message"),
    [("nowhere eq 'x'", "nowhere"), ("content eq 'x'", "content"), ("page_number eq 105", "page_number")],
)
async def test_a_filter_that_the_index_refuses_is_a_400_with_its_reason(post: Post, filter_: str, message: str) -> None:
    answer = await post(with_params(filterAddOn=filter_))
    assert answer.status == 400, answer.body
    assert message in answer.json["error"]["message"]


async def test_a_chunked_body_is_missing_and_the_answer_says_why(post: Post) -> None:
    answer = await post(b"", headers={"transfer-encoding": "chunked", "content-length": "0"})
    assert answer.status == 400
    assert "chunked" in answer.json["error"]["message"]


async def test_a_body_over_1_MiB_is_a_413(post: Post) -> None:
    answer = await post(ask("x" * 1_048_576))
    assert answer.status == 413
    assert answer.json["error"]["code"] == "RequestBodyTooLarge"


async def test_a_body_of_just_under_1_MiB_is_answered(post: Post) -> None:
    assert (await post(ask("street grid " * 87_000))).status == 200


async def test_a_byte_order_mark_before_the_body_is_no_part_of_it(post: Post) -> None:
    assert (await post(codecs.BOM_UTF8 + json.dumps(ask("street grid")).encode())).status == 200


async def test_an_unknown_agent_is_a_404(post: Post) -> None:
    answer = await post(ask("hi"), "/agents('nobody')/retrieve?api-version=2025-05-01-preview")
    assert answer.status == 404
    assert "'nobody'" in answer.json["error"]["message"]


@pytest.mark.parametrize("path", ["/knowledgebases('nobody')/retrieve", "/KnowledgeBases/nobody/retrieve"])
async def test_an_unknown_base_is_called_a_base(post: Post, path: str) -> None:
    answer = await post({"intents": [{"type": "semantic", "search": "hi"}]}, f"{path}?api-version=2026-04-01")
    assert answer.status == 404
    assert "No knowledge base with the name 'nobody'" in answer.json["error"]["message"]


@pytest.mark.parametrize(("key", "status"), [(None, 401), ("wrong", 403), ("local-dev-key,local-dev-key", 403)])
async def test_a_call_without_the_right_key_is_refused(post: Post, key: str | None, status: int) -> None:
    answer = await post(ask("hi"), key=key)
    assert answer.status == status
    assert set(answer.json["error"]) == {"code", "message"}


async def test_an_empty_key_is_no_key(post: Post) -> None:
    assert (await post(ask("hi"), key="")).status == 401


@pytest.mark.parametrize("version", ["2030-01-01", "", "2025-05-01", "2025-05-01-preview,2025-05-01-preview"])
async def test_an_unknown_version_is_answered_with_the_supported_ones(post: Post, version: str) -> None:
    answer = await post(ask("hi"), f"/agents('earth-at-night')/retrieve?api-version={version}")
    assert answer.status == 400
    assert answer.json["error"]["code"] == "UnsupportedApiVersion"
    assert "2025-05-01-preview" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("path", "version", "other"),
    [("agents", "2026-08-01-preview", "knowledgebases"), ("knowledgebases", "2025-05-01-preview", "agents")],
)
async def test_a_version_of_another_route_is_answered_with_that_route(
    post: Post, path: str, version: str, other: str
) -> None:
    answer = await post(ask("hi"), f"/{path}('earth-at-night')/retrieve?api-version={version}")
    assert (answer.status, answer.json["error"]["code"]) == (400, "UnsupportedApiVersion")
    assert f"The api-version '{version}' is served at {other}, not here." in answer.json["error"]["message"]


async def test_a_missing_version_is_answered_with_the_supported_ones(post: Post) -> None:
    answer = await post(ask("hi"), "/agents('earth-at-night')/retrieve")
    assert answer.status == 400
    assert "missing" in answer.json["error"]["message"]


async def test_several_faults_are_all_named(post: Post) -> None:
    answer = await post({"messages": [{"role": 1, "content": "x"}], "foo": 1})
    error: dict[str, Any] = answer.json["error"]
    assert {error["target"], *(one["target"] for one in error["details"])} == {
        "messages[0].role",
        "messages[0].content",
        "foo",
    }


async def test_a_user_token_changes_nothing_where_the_index_has_no_document_permissions(post: Post) -> None:
    answer = await post(ask("street grid"), headers={"x-ms-query-source-authorization": "TOKEN-OF-A-USER"})
    assert answer.status == 200
    assert b"TOKEN-OF-A-USER" not in answer.body


async def test_a_control_character_in_the_user_token_is_a_400(post: Post) -> None:
    answer = await post(ask("street grid"), headers={"x-ms-query-source-authorization": "a\x01"})
    assert answer.status == 400
    assert answer.json["error"]["target"] == "x-ms-query-source-authorization"


async def test_a_blank_last_turn_says_nothing_and_hides_nothing(post: Post) -> None:
    turns = [{"role": "user", "content": [text(said)]} for said in ("the", " ", "")]
    assert (await post({"messages": turns})).status == 200


async def test_a_question_at_the_end_of_a_long_message_is_found_and_what_was_left_out_is_said(post: Post) -> None:
    long = "Nothing of this matters. " * 100 + "What does the street grid of Phoenix look like at night?"
    answer = await post(ask(long, rerankerThreshold=0.5))
    *searches, ranker = answer.json["activity"]
    assert searches[0]["query"]["search"].endswith("look like at night?")
    assert f"{len(long)} characters" in ranker["warning"]
    assert any("page_105" in reference["docKey"] for reference in answer.json["references"])


async def test_hostile_json_values_everywhere_never_make_a_500(post: Post) -> None:
    values: list[object] = [None, True, -1, 1e308, "", "x", [], {}, [[]], {"type": "text"}, "\u202e", "🏙" * 10]
    bodies: list[object] = [
        *values,
        *({"messages": value} for value in values),
        *({"messages": [value]} for value in values),
        *(messages(value) for value in values),
        *(messages(text(value)) for value in values),
        *({**ask("hi"), "targetIndexParams": value} for value in values),
        *({**ask("hi"), "targetIndexParams": [value]} for value in values),
        *(
            with_params(**{name: value})
            for name in ("indexName", "filterAddOn", "rerankerThreshold")
            for value in values
        ),
    ]
    for body in bodies:
        answer = await post(body)
        assert answer.status in {200, 400}, (json.dumps(body), answer.body)
        assert answer.json
