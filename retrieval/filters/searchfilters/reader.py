"""Reads SearchFilters of Model Studio as a tree. SearchFilters are a parameter of Model Studio's Retrieve operation.

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
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from retrieval.filters import patterns
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.searchfilters.constants import bad, constant
from retrieval.filters.tree import (
    Boolean,
    Compare,
    Filter,
    In,
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
        raise bad(f"it has more than {LONGEST} bytes")
    if not isinstance(groups, list):
        raise bad("it must be a list of groups, each an object")
    tree = all_of(filter for group in groups if (filter := _group(group, fields, 1)) is not None)
    if tree is not None and (effort := patterns.effort(tree)) > patterns.MOST_EFFORT:
        raise bad(f"its patterns have {effort} parts between wildcards '_'; at most {patterns.MOST_EFFORT} are allowed")
    return tree


def _decode(value: object) -> object:
    """The decoded value of a JSON text. If the result is again a text, it is decoded once more. Other values are
    returned unchanged."""
    for _ in range(2):
        if not isinstance(value, str):
            break
        if len(value) > 2 * LONGEST:
            raise bad(f"it has more than {LONGEST} bytes")
        try:
            value = strict_json.read(value)
        except strict_json.BadJson as error:
            raise bad(f"it is not JSON: {error}") from None
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
        raise bad(f"it nests deeper than {DEEPEST}") from None


def _group(group: object, fields: FieldMap, depth: int) -> Filter | None:
    """The tree of a group; None for a group without tests."""
    if not isinstance(group, dict):
        raise bad("a group must be an object")
    if depth > DEEPEST:
        raise bad(f"it nests deeper than {DEEPEST}")
    if unknown := next((name for name in group if name.startswith("_") and name not in _WORDS), None):
        raise bad(f"{unknown[:100]!r} is none of {', '.join(sorted(_WORDS))}")
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
        raise bad("'_conditions' must be a list of groups")
    conditions = []
    for group in groups:
        condition = _group(group, fields, depth + 1)
        if condition is None:
            raise bad("a group within '_conditions' is empty, so it would let everything pass")
        conditions.append(condition)
    return conditions


def _word(group: Mapping[str, object], name: str, otherwise: str) -> str:
    word = str(group.get(name, otherwise)).upper()
    if word not in ("AND", "OR"):
        raise bad(f"{name!r} must be AND or OR")
    return word


def _join(members: Iterable[Filter], operator: str) -> Filter | None:
    return any_of(members) if operator == "OR" else all_of(members)


def _member(name: str, value: object, fields: FieldMap) -> Filter:
    field = fields.get(name)
    if field is None:
        raise bad(f"the field {name[:100]!r} cannot be used in filters")
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
        raise bad(f"the list for {name!r} mixes texts and numbers")
    path, constants = _operand(field), dict.fromkeys(constant(value, field, name) for value in values)
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
        raise bad(f"the field {name[:100]!r} has {repetition[:60]!r} twice")
    test = all_of(
        _like(value, field, name) if word == "like" else _test(word, value, field, name)
        for word, value in zip(words, tests.values(), strict=True)
    )
    if test is None:
        raise bad(f"the field {name!r} has an object without a test")
    return test


def _test(word: str, value: object, field: MappedField, name: str) -> Filter:
    operator = _OPERATORS.get(word)
    if operator is None:
        raise bad(f"{word[:60]!r} is not a test; the tests are {', '.join(_OPERATORS)} and like")
    if operator not in ("eq", "ne") and (field.type not in _RANGED or field.collection):
        raise bad(f"{name!r} has no order, so {word!r} does not apply to it")
    operand = constant(value, field, name)
    if not field.collection:
        return Compare(field.path, operator, operand)
    any_equal = Lambda(field.path, "any", _ELEMENT, Compare(_operand(field), "eq", operand))
    return any_equal if operator == "eq" else Not(any_equal)


def _like(value: object, field: MappedField, name: str) -> Filter:
    """The test for a pattern. A pattern of only `%` tests that there is a value. A pattern without wildcards becomes
    `eq`, unless the field ignores case."""
    if field.type != "Edm.String" or not isinstance(value, str) or not value:
        raise bad(f"'like' needs a text field and a pattern, and {name!r} does not have both")
    if "\\" in value:
        raise bad("a pattern cannot hold a backslash: whether it escapes a wildcard is not defined")
    constant(value, field, name)
    is_plain, path = patterns.WILDCARDS.isdisjoint(value), _operand(field)
    if not value.strip("%"):
        return NotEmpty(field.path) if field.collection else Compare(path, "ne", Null())
    pattern = f"{value}%" if is_plain and field.bare_like == "prefix" else value
    is_equal = pattern == value and is_plain and not field.ignore_case
    test = Compare(path, "eq", String(value)) if is_equal else Like(path, pattern, field.ignore_case)
    return Lambda(field.path, "any", _ELEMENT, test) if field.collection else test


def _operand(field: MappedField) -> Path:
    return Path((_ELEMENT,)) if field.collection else field.path
