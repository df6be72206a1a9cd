"""What the service really answers, and really takes, fits what the document says."""

import json
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from retrieval.openapi import examples
from tests.conftest import KEY, RETRIEVE, Post, Response, ask
from tests.openapi.conforming import answer_faults, faults, read

ADMIN: Final = {"api-key": "local-admin-key"}
VERSION: Final = "api-version=2025-05-01-preview"
ODATA: Final = "/agents('{name}')/retrieve"
PLAIN: Final = "/agents/{name}/retrieve"
STUDIO: Final = "/llm-{workspaceId}/index/retrieve"
SAMPLE: Final = {"name": "kept", "models": [], "targetIndexes": [{"indexName": "earth_at_night"}]}

BODIES: Final[dict[str, object]] = {
    "an answer": ask("gas flares"),
    "an answer with sources": ask("gas flares", includeReferenceSourceData=True),
    "an answer without references": ask("gas flares", rerankerThreshold=4),
    "an unknown property": {"question": "?"},
    "no body": b"",
    "no JSON": b"{",
    "an array": [],
    "a filter that cannot be read": ask("gas flares", filterAddOn="eq eq"),
    "several faults": {"messages": [{"role": 1}, {"content": 2}]},
}


async def manage(post: Post, method: str, path: str, body: object = b"") -> Response:
    return await post(body, f"{path}?{VERSION}", method=method, headers=ADMIN)


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize("path", [ODATA, PLAIN])
async def test_retrieve(what: str, path: str, post: Post) -> None:
    answer = await post(BODIES[what], f"{path.format(name='earth-at-night')}?{VERSION}")
    assert answer_faults("POST", path, answer) == []
    assert (answer.status == 200) == what.startswith("an answer")


@pytest.mark.parametrize("key", [None, "wrong", KEY])
async def test_refused_and_missing(key: str | None, post: Post) -> None:
    answer = await post(ask("?"), RETRIEVE.replace("earth-at-night", "nobody"), key=key)
    assert answer.status in {401, 403, 404}
    assert answer_faults("POST", ODATA, answer) == []


@pytest.mark.parametrize("form", ["/agents('{name}')", "/agents/{name}"])
async def test_agents(form: str, post: Post) -> None:
    one = form.format(name="kept")
    steps = [
        ("POST", "/agents", "/agents", SAMPLE, 201),
        ("POST", "/agents", "/agents", SAMPLE, 409),
        ("GET", "/agents", "/agents", b"", 200),
        ("GET", form, one, b"", 200),
        ("PUT", form, one, {**SAMPLE, "description": "changed"}, 200),
        ("PUT", form, one, {**SAMPLE, "name": "other"}, 400),
        ("DELETE", form, one, b"", 204),
        ("DELETE", form, one, b"", 404),
        ("GET", form, one, b"", 404),
        ("PUT", form, one, SAMPLE, 201),
        ("DELETE", form, one, b"", 204),
    ]
    for method, path, address, body, status in steps:
        answer = await manage(post, method, address, body)
        assert answer.status == status, answer
        assert answer_faults(method, path, answer) == [], (method, path, status)


@pytest.mark.parametrize("path", ["/health", "/ready", "/openapi.json"])
async def test_what_everybody_is_told(path: str, post: Post) -> None:
    answer = await post(b"", path, method="GET", key=None)
    assert answer.status == 200
    assert answer_faults("GET", path, answer) == []


@pytest.mark.parametrize("parameters", [{"IndexId": "earth-at-night", "Query": "gas flares"}, {}, {"Query": "?"}])
async def test_model_studio(parameters: dict[str, str], post: Post) -> None:
    answer = await post(b"", f"/llm-local/index/retrieve?{urlencode(parameters)}")
    assert answer_faults("POST", STUDIO, answer) == []
    assert answer.status == (200 if "IndexId" in parameters else 400)


async def test_what_model_studios_example_says_is_taken(post: Post) -> None:
    """In the body, as the document has it, and in the query string, where what is no scalar is JSON."""
    said: Any = examples.PARAMETERS
    scalars = {parameter["name"] for parameter in parameters() if "schema" in parameter}
    query = {name: value if name in scalars else json.dumps(value) for name, value in said.items()}
    in_body = await post(said, "/llm-local/index/retrieve")
    in_query = await post(b"", f"/llm-local/index/retrieve?{urlencode(query)}")
    assert (in_body.status, in_query.status) == (200, 200)
    assert in_body.json["Data"] == in_query.json["Data"]
    assert len(in_body.json["Data"]["Nodes"]) == 1


def parameters() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read()["paths"][STUDIO]["post"]["parameters"]
    return [parameter for parameter in found if parameter["in"] == "query"]


@pytest.mark.parametrize("detail", ["answer", "workflow", "neither"])
@pytest.mark.parametrize("text", ["gas flares", "hello", "zzz"])
async def test_answers(detail: str, text: str, post: Post) -> None:
    answer = await post(ask(text), f"/agents/earth-at-night/answer?detail={detail}")
    assert answer_faults("POST", "/agents/{name}/answer", answer) == []
    assert (answer.status == 200) == (detail != "neither")


@pytest.mark.parametrize("message", [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0"}])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_tools(method: str, message: dict[str, object], post: Post) -> None:
    accepted = {"accept": "application/json, text/event-stream"}
    answer = await post(message, "/agents/earth-at-night/mcp", method=method, headers=accepted)
    assert answer_faults(method, "/agents/{name}/mcp", answer) == []


async def test_the_example_of_an_answer_is_answered(post: Post) -> None:
    answer = await post(examples.ASKED, "/agents/earth-at-night/answer")
    assert (answer.status, len(answer.json["selected"])) == (200, 1)


async def test_the_example_of_a_question_is_answered(post: Post) -> None:
    answer = await post(examples.QUESTION)
    assert (answer.status, len(answer.json["references"])) == (200, 1)


@pytest.mark.parametrize("name", ["RetrieveRequest", "AskRequest", "Agent", "ModelStudioRetrieve"])
def test_an_unknown_property_does_not_fit_a_request(name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}"}
    assert any("unheard" in one for one in faults({"unheard": 1}, schema))
