"""The routes of retrieve for agents, knowledge bases and Model Studio, and the route of answers."""

from typing import Final

from retrieval.contracts.answer.events import SHAPES
from retrieval.contracts.answer.request import AskRequest
from retrieval.contracts.answer.response import AnswerResponse
from retrieval.contracts.answer.workflow import Workflow
from retrieval.contracts.model_studio import parameters as studio_parameters
from retrieval.contracts.model_studio import response as studio_response
from tools.openapi import examples
from tools.openapi.description import Body, DescribedResponse, Description, JsonObject, Shape, answer_shape
from tools.openapi.errors import AZURE, MODEL_STUDIO, RETRIEVAL, RETRIEVAL_WITH_EVENTS, SIGNED_RETRIEVAL
from tools.openapi.parameters import BASE_NAME, DETAIL, NAME, REQUEST_ID, USER_TOKEN, WORKSPACE
from tools.openapi.versions import retrieve_events, retrieve_request, retrieve_response, retrieve_version, stream

FORM: Final = "application/x-www-form-urlencoded"


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

STUDIO_RETRIEVE: Final = Description(
    id="retrieveFromWorkspace",
    tag="retrieve",
    summary="Retrieve of Alibaba Cloud Model Studio, 2023-12-29. Parameters are in the query string or the body.",
    parameters=(WORKSPACE,),
    request=Body(
        shape=Shape(name="ModelStudioRetrieve", type=studio_parameters.Parameters, mode="serialization"),
        examples={"question": examples.PARAMETERS},
        media_types=("application/json", FORM),
        query=True,
    ),
    answers={
        200: DescribedResponse(
            description="Chunks, the best first; none where nothing was found.",
            body=Body(
                shape=answer_shape("ModelStudioNodes", studio_response.RetrieveResponse),
                examples={"nodes": examples.NODES},
            ),
        )
    },
    envelope=MODEL_STUDIO,
    failures=SIGNED_RETRIEVAL,
    signed=True,
)


ANSWER: Final = Description(
    id="askAgent",
    tag="answer",
    summary="Route, plan, retrieve, judge, follow up once, and answer with citations that were checked.",
    parameters=(NAME, DETAIL, USER_TOKEN, REQUEST_ID),
    request=Body(shape=Shape(name="AskRequest", type=AskRequest), examples={"question": examples.ANSWER_REQUEST}),
    answers={
        200: DescribedResponse(
            description="The typed answer, or with detail=workflow the six payloads; also when a limit ended it early.",
            body=Body(
                shape=answer_shape("AnswerResponse", AnswerResponse | Workflow), events=stream("AnswerEvents", SHAPES)
            ),
        )
    },
    envelope=AZURE,
    failures=RETRIEVAL,
)
