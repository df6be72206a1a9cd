"""What a deployment lacks is a 502 with a code of its own, and what a caller asks wrongly stays a 400.

The answers are those that users of the services have quoted, with their codes and messages.
"""

from typing import Final

import pytest

from retrieval.local.wire import WireService
from retrieval.models.completion import LACKING as OF_THE_MODEL
from retrieval.sources.search_index.failures import LACKING as OF_THE_SEARCH
from tests.scenarios.failures.answer import planning
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, failing, found

INVALID: Final = "InvalidRequestParameter"
OFF: Final = "Semantic search is not enabled for this service.\r\nParameter name: queryType"
SEARCH: Final[dict[str, WireService]] = {
    "ranker off": failing(400, OFF, code="FeatureNotSupportedInService", detail="SemanticQueriesNotAvailable"),
    "a feature off": failing(400, "It is not supported in this service.", code="FeatureNotSupportedInService"),
    "configuration gone": failing(
        400, "Unknown semantic configuration 'usual'.", code=INVALID, detail="UnknownSemanticConfiguration"
    ),
    "no vectorizer": failing(
        400, "Field 'v' does not have a vectorizer defined.", code=INVALID, detail="InvalidVectorQuery"
    ),
    "vectorizer refuses": failing(
        400, "Could not complete vectorization action. The endpoint returned status code '401'.", code=""
    ),
    "vectorizer answers nonsense": failing(
        400, "Could not vectorize the query because the vectorization endpoint response is invalid.", code=""
    ),
    "quota": failing(402, "Free Query Semantic Usage's exceeded for the month."),
}
MODEL: Final[dict[str, WireService]] = {
    "deployment gone": failing(404, "The API deployment for this resource does not exist.", code="DeploymentNotFound"),
    "no such model": failing(404, "The model does not exist.", code="model_not_found"),
    "address": failing(404, "Resource not found", code="404"),
    "retired": failing(410, "The model is retired.", code="ModelDeprecated"),
    "no chat": failing(400, "The operation does not work with the model.", code="OperationNotSupported"),
    "quota": failing(429, "You exceeded your current quota.", code="insufficient_quota"),
}
CALLERS: Final[dict[str, WireService]] = {
    "a field": failing(400, "Could not find a property named 'x'.", code=INVALID, detail="InvalidFilter"),
    "a long filter": failing(400, "The filter is too long.", code=INVALID),
    "words that are not the service's code": failing(400, "Could not vectorize the query 'x'", code=INVALID),
    "too much": failing(413, "Too large."),
}


def test_every_answer_of_the_tables_is_tried() -> None:
    assert (len(SEARCH), len(MODEL)) == (len(OF_THE_SEARCH), len(OF_THE_MODEL))


@pytest.mark.parametrize("answer", SEARCH)
async def test_what_the_search_service_lacks_is_no_fault_of_the_caller(
    answer: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = SEARCH[answer]
    answered = await retrieve("Which roads?", agent="plain")
    assert (answered.status, answered.json["error"]["code"]) == (502, "BackendMisconfigured")
    assert len(azure.searches) == 1


@pytest.mark.parametrize("answer", CALLERS)
async def test_what_a_caller_asks_wrongly_is_refused_as_before(
    answer: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = CALLERS[answer]
    answered = await retrieve("Which roads?", agent="plain")
    assert (answered.status, answered.json["error"]["code"]) == (400, "BackendRefused")


@pytest.mark.parametrize("answer", MODEL)
async def test_what_the_model_lacks_is_told_by_the_record_of_planning(
    answer: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = MODEL[answer], found(document("road", 3.1))
    answered = await retrieve()
    assert answered.status == 200
    assert planning(answered)["error"]["code"] == "BackendMisconfigured"
    assert len(azure.chats) == 1
