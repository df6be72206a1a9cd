"""Builds the document from the routes, with their rights, requests and answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from http import HTTPMethod, HTTPStatus
from typing import Any, Final

from retrieval.compose.rooms import TABLE
from retrieval.contracts.described import Body, DescribedResponse, Description, Envelope, JsonObject
from retrieval.contracts.served_versions import SERVED
from retrieval.model.caller import Right
from retrieval.version import VERSION
from tools.openapi.errors import sentence, statuses_of
from tools.openapi.routes import descriptions
from tools.openapi.schemas import Schemas

LICENSE: Final[JsonObject] = {"name": "MIT", "identifier": "MIT"}
SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})

ABOUT: Final = (
    "Agentic retrieval over Azure AI Search: the knowledge-agent retrieve contract, agents' definitions, and Model "
    "Studio's Retrieve. Property names of request bodies are compared without case. A client that holds no "
    "credential gets 401 or 403 where one is needed; docs/operating/access.md lists the rights. A method that a path "
    "does not serve is a 405 with `Allow`, in the envelope of the contract."
)

TAGS: Final[Mapping[str, str]] = {
    "retrieve": "Documents for a conversation or for intents, with a record of every step.",
    "answer": "A cited answer.",
    "tools": "The same for models, by the Model Context Protocol.",
    "agents": "Definitions of agents.",
    "knowledgebases": "Definitions of knowledge bases.",
    "knowledgesources": "Definitions of knowledge sources.",
    "monitoring": "This service about itself.",
}

CREDENTIALS: Final[JsonObject] = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "api-key", "description": "A key of this deployment."},
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key, or a token of Entra ID where configured."},
}

HEADERS: Final[JsonObject] = {
    name: {"description": description, "schema": {"type": kind}}
    for name, kind, description in (
        ("ETag", "string", "The version of the agent, for If-Match of a later write."),
        ("Location", "string", "Where it is instead."),
        ("request-id", "string", "The id of this call in the log."),
        ("Retry-After", "integer", "Seconds after which to repeat the call, if known."),
        (SERVED, "string", "The api-version of this answer, where a later one than every known one was asked for."),
        ("WWW-Authenticate", "string", "The authority that issues tokens for this service, if it accepts tokens."),
    )
}


@cache
def document() -> bytes:
    """The document as UTF-8 JSON for readers. The same routes always give the same bytes."""
    schemas, refusals = Schemas(), dict[str, JsonObject]()
    credentials, headers = CREDENTIALS, HEADERS
    paths: dict[str, dict[str, Any]] = {}
    for route in TABLE.routes.values():
        for path, description in descriptions(route):
            operation = _operation(route.needs, description, schemas)
            operation["responses"].update(_refusals(description, schemas, refusals))
            credentials = {**credentials, **description.credentials}
            headers = {**headers, **description.envelope.own_headers}
            paths.setdefault(f"/{path}", {})[HTTPMethod(route.method).lower()] = operation
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "Agentic retrieval", "version": VERSION, "description": ABOUT, "license": LICENSE},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": description} for name, description in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas.named,
            "responses": dict(sorted(refusals.items())),
            "headers": headers,
            "securitySchemes": credentials,
        },
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def without_white_space() -> bytes:
    """The document as it is served."""
    return json.dumps(json.loads(document()), ensure_ascii=False, separators=(",", ":")).encode()


def _operation(right: Right | None, description: Description, schemas: Schemas) -> dict[str, Any]:
    schemes = [*CREDENTIALS, *description.credentials]
    parameters = [*description.parameters, *_members(description.request, schemas)]
    request = description.request
    body = (
        {}
        if request is None
        else {"requestBody": {"required": not request.query, "content": _content(request, schemas)}}
    )
    has_version = any(parameter["name"] == "api-version" for parameter in description.parameters)
    further = (SERVED,) if has_version else ()
    answers = {str(status): _answer(answer, schemas, further) for status, answer in description.answers.items()}
    return {
        "operationId": description.id,
        "tags": [description.tag],
        "summary": description.summary,
        "description": "Needs no credential." if right is None else f"Needs the right to {right}.",
        "security": [] if right is None else [{scheme: []} for scheme in schemes],
        "parameters": parameters,
        **body,
        "responses": answers,
    }


def _refusals(description: Description, schemas: Schemas, responses: dict[str, JsonObject]) -> dict[str, JsonObject]:
    """References to the route's error responses, in the order of their statuses. The responses themselves are added to
    `responses`."""
    references: dict[str, JsonObject] = {}
    for status in sorted(statuses_of(description) - description.answers.keys()):
        name = f"{description.envelope.name}{status}"
        if name not in responses:
            responses[name] = _refusal(description.envelope, status, schemas)
        references[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return references


def _refusal(envelope: Envelope, status: int, schemas: Schemas) -> JsonObject:
    """The response of an error status. All routes with the same envelope share this response, so its description covers
    the errors of all these routes."""
    body = envelope.body if status == HTTPStatus.BAD_REQUEST else replace(envelope.body, examples={})
    headers = envelope.headers.get(status, ())
    return _answer(DescribedResponse(description=sentence(envelope, status), body=body, headers=headers), schemas)


def _answer(answer: DescribedResponse, schemas: Schemas, further: Sequence[str] = ()) -> JsonObject:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in (*answer.headers, *further, "request-id")}
    content = {} if answer.body is None else {"content": _content(answer.body, schemas)}
    return {"description": answer.description, "headers": headers, **content}


def _content(body: Body, schemas: Schemas) -> JsonObject:
    """The schemas of a body by media type. Only the first media type has the examples."""
    examples = {name: {"value": value} for name, value in body.examples.items()}
    shapes = dict.fromkeys(body.media_types, body.shape) | ({"text/event-stream": body.events} if body.events else {})
    content: dict[str, dict[str, Any]] = {kind: {"schema": schemas.reference(one)} for kind, one in shapes.items()}
    if examples:
        content[body.media_types[0]]["examples"] = examples
    return content


def _members(body: Body | None, schemas: Schemas) -> list[JsonObject]:
    """The query parameters of a body whose members may be in the query string. A member without a single scalar type is
    JSON in the query string."""
    if body is None or not body.query:
        return []
    parameters: list[JsonObject] = []
    for name, schema in schemas.members(body.shape).items():
        plain = schema.get("type") in SCALARS
        said = {"schema": schema}
        parameters.append({"name": name, "in": "query", **(said if plain else {"content": {"application/json": said}})})
    return parameters
