"""Reads SearchFilters as a filter tree.

    [{"姓名": ["张三", "李四"], "年龄": {"gte": 20, "lte": 27}}, {"_operator": "OR", "_conditions": […]}]

AND joins the groups. `_operator` joins the members of a group; its default is AND. The groups of `_conditions` form one
more member. `_conditions_operator` joins these groups; its default is the `_operator` of the outer group. A group
within `_conditions` has its own `_operator`, again with the default AND. A list or an object may be sent as a string
with its JSON, because the values of the SDK for Java are strings. This also applies to `_conditions`. In `{"eq":
"[1]"}` the string stays a text. Tests such as `eq`, and the words AND and OR, ignore case. Field names do not. Every
field name must be in the field map. Filters protect documents, so unclear parts are refused: an empty group within
`_conditions`, null, or a backslash in a pattern.

Source: the pages "Retrieve" and "How to use SearchFilters" of Model Studio. This project chose the rules that these
pages do not state.

Model Studio's columns are texts or numbers, and a filter may send the other kind. Therefore a text field accepts a
number as text, and a numeric field accepts a text that is a number. A whole number that is outside the integer type, or
that a double cannot hold exactly, is refused, because it would select other documents.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from retrieval.errors import BadFilter
from retrieval.filters import moment, patterns
from retrieval.filters.odata.operands import INT64
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Constant,
    DateTimeOffset,
    Filter,
    Float,
    In,
    Integer,
    Lambda,
    Like,
    Not,
    NotEmpty,
    Null,
    Operator,
    Path,
    String,
    all_of,
    any_of,
)
from retrieval.text import strict_json

DEEPEST: Final = 16
"""The most levels of nested groups."""

LONGEST: Final = 80_000
"""The most UTF-8 bytes of the filters as JSON."""

WHOLE: Final = 10**30
"""Larger numbers are compared with a text field as they are written."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_INT32: Final = range(-(2**31), 2**31)
_RANGED: Final = frozenset({"Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Single", "Edm.DateTimeOffset"})
_OPERATORS: Final[Mapping[str, Operator]] = {
    "eq": "eq",
    "neq": "ne",
    "gt": "gt",
    "gte": "ge",
    "lt": "lt",
    "lte": "le",
}
_WORDS: Final = frozenset({"_operator", "_conditions", "_conditions_operator"})
_ELEMENT: Final = "t"


def read(value: object, fields: FieldMap) -> Filter | None:
    """The tree of SearchFilters; None if they have no tests. `value` is a JSON text or the decoded list. Raises
    BadFilter with the reason.
    """
    groups = _decode(value)
    if _members(groups) > LONGEST // 2 or _size(groups) > LONGEST:
        raise _bad(f"it has more than {LONGEST} bytes")
    if not isinstance(groups, list):
        raise _bad("it must be a list of groups, each an object")
    tree = all_of(filter for group in groups if (filter := _group(group, fields, 1)) is not None)
    if tree is not None and (effort := patterns.effort(tree)) > patterns.MOST_EFFORT:
        most = patterns.MOST_EFFORT
        raise _bad(f"its patterns have {effort} parts between wildcards '_'; at most {most} are allowed")
    return tree


def _decode(value: object) -> object:
    """The decoded value of a JSON text. If the result is again a text, it is decoded once more. Other values are
    returned unchanged."""
    for _ in range(2):
        if not isinstance(value, str):
            break
        if len(value) > 2 * LONGEST:
            raise _bad(f"it has more than {LONGEST} bytes")
        try:
            value = strict_json.read(value)
        except strict_json.BadJson as error:
            raise _bad(f"it is not JSON: {error}") from None
    return value


def _members(value: object) -> int:
    """The members of all lists and objects, each of at least two bytes; counted until they alone are too long, so that
    a list of a million numbers is not written out only to be refused."""
    members, pending = 0, [value]
    while pending and members <= LONGEST // 2:
        outer = pending.pop()
        if isinstance(outer, list | dict):
            members += len(outer)
            if members <= LONGEST // 2:
                pending += outer.values() if isinstance(outer, dict) else outer
    return members


def _size(value: object) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace"))
    except RecursionError:
        raise _bad(f"it nests deeper than {DEEPEST}") from None


def _group(group: object, fields: FieldMap, depth: int) -> Filter | None:
    """The tree of a group; None for a group without tests."""
    if not isinstance(group, dict):
        raise _bad("a group must be an object")
    if depth > DEEPEST:
        raise _bad(f"it nests deeper than {DEEPEST}")
    if unknown := next((name for name in group if name.startswith("_") and name not in _WORDS), None):
        raise _bad(f"{unknown[:100]!r} is none of {', '.join(sorted(_WORDS))}")
    operator = _word(group, "_operator", "AND")
    members = [_member(name, value, fields) for name, value in group.items() if name not in _WORDS]
    conditions = _conditions(group.get("_conditions", []), fields, depth)
    block = _join(conditions, _word(group, "_conditions_operator", operator))
    if block is not None:
        members.append(block)
    return _join(members, operator)


