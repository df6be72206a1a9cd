"""SearchFilters: the documented shapes, and what is refused."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.model_studio import search_filters
from retrieval.contracts.model_studio.index_filter import push
from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters import odata, patterns
from retrieval.filters.evaluate import predicate
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.tree import Compare, Like, Path, String
from retrieval.settings import shapes
from tests.filters.people import FIELDS, PUBLISHED


def text(value: object, fields: FieldMap = FIELDS) -> str:
    """The OData of a filter, which has all of it."""
    whole = search_filters.read(value, fields)
    assert whole is not None
    pushed = push(whole, fields)
    assert pushed.exact and pushed.filter is not None
    return odata.write(pushed.filter)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([{"姓名": "张三"}, {"年龄": 5}], "name eq '张三' and age eq 5"),
        ([{"姓名": '["张三","李四"]'}], "search.in(name, '张三,李四')"),
        ([{"姓名": ["张三", "李四"]}], "search.in(name, '张三,李四')"),
        ([{"姓名": '{"neq":104.0}'}, {"姓名": "[104.5,1.04e2]"}], "name ne '104' and search.in(name, '104.5,104')"),
        ([{"姓名": "李四"}, {"年龄": '{"gte":20.0,"lte":27.0}'}], "name eq '李四' and age ge 20 and age le 27"),
        ([{"tags": ["A", "B"]}], "tags/any(t: search.in(t, 'A,B'))"),
        ([{"tags": ["A"]}, {"tags": ["B"]}], "tags/any(t: t eq 'A') and tags/any(t: t eq 'B')"),
        ([{"tags": {"neq": "A"}}], "not tags/any(t: t eq 'A')"),
        (
            [{"_operator": "OR", "_conditions": [{"active": True}, {"年龄": {"gte": 5}}]}],
            "active eq true or age ge 5",
        ),
        (
            [{"_operator": "OR", "_conditions": '[{"active": true}, {"年龄": "{\\"gte\\": 5}"}]'}],
            "active eq true or age ge 5",
        ),
        ([{"_operator": "or", "姓名": "a", "年龄": 1, "_conditions": [{"年龄": 2}, {"年龄": 3}]}],
         "name eq 'a' or age eq 1 or age eq 2 or age eq 3"),
        ([{"_operator": "OR", "姓名": "a", "_conditions": [{"年龄": 2, "active": "false"}, {"年龄": 3}],
           "_conditions_operator": "And"}],
         "name eq 'a' or age eq 2 and active eq false and age eq 3"),
        ([{"姓名": {"eq": '["a"]'}}], "name eq '[\"a\"]'"),
        ([{"姓名": "[a"}], "name eq '[a'"),
        ([{"姓名": '{"a":1}'}], "name eq '{\"a\":1}'"),
        ([{"姓名": ["a|b", "c d"]}], "search.in(name, 'a|b;c d', ';')"),
        ([{"姓名": ["", " x", "a", "b"]}], "search.in(name, 'a,b') or name eq '' or name eq ' x'"),
        ([{"年龄": [1, 2]}], "age eq 1 or age eq 2"),
        ([{"年龄": []}], "false"),
        ([{"姓名": 105}], "name eq '105'"),
        ([{"年龄": "105"}], "age eq 105"),
        ([{"岗位": "x"}], "job/title eq 'x'"),
        ([{"岗位": {"like": "%"}}], "job/title ne null"),
        ([{"tags": {"like": "%%"}}], "tags/any()"),
        ([{"岗位": {"like": "abc"}}], "job/title eq 'abc'"),
        ([{"code": {"LIKE": "A.c%/_"}}], "search.ismatch('/a\\.c.*\\/./', 'code', 'full', 'any')"),
        ([{"code": {"like": "it's"}}], "search.ismatch('/it\\''s.*/', 'code', 'full', 'any')"),
        ([{}, {"姓名": "a", "_conditions": []}], "name eq 'a'"),
    ],
)  # fmt: skip
def test_a_documented_shape_is_the_odata_that_says_the_same(groups: list[Any], expected: str) -> None:
    assert text(groups) == text(json.dumps(groups)) == text(json.dumps(json.dumps(groups))) == expected


def test_the_published_example_reads() -> None:
    groups = [
        {
            "singleQuery": "v",
            "multiQuery": ["a", "b"],
            "rangeQuery": {"gte": 1, "lte": 9},
            "_conditions": [{"rangeQuery": 5}],
        },
        {"_operator": "OR", "singleQuery": "x"},
    ]
    expected = "s eq 'v' and search.in(u, 'a,b') and n ge 1 and n le 9 and n eq 5 and s eq 'x'"
    assert text(groups, PUBLISHED) == expected
    like = search_filters.read([{"logicQuery": {"like": "prefix"}}], PUBLISHED)
    assert like == Like(Path(("l",)), "prefix%")


def test_moments_are_texts_and_where_a_field_says_so_numbers() -> None:
    assert text([{"when": {"gte": "2020-01-01T01:00:00+01:00"}}], PUBLISHED) == "w ge 2020-01-01T00:00:00Z"
    assert text([{"since": {"lt": 1577836800500}}], PUBLISHED) == "e lt 2020-01-01T00:00:00.5Z"


def test_nothing_to_filter_by_is_no_filter() -> None:
    assert search_filters.read([], FIELDS) is None
    assert search_filters.read("[{}]", FIELDS) is None


NESTED: Any = {"姓名": "a"}
for _ in range(20):
    NESTED = {"_conditions": [NESTED]}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"姓名": "a"}, "list of groups"),
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[NaN]", "NaN"),
        ('[{"姓名":"a","姓名":"b"}]', "given twice"),
        (["a"], "a group must be an object"),
        ([{"gender": "x"}], "'gender'"),
        ([{"_operators": "AND", "姓名": "a"}], "'_operators'"),
        ([{"_operator": "XOR", "姓名": "a"}], "AND or OR"),
        ([{"_operator": None, "姓名": "a"}], "AND or OR"),
        ([{"_conditions": [{}]}], "empty"),
        ([{"_conditions": [{"_conditions": []}]}], "empty"),
        ([{"_conditions": {"姓名": "a"}}], "list of groups"),
        ([{"_conditions": "姓名"}], "not JSON"),
        ([{"姓名": None}], "null"),
        ([{"姓名": True}], "true or false"),
        ([{"姓名": ["a", 1]}], "mixes"),
        ([{"姓名": [["a"]]}], "a list"),
        ([{"姓名": {"eq": ["a"]}}], "a list"),
        ([{"姓名": {}}], "without a test"),
        ([{"姓名": {"in": ["a"]}}], "'in' is not a test"),
        ([{"姓名": {"gt": "a"}}], "no order"),
        ([{"tags": {"gt": "a"}}], "no order"),
        ([{"年龄": {"gt": 1, "GT": 2}}], "twice"),
        ([{"年龄": "old"}], "is a number"),
        ([{"年龄": 2**31}], "too large"),
        ([{"年龄": '{"gt":1e999999}'}], "is a number"),
        ([{"salary": 2**53 + 1}], "exactly"),
        ([{"salary": {"like": "1%"}}], "'like'"),
        ([{"姓名": {"like": ""}}], "'like'"),
        ([{"姓名": {"like": 5}}], "'like'"),
        ([{"姓名": {"like": "100\\%"}}], "backslash"),
        ([{"active": "yes"}], "true or false"),
        ([NESTED], "deeper than 16"),
        ("[" * 5000, "not JSON"),
        (json.dumps([{"姓名": "a" * 80_000}]), "80000 bytes"),
        ([{"姓名": "a" * 80_000}], "80000 bytes"),
        ('[{"姓名":"\\ud800"}]', "surrogate"),
    ],
)  # fmt: skip
def test_what_is_not_defined_is_refused_and_says_why(value: Any, reason: str) -> None:
    with pytest.raises(BadFilter) as caught:
        search_filters.read(value, FIELDS)
    assert reason in str(caught.value)
    assert caught.value.target == "SearchFilters"


@pytest.mark.parametrize("value", ["yesterday", "2020-13-01T00:00:00Z", 5, "2020-01-01"])
def test_a_moment_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(BadFilter):
        search_filters.read([{"when": value}], PUBLISHED)


def test_whole_numbers_of_64_bits_keep_their_last_digit() -> None:
    assert text('[{"big":9007199254740993.0}]', PUBLISHED) == "b eq 9007199254740993"


def test_a_pattern_that_the_index_cannot_answer_is_left_to_the_check() -> None:
    whole = search_filters.read([{"姓名": {"like": "技%员"}, "年龄": {"gt": 3}}], FIELDS)
    assert whole is not None
    pushed = push(whole, FIELDS)
    assert not pushed.exact
    assert pushed.filter is not None and odata.write(pushed.filter) == "name ne null and age gt 3"
    passes = predicate(whole)
    assert passes({"name": "技术员", "age": 4})
    assert not passes({"name": "技术", "age": 4})


def test_beside_an_alternative_that_cannot_be_pushed_nothing_is() -> None:
    fields = {**FIELDS, "hidden": MappedField(path=Path(("h",)), type="Edm.String", retrievable=False)}
    either = search_filters.read([{"_operator": "OR", "姓名": {"like": "a%b"}, "年龄": 3}], fields)
    assert either is not None
    pushed = push(either, fields)
    assert pushed.filter is not None and odata.write(pushed.filter) == "name ne null or age eq 3"
    beside = search_filters.read([{"姓名": {"like": "a%b"}, "hidden": "x"}], fields)
    assert beside is not None
    with pytest.raises(UnsupportedFilter, match="'h'"):
        push(beside, fields)


@given(st.text(max_size=8), st.text(max_size=12))
def test_a_value_is_never_more_than_a_value(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return
    found = search_filters.read([{"姓名": {"eq": value}}], FIELDS)
    assert found == Compare(Path(("name",)), "eq", String(value))
    assert odata.read(odata.write(found)) == found


_names = st.sampled_from([*FIELDS, "_operator", "_conditions", "eq", "x"])
_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_json = st.recursive(
    _scalars | _names | st.sampled_from(["OR", "like"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner),
)


@given(_json)
def test_any_json_is_read_or_refused(value: object) -> None:
    for given_as in (value, json.dumps(value)):
        with suppress(BadFilter):
            search_filters.read(given_as, FIELDS)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"_x": {"path": "x", "type": "Edm.String"}},
        {"": {"path": "x", "type": "Edm.String"}},
        {"x": "y"},
        {"x": {"path": "x"}},
        {"x": {"path": "名", "type": "Edm.String"}},
        {"x": {"path": "a eq 1 or b", "type": "Edm.String"}},
        {"x": {"path": "x", "type": "Edm.GeographyPoint"}},
        {"x": {"path": "x", "type": "Edm.String", "wholeToken": 1}},
        {"x": {"path": "x", "type": "Edm.String", "whole": True}},
        {"x": {"path": "x", "type": "Edm.DateTimeOffset", "epoch": []}},
    ],
)
def test_a_field_map_that_cannot_be_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="field"):
        shapes.Fields.model_validate({"fields": value})


def test_a_field_map_has_its_options() -> None:
    options = {"wholeToken": True, "ignoreCase": True, "bareLike": "exact", "epoch": "s", "retrievable": False}
    fields = {"标签": {"path": "doc/tags", "type": "Collection(Edm.String)", **options}}
    read = shapes.Fields.model_validate({"fields": fields}).field_map()
    assert read["标签"] == MappedField(
        path=Path(("doc", "tags")), type="Edm.String", collection=True, whole_token=True, ignore_case=True,
        bare_like="exact", epoch="s", retrievable=False,
    )  # fmt: skip


def test_the_bound_on_patterns_is_exact() -> None:
    most = patterns.MOST_EFFORT
    allowed = search_filters.read([{"姓名": {"like": "%" + "a_" * (most - 1) + "b%"}}], FIELDS)
    assert isinstance(allowed, Like) and patterns.effort(allowed) == most
    with pytest.raises(BadFilter, match=f"at most {most} are allowed"):
        search_filters.read([{"姓名": {"like": "%" + "a_" * most + "b%"}}], FIELDS)
    with pytest.raises(BadFilter, match=f"at most {most} are allowed"):
        search_filters.read([{"姓名": {"like": "a%"}}] * (most + 1), FIELDS)
