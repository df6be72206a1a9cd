"""What of Azure's filters SearchFilters can say."""

from typing import Any

import pytest

from retrieval.errors import UnsupportedFilter
from retrieval.filters import odata
from retrieval.filters.tree import Compare, Path, String
from retrieval.sources.model_studio import search_filters
from tests.filters.people import FIELDS, PUBLISHED


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
        ("search.ismatch('abc*', 'code')", [{"code": {"like": "abc%"}}]),
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
    assert search_filters.write(odata.read(filter), FIELDS) == expected


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
        ("search.ismatch('/a.*/', 'code', 'full', 'any')", "search.ismatch"),
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
        assert search_filters.write(odata.read(filter), FIELDS) == [{"tags": {"like": "%"}}]
        return
    with pytest.raises(UnsupportedFilter) as caught:
        search_filters.write(odata.read(filter), FIELDS)
    assert construct in caught.value.construct


def test_a_filter_that_is_too_deep_or_too_long_is_not_written() -> None:
    filter = "age gt 1"
    for n in range(20):
        filter = f"({filter}) {'and' if n % 2 else 'or'} age lt {n}"
    with pytest.raises(UnsupportedFilter, match="deeper"):
        search_filters.write(odata.read(filter), FIELDS)
    with pytest.raises(UnsupportedFilter, match="bytes"):
        search_filters.write(Compare(Path(("name",)), "eq", String("张" * 30_000)), FIELDS)


def test_of_two_names_for_a_field_the_first_is_written() -> None:
    fields = {"file_name": FIELDS["姓名"], "doc_name": FIELDS["姓名"]}
    assert search_filters.write(odata.read("name eq 'a'"), fields) == [{"file_name": "a"}]


def test_moments_are_written_as_the_field_takes_them() -> None:
    assert search_filters.write(odata.read("w eq 2020-01-01T00:00:00Z"), PUBLISHED) == [
        {"when": "2020-01-01T00:00:00Z"}
    ]
    assert search_filters.write(odata.read("e lt 2020-01-01T00:00:00Z"), PUBLISHED) == [
        {"since": {"lt": 1577836800000}}
    ]
    with pytest.raises(UnsupportedFilter, match="range of times"):
        search_filters.write(odata.read("w lt 2020-01-01T00:00:00Z"), PUBLISHED)