def _conditions(value: object, fields: FieldMap, depth: int) -> list[Filter]:
    groups = _decode(value)
    if not isinstance(groups, list):
        raise _bad("'_conditions' must be a list of groups")
    conditions = []
    for group in groups:
        condition = _group(group, fields, depth + 1)
        if condition is None:
            raise _bad("a group within '_conditions' is empty, so it would let everything pass")
        conditions.append(condition)
    return conditions


def _word(group: Mapping[str, object], name: str, otherwise: str) -> str:
    word = str(group.get(name, otherwise)).upper()
    if word not in ("AND", "OR"):
        raise _bad(f"{name!r} must be AND or OR")
    return word


def _join(members: Iterable[Filter], operator: str) -> Filter | None:
    return any_of(members) if operator == "OR" else all_of(members)


def _member(name: str, value: object, fields: FieldMap) -> Filter:
    field = fields.get(name)
    if field is None:
        raise _bad(f"the field {name[:100]!r} cannot be used in filters")
    operand = _unpack(value)
    if isinstance(operand, list):
        return _one_of(operand, field, name)
    if isinstance(operand, dict):
        return _tests(operand, field, name)
    return _test("eq", operand, field, name)


def _unpack(value: object) -> object:
    """The decoded value of a string that contains the JSON of a list of plain values or of an object of tests. Any
    other value is returned unchanged."""
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    try:
        content = strict_json.read(value)
    except strict_json.BadJson:
        return value
    if isinstance(content, list) and not any(isinstance(item, list | dict) or item is None for item in content):
        return content
    if isinstance(content, dict) and content and all(name.lower() in (*_OPERATORS, "like") for name in content):
        return content
    return value


def _one_of(values: list[object], field: MappedField, name: str) -> Filter:
    """A test that a field equals one of several values. Two or more texts become a `search.in`, except empty texts and
    texts with leading or trailing whitespace."""
    if len({isinstance(value, str) for value in values}) > 1:
        raise _bad(f"the list for {name!r} mixes texts and numbers")
    path, constants = _operand(field), dict.fromkeys(_constant(value, field, name) for value in values)
    texts = {text: text.value for text in constants if isinstance(text, String) and text.value}
    listed = {text: value for text, value in texts.items() if value.strip() == value}
    if len(listed) < 2:
        listed = {}
    lists: list[Filter] = [In(path, tuple(listed.values()))] if listed else []
    tests = any_of([*lists, *(Compare(path, "eq", constant) for constant in constants if constant not in listed)])
    if tests is None:
        return Boolean(False)
    return Lambda(field.path, "any", _ELEMENT, tests) if field.collection else tests


def _tests(tests: Mapping[str, object], field: MappedField, name: str) -> Filter:
    words = [word.lower() for word in tests]
    if repetition := strict_json.repeated(words):
        raise _bad(f"the field {name[:100]!r} has {repetition[:60]!r} twice")
    test = all_of(
        _like(value, field, name) if word == "like" else _test(word, value, field, name)
        for word, value in zip(words, tests.values(), strict=True)
    )
    if test is None:
        raise _bad(f"the field {name!r} has an object without a test")
    return test


def _test(word: str, value: object, field: MappedField, name: str) -> Filter:
    operator = _OPERATORS.get(word)
    if operator is None:
        raise _bad(f"{word[:60]!r} is not a test; the tests are {', '.join(_OPERATORS)} and like")
    if operator not in ("eq", "ne") and (field.type not in _RANGED or field.collection):
        raise _bad(f"{name!r} has no order, so {word!r} does not apply to it")
    operand = _constant(value, field, name)
    if not field.collection:
        return Compare(field.path, operator, operand)
    any_equal = Lambda(field.path, "any", _ELEMENT, Compare(_operand(field), "eq", operand))
    return any_equal if operator == "eq" else Not(any_equal)


