"""The document, put together from the routes and what they need, take and give."""

import json
import re
from functools import cache
from http import HTTPMethod
from typing import Any, Final

from retrieval.access.rights import NEEDED, ROUTES
from retrieval.openapi.description import Answer, Body, Description, JsonObject
from retrieval.openapi.routes import DESCRIPTIONS
from retrieval.openapi.schemas import PLACE, Schemas

VERSION: Final = "0.1.0"
SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})

ABOUT: Final = (
    "Agentic retrieval over Azure AI Search: the knowledge-agent retrieve contract, agents' definitions, and Model "
    "Studio's Retrieve. Property names of request bodies are compared without case. A client that holds no "
    "credential gets 401 or 403 where one is needed; docs/access.md says which opens what."
)

CREDENTIALS: Final[JsonObject] = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "api-key", "description": "A key of this deployment."},
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token of Microsoft Entra ID, where configured."},
    "acs3": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "Alibaba Cloud's signature, ACS3-HMAC-SHA256, with one of the deployment's access keys.",
    },
}

HEADERS: Final[JsonObject] = {
    "ETag": {"description": "What a later write can ask for.", "schema": {"type": "string"}},
    "RequestId": {"description": "Under which the log has this call.", "schema": {"type": "string"}},
}

_CONSTRAINT: Final = re.compile(r"\{(\w+):.*\)\}")


@cache
def document() -> bytes:
    """UTF-8 JSON, the same bytes every time."""
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        method, _, template = route.partition(" ")
        path = "/" + _CONSTRAINT.sub(r"{\1}", template)
        paths.setdefault(path, {})[HTTPMethod(method).lower()] = _operation(route, DESCRIPTIONS[route], schemas)
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "Agentic retrieval", "version": VERSION, "description": ABOUT, "license": {"name": "MIT"}},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": schemas.named, "headers": HEADERS, "securitySchemes": CREDENTIALS},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def _operation(route: str, described: Description, schemas: Schemas) -> JsonObject:
    right = NEEDED[ROUTES[route]]
    schemes = ["apiKey", "bearer", *(["acs3"] if described.signed else [])]
    parameters = [*described.parameters, *_members(described.request, schemas)]
    body = {} if described.request is None else {"requestBody": _request(described.request, schemas)}
    answers = {str(status): _answer(answer, schemas) for status, answer in described.answers.items()}
    error = Answer(description="What went wrong.", body=described.error)
    return {
        "operationId": described.id,
        "tags": [described.tag],
        "summary": described.summary,
        "description": "Needs no credential." if right is None else f"Needs the right to {right}.",
        "security": [] if right is None else [{scheme: []} for scheme in schemes],
        "parameters": parameters,
        **body,
        "responses": {**answers, "default": _answer(error, schemas)},
    }


def _request(body: Body, schemas: Schemas) -> JsonObject:
    return {"required": not body.query, "content": _content(body, schemas)}


def _answer(answer: Answer, schemas: Schemas) -> JsonObject:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in answer.headers}
    headers["request-id"] = {"$ref": "#/components/headers/RequestId"}
    content = {} if answer.body is None else {"content": _content(answer.body, schemas)}
    return {"description": answer.description, "headers": headers, **content}


def _content(body: Body, schemas: Schemas) -> JsonObject:
    """Examples stand with the first media type."""
    examples = {name: {"value": value} for name, value in body.examples.items()}
    content: dict[str, dict[str, Any]] = {kind: {"schema": schemas.reference(body.shape)} for kind in body.media_types}
    if examples:
        content[body.media_types[0]]["examples"] = examples
    return content


def _members(body: Body | None, schemas: Schemas) -> list[JsonObject]:
    """The members of a body that may stand in the query string; what is no scalar stands there as JSON."""
    if body is None or not body.query:
        return []
    parameters: list[JsonObject] = []
    for name, schema in schemas.members(body.shape).items():
        reference = {"schema": {"$ref": f"{PLACE}{body.shape.name}/properties/{name}"}}
        plain = schema.get("type") in SCALARS
        parameters.append(
            {"name": name, "in": "query", **(reference if plain else {"content": {"application/json": reference}})}
        )
    return parameters
