"""Reads a model's reply, which may contain anything. A missing object, boolean or list raises BadModelReply. Other
unusable values become empty texts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NoReturn

from retrieval.errors import BadModelReply
from retrieval.model.json_value import JsonValue
from retrieval.text import length

LONGEST: Final = 200_000
"""The most characters of a reply. The longest answer without quotations fits, even with every character escaped as six
characters."""

MOST_ITEMS: Final = 100
"""The most items that are read of a list in a reply. Some lists have limits of their own."""

MOST_OPENINGS: Final = 50
"""The most braces in a text at which an object is tried."""

LONGEST_QUERY: Final = 1_000
LONGEST_TEXT: Final = 500
LONGEST_ID: Final = 40

_ID: Final = re.compile(r"(?<![^\W_])c[ _-]?([0-9]{1,9})(?![^\W_])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[\W_]*(?:(?:chunk|id)[\W_]*)?([0-9]{1,9})[\W_]*", re.IGNORECASE)
_ID_NAMES: Final = ("id", "chunkid", "chunk")
_LEADING_ID: Final = re.compile(rf"[\W_]*{_ID.pattern}", re.IGNORECASE)

_OPENING: Final = re.compile(r'\{[ \t\r\n]*["}]')
_END_OF_THOUGHTS: Final = re.compile(r"</(?:think(?:ing)?|thoughts?|reasoning)>", re.IGNORECASE)


def read_object(text: str, *, longest: int = LONGEST) -> Mapping[str, object]:
    """The JSON object in a reply of at most `longest` characters. The reply may have thoughts before the object, and
    sentences or a fence around it. Of several objects the first after the thoughts is read. Raises BadModelReply."""
    if len(text) > longest:
        raise BadModelReply(f"it is longer than {longest} characters")
    try:
        reply: object = _decoder.decode(text)
    except (ValueError, RecursionError):
        reply = _within(text)
    if not isinstance(reply, dict):
        raise BadModelReply("it is not a JSON object")
    return reply


def _within(text: str) -> object:
    """The first object in a text after the thoughts; or else an object in which the mark of their end is part of a
    string. Raises BadModelReply."""
    end = max((mark.start() for mark in _END_OF_THOUGHTS.finditer(text)), default=0)
    around = (value for value, start, after in _objects(text, 0) if start < end < after)
    found = next(around, None) or next((value for value, _, _ in _objects(text, end)), None)
    if found is None:
        raise BadModelReply("it is not JSON")
    return found


def _objects(text: str, at: int) -> Iterator[tuple[object, int, int]]:
    """The whole objects from `at` on that are not part of another, each with its start and its end. After a fault the
    search goes on where the fault is, so that the time is linear in the length of the text."""
    for _ in range(MOST_OPENINGS):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        start = opening.start()
        try:
            value, at = _decoder.raw_decode(text, start)
        except json.JSONDecodeError as fault:
            at = max(fault.pos, opening.end())
        except (ValueError, RecursionError):
            return
        else:
            yield value, start, at


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
    return length.line(value, longest) if isinstance(value, str) else ""


def texts(values: Sequence[object], *, longest: int = LONGEST_TEXT) -> tuple[str, ...]:
    """The texts among values, each on one line, without empty texts. Of texts that differ in case only, the first
    stays."""
    lines = [line(value, longest=longest) for value in values]
    in_order = dict.fromkeys(map(str.casefold, lines), "") | {text.casefold(): text for text in reversed(lines)}
    return tuple(filter(None, in_order.values()))


def chunk_id(value: object) -> str:
    """The id of a chunk, which models write as `c1`, `[c1]`, `chunk c1`, `c1: why`, `1` or `{"id": "c1"}`; empty for
    anything else."""
    if isinstance(value, dict):
        members = {name.replace("_", "").casefold(): member for name, member in value.items()}
        value = next((members[name] for name in _ID_NAMES if name in members), None)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9:
        return f"c{value}"
    if not isinstance(value, str):
        return ""
    if len(value) > LONGEST_ID:
        value = value[:LONGEST_ID] if _LEADING_ID.match(value[:LONGEST_ID]) else ""
    alone = _NUMBER.fullmatch(value)
    numbers = {alone[1]} if alone else set(_ID.findall(value))
    return f"c{int(numbers.pop())}" if len(numbers) == 1 else ""


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


def members_of(schema: Mapping[str, JsonValue]) -> list[str]:
    """The names of the properties of an object's schema."""
    properties = schema["properties"]
    return [*properties] if isinstance(properties, dict) else []


def array_of(item: JsonValue, *, most: int | None = None) -> dict[str, JsonValue]:
    """The JSON schema of a list of such items, of which at most `most` are read."""
    return {"type": "array", "items": item, **({} if most is None else {"maxItems": most})}


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_decoder: Final = json.JSONDecoder(parse_constant=_no_number)
