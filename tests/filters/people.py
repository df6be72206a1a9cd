"""People: the fields that SearchFilters name here, and an evaluator of SearchFilters that shares nothing with ours."""

import json
import operator
import os
import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from retrieval.filters import patterns
from retrieval.filters.evaluate import Predicate, predicate
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.tree import Filter, IsMatch, Path

FIELDS: Final[FieldMap] = {
    "姓名": MappedField(path=Path(("name",)), type="Edm.String"),
    "岗位": MappedField(path=Path(("job", "title")), type="Edm.String", bare_like="exact"),
    "code": MappedField(path=Path(("code",)), type="Edm.String", whole_token=True, ignore_case=True),
    "tags": MappedField(path=Path(("tags",)), type="Edm.String", collection=True),
    "年龄": MappedField(path=Path(("age",)), type="Edm.Int32"),
    "salary": MappedField(path=Path(("salary",)), type="Edm.Double"),
    "active": MappedField(path=Path(("active",)), type="Edm.Boolean"),
}
PUBLISHED: FieldMap = {
    "singleQuery": MappedField(path=Path(("s",)), type="Edm.String"),
    "multiQuery": MappedField(path=Path(("u",)), type="Edm.String"),
    "rangeQuery": MappedField(path=Path(("n",)), type="Edm.Int32"),
    "logicQuery": MappedField(path=Path(("l",)), type="Edm.String"),
    "when": MappedField(path=Path(("w",)), type="Edm.DateTimeOffset"),
    "since": MappedField(path=Path(("e",)), type="Edm.DateTimeOffset", epoch="ms"),
    "big": MappedField(path=Path(("b",)), type="Edm.Int64"),
}
"""The fields of the documented example, and times."""

WORDS: Final = (
    "张三", "李四", "a", "b", "ab", "A", "abc", "a b", " a", "a ", "a|b", "a,b", "|;,", "", "it's", "''",
    "' or true or 'a",
    "%", "_", "a%", "100_", "a.c", "a*", "(a)", "[a]", "{a}", "[1]", '["a"]', '{"eq":"a"}', '{"gte":1}', '"a"', "^a$",
    "a/b", "a\nb", "\u2028", "İ", "ß", "K", "😀", "null", "true", "12", "1.5", "~a", "#", "@a&b", "<a>", "a-b", "a?b",
)  # fmt: skip
PATTERNS: Final = (
    "a%", "%a", "%a%", "_", "a_", "_b%", "%", "%%", "张%", "%四", "a.c%", "%(a)%", "%[a]%", "A%", "%|%", "%'%", "a/%",
    "%😀", "_三", "%*%", "%a%b%", "abc", "a", "it's", "[%", "{%}",
)  # fmt: skip
NUMBERS: Final = (-1, 0, 1, 2, 5, 20, 27)
REALS: Final = (-1.5, 0, 0.1, 1, 20.0, 27.5, 1e21)