def _like(value: object, field: MappedField, name: str) -> Filter:
    """The test for a pattern. A pattern of only `%` tests that there is a value. A pattern without wildcards becomes
    `eq`, unless the field ignores case."""
    if field.type != "Edm.String" or not isinstance(value, str) or not value:
        raise _bad(f"'like' needs a text field and a pattern, and {name!r} does not have both")
    if "\\" in value:
        raise _bad("a pattern cannot hold a backslash: whether it escapes a wildcard is not defined")
    _constant(value, field, name)
    is_plain, path = patterns.WILDCARDS.isdisjoint(value), _operand(field)
    if not value.strip("%"):
        return NotEmpty(field.path) if field.collection else Compare(path, "ne", Null())
    pattern = f"{value}%" if is_plain and field.bare_like == "prefix" else value
    is_equal = pattern == value and is_plain and not field.ignore_case
    test = Compare(path, "eq", String(value)) if is_equal else Like(path, pattern, field.ignore_case)
    return Lambda(field.path, "any", _ELEMENT, test) if field.collection else test


def _operand(field: MappedField) -> Path:
    return Path((_ELEMENT,)) if field.collection else field.path


def _bad(reason: str) -> BadFilter:
    """The error for filters that cannot be read or are not allowed."""
    return BadFilter(reason, target="SearchFilters")


def _constant(value: object, field: MappedField, name: str) -> Constant:
    """`value` as a constant of the field's type. If the field cannot be compared with `value`, raises BadFilter with
    `name`, the field's name in the SearchFilters."""
    if value is None or isinstance(value, list | dict) or (isinstance(value, bool) and field.type != "Edm.Boolean"):
        kind = {list: "a list", dict: "an object", bool: "true or false"}.get(type(value), "null")
        raise _bad(f"{name!r} is compared with {kind}, which is neither text nor a number")
    match field.type:
        case "Edm.String":
            return String(_text(value, name))
        case "Edm.Boolean":
            return Boolean(_truth(value, name))
        case "Edm.DateTimeOffset":
            return DateTimeOffset(_ticks(value, field, name))
        case "Edm.Int32" | "Edm.Int64" | "Edm.Double" | "Edm.Single":
            return _number(_decimal(value, name), field, name)
        case _:
            raise _bad(f"{name!r} is of type {field.type}, which filters do not support")


def _text(value: object, name: str) -> str:
    """The value as a text. A whole number is written without a point: some clients send 104 as 104.0."""
    text = str(int(value)) if isinstance(value, float | Decimal) and _is_whole(value) else str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _bad(f"{name!r} is compared with half a surrogate pair, which is not a character") from None
    return text


def _is_whole(value: float | Decimal) -> bool:
    return math.isfinite(value) and -WHOLE < value < WHOLE and value % 1 == 0


def _truth(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise _bad(f"{name!r} must be compared with true or false")


def _decimal(value: object, name: str) -> Decimal:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return Decimal(value if isinstance(value, int | Decimal) else repr(value))
    raise _bad(f"{name!r} is a number, and {str(value)[:60]!r} is not")


def _number(value: Decimal, field: MappedField, name: str) -> Integer | Float:
    if abs(value.adjusted()) > 400:
        raise _bad(f"{name!r} is compared with a number that is too large or too small")
    if field.type in ("Edm.Int32", "Edm.Int64"):
        return _whole(value, field, name)
    nearest = float(value)
    if not math.isfinite(nearest):
        raise _bad(f"{name!r} is compared with a number that is too large")
    if value == value.to_integral_value() and Decimal(nearest) != value:
        raise _bad(f"{name!r} is of type {field.type}, which cannot hold {value} exactly")
    return Float(nearest)


def _whole(value: Decimal, field: MappedField, name: str) -> Integer | Float:
    """The number to compare with a field of whole numbers. A fraction is accepted too, because it can be the bound of a
    range."""
    if value == value.to_integral_value():
        whole = int(value)
        if whole not in (_INT32 if field.type == "Edm.Int32" else INT64):
            raise _bad(f"{name!r} is compared with a number that is too large for {field.type}")
        return Integer(whole)
    if Decimal(float(value)).to_integral_value() == Decimal(float(value)):
        raise _bad(f"{name!r} is compared with a number that has too many digits")
    return Float(float(value))


def _ticks(value: object, field: MappedField, name: str) -> int:
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        try:
            return moment.ticks(value)
        except ValueError as error:
            raise _bad(f"{name!r}: {error}") from None
    if field.epoch is None:
        raise _bad(f"{name!r} must be compared with a date and time with its zone, such as 2020-01-31T12:30:00Z")
    number = _decimal(value, name)
    if abs(number.adjusted()) > 20 or len(number.as_tuple().digits) > 25:
        raise _bad(f"{name!r} is compared with a time outside the years 1 to 9999")
    ticks = moment.EPOCH + number * moment.TICKS[field.epoch]
    if ticks != ticks.to_integral_value() or not 0 <= ticks <= moment.LAST:
        raise _bad(f"{name!r} is compared with a time outside the years 1 to 9999, or finer than 100 ns")
    return int(ticks)
