"""What the contract says of its route for the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from retrieval.contracts.described import (
    RETRIEVAL,
    Body,
    Description,
    Envelope,
    JsonObject,
    Kinds,
    Shape,
    answer_shape,
    answered,
    in_path,
    status_of,
)
from retrieval.contracts.model_studio import errors as wire_errors
from retrieval.contracts.model_studio.contract import RetrieveResponse
from retrieval.contracts.model_studio.parameters import Parameters
from retrieval.contracts.model_studio.refusals import BadSignature, NoSuchCall, NoWorkspace
from retrieval.errors import RetrievalError

FORM: Final = "application/x-www-form-urlencoded"
WAIT: Final = "x-acs-retry-after"
SIGNATURE: Final[JsonObject] = {
    "type": "apiKey",
    "in": "header",
    "name": "Authorization",
    "description": "Alibaba Cloud's signature, ACS3-HMAC-SHA256, with one of the deployment's access keys.",
}
WORKSPACE: Final = in_path("workspaceId", "The id of the workspace without its first letters, `llm-` or `ws_`.")
OWN_ERRORS: Final[Mapping[type[RetrievalError], str]] = {
    BadSignature: "The signature of the call does not hold.",
    NoWorkspace: "No workspace of that name is served here.",
    NoSuchCall: "That operation is not served here.",
}
SIGNED_RETRIEVAL: Final[Kinds] = (*RETRIEVAL, *OWN_ERRORS)

PARAMETERS: Final[JsonObject] = {
    "IndexId": "earth-at-night",
    "Query": "Phoenix street grid",
    "EnableReranking": True,
    "Rerank": [{"ModelName": "gte-rerank-hybrid"}],
    "RerankTopN": 3,
    "EnableRewrite": True,
    "QueryHistory": [{"role": "user", "content": "Which cities are bright?"}],
    "SearchFilters": [{"page_number": "105"}],
}

NODES: Final[JsonObject] = {
    "Code": "Success",
    "Message": "success",
    "RequestId": "17316EA2-1F4D-55AC-8872-53F6F1529545",
    "Status": "200",
    "Success": True,
    "Data": {
        "Nodes": [
            {
                "Text": "Several reasons explain why …",
                "Score": 0.64,
                "Metadata": {"_id": "earth_at_night_508_page_105_verbalized", "title": "Bright Grid, Dark Interstate"},
            }
        ]
    },
}

REFUSED_PARAMETER: Final[JsonObject] = {
    "Code": "Index.InvalidParameter",
    "Message": (
        "Required parameter(Query) missing or invalid, please check the request parameters. "
        "It is required and must not be empty."
    ),
    "RequestId": "17316EA2-1F4D-55AC-8872-53F6F1529545",
    "Status": "400",
    "Success": False,
}


def _statuses(kind: type[RetrievalError]) -> frozenset[int]:
    if issubclass(kind, BadSignature):
        return frozenset(status for status, _ in wire_errors.SIGNATURE_FAULTS.values())
    return frozenset({status_of(kind, wire_errors.STATUSES)})


MODEL_STUDIO: Final = Envelope(
    name="ModelStudioError",
    body=Body(
        shape=answer_shape("ModelStudioError", wire_errors.ErrorResponse),
        examples={"refused": REFUSED_PARAMETER},
    ),
    statuses=_statuses,
    kinds=SIGNED_RETRIEVAL,
    own_sentences=OWN_ERRORS,
    headers={HTTPStatus.TOO_MANY_REQUESTS: (WAIT,)},
    own_headers={WAIT: {"description": "Milliseconds after which to repeat the call.", "schema": {"type": "integer"}}},
)

_RETRIEVE: Final = Description(
    id="retrieveFromWorkspace",
    tag="retrieve",
    summary="Retrieve of Alibaba Cloud Model Studio, 2023-12-29. Parameters are in the query string or the body.",
    parameters=(WORKSPACE,),
    request=Body(
        shape=Shape(name="ModelStudioRetrieve", type=Parameters, mode="serialization"),
        examples={"question": PARAMETERS},
        media_types=("application/json", FORM),
        query=True,
    ),
    answers=answered(
        "Chunks, the best first; none where nothing was found.",
        answer_shape("ModelStudioNodes", RetrieveResponse),
        nodes=NODES,
    ),
    envelope=MODEL_STUDIO,
    failures=SIGNED_RETRIEVAL,
    credentials={"acs3": SIGNATURE},
)

ROUTES: Final = (
    replace(
        _RETRIEVE,
        spellings={
            "llm-{workspaceId}/index/retrieve": _RETRIEVE,
            "ws_{workspaceId}/index/retrieve": replace(
                _RETRIEVE, id=f"{_RETRIEVE.id}Ws", summary=f"{_RETRIEVE.summary} Older workspace ids."
            ),
        },
    ),
)
"""OpenAPI has no route constraints. So `agents/{name}/retrieve` and `{workspaceId}/index/retrieve` would be ambiguous
in OpenAPI. The paths here begin with the prefix of the workspace id instead."""
