"""Whether a value fits a schema of the document, and an answer what the document says of its route."""

import json
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from retrieval.openapi import document
from tests.conftest import Response

HERE: Final = "urn:openapi"


@cache
def read() -> Any:
    """The document as JSON."""
    return json.loads(document())


def faults(value: object, schema: object) -> list[str]:
    """Where a value does not fit; references lead into the document."""
    registry: Registry[Any] = Registry().with_resource(HERE, DRAFT202012.create_resource(read()))
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": HERE + ":part",
        "allOf": [_absolute(schema)],
    }
    found = Draft202012Validator(whole, registry=registry).iter_errors(value)
    return [f"{one.json_path}: {one.message[:200]}" for one in found]


def responses(operation: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What the document says of an operation's answers, by status; those that are referred to are looked up."""
    known = read()["components"]["responses"]
    return {
        int(status): known[said["$ref"].removeprefix("#/components/responses/")] if "$ref" in said else said
        for status, said in operation["responses"].items()
    }


def answer_faults(method: str, path: str, answer: Response) -> list[str]:
    """What is not as the document says of an answer: its status, its body."""
    said = responses(read()["paths"][path][method.lower()]).get(answer.status)
    if said is None:
        return [f"the status {answer.status} is not described"]
    if "content" not in said:
        return [] if answer.body == b"" else ["there is a body"]
    return faults(answer.json, said["content"]["application/json"]["schema"])


def _absolute(schema: object) -> object:
    if isinstance(schema, list):
        return [_absolute(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{HERE}{value}" if name == "$ref" and isinstance(value, str) else _absolute(value)
        for name, value in schema.items()
    }
