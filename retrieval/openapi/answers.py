"""The route of answers."""

from typing import Final

from retrieval.contracts.answer.events import SHAPES
from retrieval.contracts.answer.request import AskRequest
from retrieval.contracts.answer.response import AnswerResponse
from retrieval.contracts.answer.workflow import Workflow
from retrieval.openapi import examples
from retrieval.openapi.description import Body, DescribedResponse, Description, Shape, answer_shape
from retrieval.openapi.errors import AZURE, RETRIEVAL
from retrieval.openapi.event_streams import stream
from retrieval.openapi.parameters import DETAIL, NAME, REQUEST_ID, USER_TOKEN

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
