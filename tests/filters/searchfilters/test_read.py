"""SearchFilters: the documented shapes, what is refused, and what of Azure's filters they can say."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.evaluate import predicate
from retrieval.filters.push import push
from retrieval.filters.schema import FieldMap, MappedField
from retrieval.filters.searchfilters import constants, reader, writer
from retrieval.filters.tree import And, Boolean, Compare, IsMatch, Like, Path, String
from retrieval.settings import shapes
from tests.filters.people import FIELDS

PUBLISHED: FieldMap = {
    "singleQuery": MappedField(path=Path(("s",)), type="Edm.String"),
    "multiQuery": MappedField(path=Path(("u",)), type="Edm.String"),
    "rangeQuery": MappedField(path=Path(("n",)), type="Edm.Int32"),
    "logicQuery": MappedField(path=Path(("l",)), type="Edm.String"),
    "when": MappedField(path=Path(("w",)), type="Edm.DateTimeOffset"),
    "since": MappedField(path=Path(("e",)), type="Edm.DateTimeOffset", epoch="ms"),
    "big": MappedField(path=Path(("b",)), type="Edm.Int64"),
}


def text(value: object, fields: FieldMap = FIELDS) -> str:
    """The OData of a filter, which has all of it."""
    whole = reader.read(value, fields)
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
    like = reader.read([{"logicQuery": {"like": "prefix"}}], PUBLISHED)
    assert like == Like(Path(("l",)), "prefix%")


def test_moments_are_texts_and_where_a_field_says_so_numbers() -> None:
    assert text([{"when": {"gte": "2020-01-01T01:00:00+01:00"}}], PUBLISHED) == "w ge 2020-01-01T00:00:00Z"
    assert text([{"since": {"lt": 1577836800500}}], PUBLISHED) == "e lt 2020-01-01T00:00:00.5Z"


def test_nothing_to_filter_by_is_no_filter() -> None:
    assert reader.read([], FIELDS) is None
    assert reader.read("[{}]", FIELDS) is None


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
        reader.read(value, FIELDS)
    assert reason in str(caught.value)
    assert caught.value.target == "SearchFilters"


@pytest.mark.parametrize("value", ["yesterday", "2020-13-01T00:00:00Z", 5, "2020-01-01"])
def test_a_moment_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(BadFilter):
        reader.read([{"when": value}], PUBLISHED)


def test_whole_numbers_of_64_bits_keep_their_last_digit() -> None:
    assert text('[{"big":9007199254740993.0}]', PUBLISHED) == "b eq 9007199254740993"


def test_a_pattern_that_the_index_cannot_answer_is_left_to_the_check() -> None:
    whole = reader.read([{"姓名": {"like": "技%员"}, "年龄": {"gt": 3}}], FIELDS)
    assert whole is not None
    pushed = push(whole, FIELDS)
    assert not pushed.exact
    assert pushed.filter is not None and odata.write(pushed.filter) == "name ne null and age gt 3"
    passes = predicate(whole)
    assert passes({"name": "技术员", "age": 4})
    assert not passes({"name": "技术", "age": 4})


def test_beside_an_alternative_that_cannot_be_pushed_nothing_is() -> None:
    fields = {**FIELDS, "hidden": MappedField(path=Path(("h",)), type="Edm.String", retrievable=False)}
    either = reader.read([{"_operator": "OR", "姓名": {"like": "a%b"}, "年龄": 3}], fields)
    assert either is not None
    pushed = push(either, fields)
    assert pushed.filter is not None and odata.write(pushed.filter) == "name ne null or age eq 3"
    beside = reader.read([{"姓名": {"like": "a%b"}, "hidden": "x"}], fields)
    assert beside is not None
    with pytest.raises(UnsupportedFilter, match="'h'"):
        push(beside, fields)


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("name eq 'a' and age gt 5", [{"姓名": "a"}, {"年龄": {"gt": 5}}]),
        ("name ne 'a'", [{"姓名": {"neq": "a"}}]),
        ("not (age gt 5)", [{"年龄": {"lte": 5}}]),
        ("not (name eq 'a' or age le 5)", [{"姓名": {"neq": "a"}}, {"年龄": {"gt": 5}}]),
        ("search.in(name, 'a b')", [{"姓名": ["a", "b"]}]),
        ("not search.in(name, 'a,b')", [{"姓名": {"neq": "a"}}, {"姓名": {"neq": "b"}}]),
        ("age eq 1 or age eq 2", [{"年龄": [1, 2]}]),
        ("tags/any(t: t eq 'a' or search.in(t, 'b,c'))", [{"tags": ["a", "b", "c"]}]),
        ("not tags/any(t: t eq 'a')", [{"tags": {"neq": "a"}}]),
        ("tags/all(t: t ne 'a')", [{"tags": {"neq": "a"}}]),
        ("tags/all(t: not search.in(t, 'a,b'))", [{"tags": {"neq": "a"}}, {"tags": {"neq": "b"}}]),
        ("search.ismatch('abc*', 'name')", [{"姓名": {"like": "abc%"}}]),
        ("search.ismatch('/a.*\\/b./', 'code', 'full', 'any')", [{"code": {"like": "a%/b_"}}]),
        ("active", [{"active": "true"}]),
        ("not active", [{"active": "false"}]),
        ("name eq '[1]'", [{"姓名": {"eq": "[1]"}}]),
        ("job/title ne null", [{"岗位": {"like": "%"}}]),
        ("true", []),
        ("name eq 'a' and true", [{"姓名": "a"}]),
        (
            "name eq 'a' or age eq 1 and active",
            [
                {
                    "_operator": "OR",
                    "_conditions": [
                        {"姓名": "a"},
                        {
                            "_operator": "AND",
                            "_conditions": [{"年龄": 1}, {"active": "true"}],
                            "_conditions_operator": "AND",
                        },
                    ],
                    "_conditions_operator": "OR",
                }
            ],
        ),
    ],
)
def test_a_filter_of_azure_is_written_as_groups(filter: str, expected: list[Any]) -> None:
    assert writer.write(odata.read(filter), FIELDS) == expected


@pytest.mark.parametrize(
    ("filter", "construct"),
    [
        ("name eq null", "null"),
        ("rating eq 1", "'rating'"),
        ("name gt 'a'", "range of Edm.String"),
        ("tags/any()", ""),
        ("tags/any(t: t ne 'a')", "any() of anything"),
        ("tags/all(t: t eq 'a')", "all() of anything"),
        ("search.ismatch('a b', 'name')", "search.ismatch"),
        ("search.ismatch('abc')", "search.ismatch"),
        ("search.ismatch('/[ab]/', 'code', 'full', 'any')", "search.ismatch"),
        ("search.ismatch('/A/', 'code', 'full', 'any')", "search.ismatch"),
        ("search.ismatchscoring('abc*', 'name')", "search.ismatch"),
        ("not search.ismatch('abc*', 'name')", "not search.ismatch"),
        ("geo.distance(place, geography'POINT(1 2)') lt 5", "geo.distance"),
        ("tags eq 'a'", "collection"),
        ("name/any(t: t eq 'a')", "collection"),
        ("age eq 'a'", "Edm.Int32"),
        ("salary eq NaN", "NaN"),
        ("false", "excludes everything"),
        ("name eq 'a' and not true", "excludes everything"),
    ],
)
def test_what_searchfilters_cannot_say_is_an_error_with_the_constructs_name(filter: str, construct: str) -> None:
    if not construct:
        assert writer.write(odata.read(filter), FIELDS) == [{"tags": {"like": "%"}}]
        return
    with pytest.raises(UnsupportedFilter) as caught:
        writer.write(odata.read(filter), FIELDS)
    assert construct in caught.value.construct


def test_a_filter_that_is_too_deep_or_too_long_is_not_written() -> None:
    filter = "age gt 1"
    for n in range(20):
        filter = f"({filter}) {'and' if n % 2 else 'or'} age lt {n}"
    with pytest.raises(UnsupportedFilter, match="deeper"):
        writer.write(odata.read(filter), FIELDS)
    with pytest.raises(UnsupportedFilter, match="bytes"):
        writer.write(Compare(Path(("name",)), "eq", String("张" * 30_000)), FIELDS)


def test_of_two_names_for_a_field_the_first_is_written() -> None:
    fields = {"file_name": FIELDS["姓名"], "doc_name": FIELDS["姓名"]}
    assert writer.write(odata.read("name eq 'a'"), fields) == [{"file_name": "a"}]


def test_moments_are_written_as_the_field_takes_them() -> None:
    assert writer.write(odata.read("w eq 2020-01-01T00:00:00Z"), PUBLISHED) == [{"when": "2020-01-01T00:00:00Z"}]
    assert writer.write(odata.read("e lt 2020-01-01T00:00:00Z"), PUBLISHED) == [{"since": {"lt": 1577836800000}}]
    with pytest.raises(UnsupportedFilter, match="range of times"):
        writer.write(odata.read("w lt 2020-01-01T00:00:00Z"), PUBLISHED)


def test_a_full_text_search_stands_for_a_pattern_only_where_values_are_whole_tokens() -> None:
    match = IsMatch(search="/a.*/", fields=("name",), query_type="full")
    with pytest.raises(UnsupportedFilter):
        writer.write(And((match, Boolean(True))), FIELDS)


@given(st.text(max_size=8), st.text(max_size=12))
def test_a_value_is_never_more_than_a_value(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return
    found = reader.read([{"姓名": {"eq": value}}], FIELDS)
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
            reader.read(given_as, FIELDS)


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


def test_the_reasons_name_the_parameter() -> None:
    assert constants.bad("x").target == "SearchFilters"
