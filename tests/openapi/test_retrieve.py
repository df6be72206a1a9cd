"""What the document says is taken is taken, and what it does not say is not. Answers are compared in every test."""

import pytest

from retrieval.contracts.answer.description import ANSWER_REQUEST
from tests.conftest import Post
from tests.openapi.conforming import faults
from tests.rooms import MODEL_STUDIO, cases
from tools.openapi import examples


async def test_the_example_of_an_answer_is_answered(post: Post) -> None:
    answer = await post(ANSWER_REQUEST, "/agents/earth-at-night/answer")
    assert (answer.status, len(answer.json["selected"])) == (200, 1)


async def test_the_example_of_a_question_is_answered(post: Post) -> None:
    answer = await post(examples.QUESTION)
    assert (answer.status, len(answer.json["references"])) == (200, 1)


@pytest.mark.parametrize(
    "name",
    cases(["RetrieveRequest", "AskRequest", "Agent", "ModelStudioRetrieve"], {"ModelStudioRetrieve": MODEL_STUDIO}),
)
def test_an_unknown_property_does_not_fit_a_request(name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}"}
    assert any("unheard" in one for one in faults({"unheard": 1}, schema))