COMPARISONS: Final = int(os.environ.get("FILTER_COMPARISONS", "100000"))
PEOPLE: Final = 200
EXAMPLES: Final = max(COMPARISONS // PEOPLE, 1)
"""Pairs of a filter and a document that each law looks at, the documents of each filter, and the filters."""

Person = dict[str, Any]


def person(random: Random, *, whole: bool) -> Person:
    """A document of the index. Unless it is `whole`, a third of its fields are null or not there."""
    found: Person = {
        "name": random.choice(WORDS),
        "job": {"title": random.choice(WORDS)},
        "code": random.choice(WORDS),
        "tags": random.sample(WORDS, random.randrange(4)),
        "age": random.choice(NUMBERS),
        "salary": random.choice(REALS),
        "active": random.random() < 0.5,
    }
    for name in () if whole else tuple(found):
        missing = random.random()
        if missing < 0.2:
            del found[name]
        elif missing < 0.33 and name != "tags":
            found[name] = None
    return found


def holds(groups: list[dict[str, Any]], row: Person) -> bool:
    """Whether a person passes SearchFilters, read from the JSON itself."""
    return all(_group(group, row) for group in groups)


def _group(group: Mapping[str, Any], row: Person) -> bool:
    word = group.get("_operator", "AND").upper()
    members = [_field(name, value, row) for name, value in group.items() if not name.startswith("_")]
    if group.get("_conditions"):
        inner = [_group(one, row) for one in group["_conditions"]]
        members.append(_join(group.get("_conditions_operator", word).upper(), inner))
    return _join(word, members) if members else True


def _join(word: str, members: list[bool]) -> bool:
    return any(members) if word == "OR" else all(members)


def _field(name: str, value: Any, row: Person) -> bool:
    if isinstance(value, str) and value[:1] in ("[", "{"):
        value = _unpacked(value)
    if isinstance(value, list):
        return any(_test(name, "eq", one, row) for one in value)
    if isinstance(value, dict):
        return all(_test(name, word.lower(), one, row) for word, one in value.items())
    return _test(name, "eq", value, row)


def _unpacked(text: str) -> Any:
    try:
        held = json.loads(text)
    except ValueError:
        return text
    tests = {"eq", "neq", "gt", "gte", "lt", "lte", "like"}
    known = isinstance(held, dict) and held and all(word.lower() in tests for word in held)
    return held if known or (isinstance(held, list) and not any(isinstance(one, list | dict) for one in held)) else text


def _test(name: str, word: str, operand: Any, row: Person) -> bool:
    value = _value(name, row)
    if FIELDS[name].collection:
        found = [_compare(name, "like" if word == "like" else "eq", operand, one) for one in value or []]
        return not any(found) if word == "neq" else any(found)
    return _compare(name, word, operand, value)


def _value(name: str, row: Person) -> Any:
    if name == "岗位":
        return (row.get("job") or {}).get("title")
    return row.get({"姓名": "name", "年龄": "age"}.get(name, name))


def _compare(name: str, word: str, operand: Any, value: Any) -> bool:
    field = FIELDS[name]
    if value is None:
        return word == "neq"
    if word == "like":
        bare = not {"%", "_"} & set(operand) and field.bare_like == "prefix"
        return _like(f"{operand}%" if bare else operand, value, field.ignore_case)
    if field.type == "Edm.String":
        operand = str(operand)
    elif field.type == "Edm.Boolean":
        operand = operand is True or str(operand).lower() == "true"
    else:
        operand = float(operand)
    compare = {"eq": operator.eq, "neq": operator.ne, "gt": operator.gt, "gte": operator.ge, "lt": operator.lt}
    return bool(compare.get(word, operator.le)(value, operand))


def _like(pattern: str, text: str, ignore_case: bool) -> bool:
    """A line of the table of what the pattern covers so far, a character of the pattern at a time."""
    folded, lowered = (patterns.fold(pattern), patterns.fold(text)) if ignore_case else (pattern, text)
    covered = {0}
    for character in folded:
        if character == "%":
            covered = set(range(min(covered, default=len(lowered) + 1), len(lowered) + 1))
        else:
            covered = {end + 1 for end in covered if end < len(lowered) and character in ("_", lowered[end])}
    return len(lowered) in covered


def whole_tokens(match: IsMatch) -> Any:
    """What the index answers for a field of whole lower-case tokens: Lucene's regex over the value, anchored."""
    assert match.query_type == "full" and match.search[0] == match.search[-1] == "/"
    regex = re.compile(match.search[1:-1], re.DOTALL)
    return lambda row: (
        isinstance(row.get(match.fields[0]), str) and bool(regex.fullmatch(patterns.fold(row[match.fields[0]])))
    )


def people(seed: int, *, whole: bool = False) -> list[Person]:
    random = Random(seed)
    return [person(random, whole=whole) for _ in range(PEOPLE)]


def passing(filter: Filter | None) -> Predicate:
    return (lambda row: True) if filter is None else predicate(filter, matches=whole_tokens)
