"""Reads a model's reply, which may contain anything. A missing object, boolean or list raises BadModelReply. Other
unusable values become empty texts."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

from retrieval.errors import BadModelReply
from retrieval.model.json_value import JsonValue
from retrieval.text import clipped

LONGEST: Final = 200_000
"""The most characters of a reply. The longest answer without quotations fits, even with every character escaped as six
characters."""

MOST_ITEMS: Final = 100
"""The most items that are read of a list in a reply. Some lists have limits of their own."""

LONGEST_QUERY: Final = 1_000
LONGEST_TEXT: Final = 500
LONGEST_ID: Final = 20

_ID: Final = re.compile(r"\[? ?[cC]([0-9]{1,9}) ?\]?")


def read_object(text: str, *, longest: int = LONGEST) -> Mapping[str, object]:
    """The JSON object in a reply of at most `longest` characters. Raises BadModelReply."""
    if len(text) > longest:
        raise BadModelReply(f"it is longer than {longest} characters")
    try:
        reply: object = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadModelReply("it is not JSON") from None
    if not isinstance(reply, dict):
        raise BadModelReply("it is not a JSON object")
    return reply


def boolean(reply: Mapping[str, object], name: str) -> bool:
    """A boolean of a reply. Raises BadModelReply when the reply has no such boolean."""
    value = reply.get(name)
    if not isinstance(value, bool):
        raise BadModelReply(f"it does not say true or false for {name}")
    return value


def items(reply: Mapping[str, object], name: str) -> Sequence[object]:
    """A list of a reply. Raises BadModelReply when the reply has no such list."""
    value = reply.get(name)
    if not isinstance(value, list):
        raise BadModelReply(f"it has no list of {name}")
    return value


def line(value: object, *, longest: int = LONGEST_TEXT) -> str:
    """A text on one line without control characters, cut at a word; empty for a value that is not a text."""
    return clipped.line(value, longest) if isinstance(value, str) else ""


def texts(values: Sequence[object], *, longest: int = LONGEST_TEXT) -> tuple[str, ...]:
    """The texts among values, each on one line, without empty texts. Of texts that differ in case only, the first
    stays."""
    lines = [line(value, longest=longest) for value in values]
    in_order = dict.fromkeys(map(str.casefold, lines), "") | {text.casefold(): text for text in reversed(lines)}
    return tuple(filter(None, in_order.values()))


def chunk_id(value: object) -> str:
    """The id of a chunk, which may be written in brackets; empty for anything else."""
    match = _ID.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= LONGEST_ID else None
    return f"c{int(match[1])}" if match else ""


def object_of(properties: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A strict JSON schema. Every property is required, and no other property is allowed. A chat model's strict schema
    cannot limit lengths or ranges, so each step's `read` checks the limits.
    """
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def array_of(item: JsonValue) -> dict[str, JsonValue]:
    """The JSON schema of a list of such items."""
    return {"type": "array", "items": item}


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
