"""The routes of retrieve for agents and knowledge bases."""

from typing import Final

from retrieval.contracts.described import (
    AZURE,
    BASE_NAME,
    NAME,
    REQUEST_ID,
    RETRIEVAL_WITH_EVENTS,
    USER_TOKEN,
    Body,
    DescribedResponse,
    Description,
    JsonObject,
)
from tools.openapi import examples
from tools.openapi.versions import retrieve_events, retrieve_request, retrieve_response, retrieve_version


def _parameters(route: str, name: JsonObject) -> tuple[JsonObject, ...]:
    return (name, retrieve_version(route), USER_TOKEN, REQUEST_ID)


RESPONSE: Final = Body(
    shape=retrieve_response("agents", "RetrieveResponse"),
    examples={"retrieved": examples.RETRIEVE_RESPONSE},
)
BASE_RESPONSE: Final = Body(
    shape=retrieve_response("knowledgebases", "KnowledgeBaseAnswer"),
    examples={"retrieved": examples.BASE_RESPONSE},
    events=retrieve_events("knowledgebases", "KnowledgeBaseEvents"),
)

RETRIEVE: Final = Description(
    id="retrieveFromAgent",
    tag="retrieve",
    summary="Plan sub-queries for a conversation, search them all at once, rerank, merge and ground.",
    parameters=_parameters("agents", NAME),
    request=Body(shape=retrieve_request("agents", "RetrieveRequest"), examples={"question": examples.QUESTION}),
    answers={
        200: DescribedResponse(
            description="Grounding text, references, and a record of every step; also when a sub-query failed.",
            body=RESPONSE,
        )
    },
    envelope=AZURE,
    failures=RETRIEVAL_WITH_EVENTS,
)

RETRIEVE_FROM_BASE: Final = Description(
    id="retrieveFromBase",
    tag="retrieve",
    summary="Plan sub-queries or take intents, search them all at once, rerank, merge and ground, or write an answer.",
    parameters=_parameters("knowledgebases", BASE_NAME),
    request=Body(
        shape=retrieve_request("knowledgebases", "KnowledgeBaseRequest"), examples={"intents": examples.INTENTS}
    ),
    answers={
        200: DescribedResponse(
            description="The documents or the answer, references, and a record of every step.", body=BASE_RESPONSE
        ),
        206: DescribedResponse(
            description="The same; some searches failed, and their records say why.", body=BASE_RESPONSE
        ),
    },
    envelope=AZURE,
    failures=RETRIEVAL_WITH_EVENTS,
)
