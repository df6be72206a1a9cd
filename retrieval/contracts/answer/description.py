"""What the contract says of its route for the OpenAPI document."""

from typing import Final

from retrieval.contracts.answer.events import SHAPES
from retrieval.contracts.answer.request import AskRequest
from retrieval.contracts.answer.response import AnswerResponse
from retrieval.contracts.answer.workflow import Workflow
from retrieval.contracts.described import (
    AZURE,
    NAME,
    REQUEST_ID,
    RETRIEVAL,
    USER_TOKEN,
    Body,
    DescribedResponse,
    Description,
    JsonObject,
    Shape,
    answer_shape,
    stream,
)

DETAIL: Final[JsonObject] = {
    "name": "detail",
    "in": "query",
    "description": "The form of the answer.",
    "schema": {"type": "string", "enum": ["answer", "explained", "workflow"], "default": "answer"},
}
ANSWER_REQUEST: Final[JsonObject] = {
    "messages": [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Why is the street grid of Phoenix so sharply visible from space?"}],
        }
    ],
    "filter": "page_number eq '105'",
    "limits": {"maxChunks": 1, "maxFollowUps": 0},
}

ASK: Final = Description(
    id="askAgent",
    tag="answer",
    summary="Route, plan, retrieve, judge, follow up once, and answer with citations that were checked.",
    parameters=(NAME, DETAIL, USER_TOKEN, REQUEST_ID),
    request=Body(shape=Shape(name="AskRequest", type=AskRequest), examples={"question": ANSWER_REQUEST}),
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

ROUTES: Final = (ASK,)
