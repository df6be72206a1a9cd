"""Server-sent events in a schema: a text of that media type, and what it holds once it is read as events.

OpenAPI 3.1 has no schema for the items of a stream; `contentSchema` of JSON Schema says it to those who look.
"""

from collections.abc import Mapping
from typing import Any

from retrieval.openapi.description import Shape, answer_shape


def stream(name: str, events: Mapping[str, Any]) -> Shape:
    """A stream of events, given as the types of their data by their names."""
    return Shape(name=name, events={event: answer_shape(f"{name}.{event}", type) for event, type in events.items()})


def schema(events: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The schema of the text, from the schemas of the data of its events."""
    described = [_event(*event) for event in events.items()]
    return {
        "type": "string",
        "contentMediaType": "text/event-stream",
        "contentSchema": {"type": "array", "items": {"oneOf": described} if len(described) > 1 else described[0]},
    }


def _event(name: str, data: dict[str, Any]) -> dict[str, Any]:
    members = {
        "event": {"const": name},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data},
    }
    return {"type": "object", "properties": members, "required": ["event", "data"]}
