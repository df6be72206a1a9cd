"""Reads JSON of callers and other services. `read` refuses some texts that parsers usually accept: repeated names, NaN,
halves of surrogate pairs and deep nesting. `read` returns numbers with a point or an exponent as Decimal, so that no
digit is lost before the type of a field is known. Objects, arrays and members are counted before a text is parsed,
because a parser would build all of them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final, NoReturn, TypeAlias

import pydantic_core

MOST: Final = 40_000
"""The most objects, arrays and members of a text. A conversation of a thousand turns has about 7,000."""

DEEPEST: Final = 200
"""The most levels of nested arrays and objects that are not empty."""

_TO_NEXT: Final = re.compile(rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[^"\[{:]++)*+[\[{:]', re.DOTALL)
"""The text up to and including the next `[`, `{` or `:` outside strings."""

LONGEST_NUMBER: Final = 400


def read_body(body: bytes) -> Any:
    """The value of a JSON body. pydantic-core limits the nesting to `DEEPEST` levels, so later code may recurse into
    the value. Raises ValueError. Its message completes a sentence that begins with "the body".
    """
    if holds_too_much(body):
        raise ValueError(f"has more than {MOST} objects, arrays and members")
    try:
        return pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"is not valid JSON: {error}") from None


def holds_too_much(text: bytes) -> bool:
    """Whether a JSON text has more than 40,000 objects, arrays and members together. Characters within strings are not
    counted. The time is linear in the length of the text.
    """
    if text.count(b"[") + text.count(b"{") + text.count(b":") <= MOST:
        return False
    at = 0
    for _ in range(MOST + 1):
        found = _TO_NEXT.match(text, at)
        if found is None:
            return False
        at = found.end()
    return True


class BadJson(ValueError):
    """The text is not JSON that this service accepts. The message has the reason."""


def read(text: str | bytes) -> object:
    """The value of a JSON text. Raises BadJson."""
    if holds_too_much(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text):
        raise BadJson(f"it has more than {MOST} objects, arrays and members")
    try:
        decoded = text if isinstance(text, str) else text.decode()
        value: object = json.loads(
            decoded,
            object_pairs_hook=_object,
            parse_float=_decimal,
            parse_int=lambda text: int(_bounded(text)),
            parse_constant=_constant,
        )
    except RecursionError:
        raise BadJson("it nests too deeply") from None
    except UnicodeDecodeError:
        raise BadJson("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg.lower()} at character {error.pos}") from None
    if "\\u" in decoded or not decoded.isascii() or decoded.count("[") + decoded.count("{") > DEEPEST:
        _check(decoded)
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs) and (twice := repeated(name for name, _ in pairs)) is not None:
        raise BadJson(f"the name {twice[:100]!r} is given twice")
    return found


def repeated(names: Iterable[str]) -> str | None:
    """The first repeated name; None if no name is repeated."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


_Way: TypeAlias = "tuple[_Way, str] | None"
"""A name, and the way to the object that has it. All members of an object share that way."""


class Repeated(list[object]):
    """The values of a name that an object gives more than once."""


def with_repeated(text: str | bytes) -> Any:
    """The value of a JSON text, which is bounded only in its depth. A name that an object gives more than once has all
    its values, as `Repeated`. Raises ValueError, RecursionError."""
    return json.loads(text if isinstance(text, str) else text.decode(), object_pairs_hook=_all_values)


def repeated_path(value: object) -> tuple[str, ...] | None:
    """The names on the way to the first `Repeated`; None if there is none. Positions in arrays are left out."""
    level: list[tuple[_Way, object]] = [(None, value)]
    while level:
        for way, member in level:
            if isinstance(member, Repeated):
                return tuple(_names(way))[::-1]
        level = [inner for way, member in level for inner in _members(way, member)]
    return None


def _names(way: _Way) -> Iterator[str]:
    """The names of a way, the last one first."""
    while way is not None:
        way, name = way
        yield name


def _all_values(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    values: dict[str, list[object]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: each[0] if len(each) == 1 else Repeated(each) for name, each in values.items()}


def _members(way: _Way, value: object) -> Iterable[tuple[_Way, object]]:
    if isinstance(value, dict):
        return [((way, name), inner) for name, inner in value.items()]
    return [(way, inner) for inner in value] if isinstance(value, list) else ()


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(_bounded(text))
    except ArithmeticError:
        raise BadJson("a number's exponent is too large") from None


def _bounded(text: str) -> str:
    if len(text) > LONGEST_NUMBER:
        raise BadJson(f"a number has more than {LONGEST_NUMBER} digits")
    return text


def _constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not a JSON value")


def _check(text: str) -> None:
    """Raises BadJson for a half of a surrogate pair, and for more than the allowed levels of nesting."""
    try:
        pydantic_core.from_json(text.encode())
    except ValueError:
        raise BadJson("it nests too deeply, or holds half a surrogate pair, which is no character") from None
