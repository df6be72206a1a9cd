"""What the document says is taken is taken, and what it does not say is not. Answers are compared in every test."""

import json
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from retrieval.contracts.answer.description import ANSWER_REQUEST
from retrieval.contracts.model_studio.description import PARAMETERS
from tests.conftest import Post
from tests.openapi.conforming import faults, read
from tools.openapi import examples

STUDIO: Final = "/llm-{workspaceId}/index/retrieve"


async def test_what_model_studios_example_says_is_taken(post: Post) -> None:
    """In the body, as the document has it, and in the query string, where what is no scalar is JSON."""
    example: Any = PARAMETERS
    scalars = {parameter["name"] for parameter in parameters() if "schema" in parameter}
    query = {name: value if name in scalars else json.dumps(value) for name, value in example.items()}
    in_body = await post(example, "/llm-local/index/retrieve")
    in_query = await post(b"", f"/llm-local/index/retrieve?{urlencode(query)}")
    assert (in_body.status, in_query.status) == (200, 200)
    assert in_body.json["Data"] == in_query.json["Data"]
    assert len(in_body.json["Data"]["Nodes"]) == 1


def parameters() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read()["paths"][STUDIO]["post"]["parameters"]
    return [parameter for parameter in found if parameter["in"] == "query"]


async def test_the_example_of_an_answer_is_answered(post: Post) -> None:
    answer = await post(ANSWER_REQUEST, "/agents/earth-at-night/answer")
    assert (answer.status, len(answer.json["selected"])) == (200, 1)


async def test_the_example_of_a_question_is_answered(post: Post) -> None:
    answer = await post(examples.QUESTION)
    assert (answer.status, len(answer.json["references"])) == (200, 1)


@pytest.mark.parametrize("name", ["RetrieveRequest", "AskRequest", "Agent", "ModelStudioRetrieve"])
def test_an_unknown_property_does_not_fit_a_request(name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}"}
    assert any("unheard" in one for one in faults({"unheard": 1}, schema))
