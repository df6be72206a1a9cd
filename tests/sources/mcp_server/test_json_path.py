"""Paths to documents within JSON."""

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.sources.mcp_server import json_path
from retrieval.sources.mcp_server.json_path import matches, steps

VALUE: Any = {"results": [{"doc": {"id": 1}}, {"doc": {"id": 2}}, {"other": 3}], "my key": [[1, 2], [3]], "total": 2}


def values(path: str, value: Any = VALUE) -> list[Any]:
    return [match.value for match in matches(value, steps(path))]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$", [VALUE]),
        ("", [VALUE]),
        ("$.results[*].doc.id", [1, 2]),
        ("results[*].doc", [{"id": 1}, {"id": 2}]),
        ("$.results[0].doc", [{"id": 1}]),
        ("$.results[-1]", [{"other": 3}]),
        ("$['results'][1]['doc']", [{"id": 2}]),
        ('$["my key"][*][*]', [1, 2, 3]),
        ("$.*", [VALUE["results"], VALUE["my key"], 2]),
        ("$.results[7]", []),
        ("$.total.more", []),
        ("$.total[*]", []),
    ],
)
def test_a_path_leads_to_its_values(path: str, expected: list[Any]) -> None:
    assert values(path) == expected


@pytest.mark.parametrize(
    "path", ["$..a", "$[?(@.a)]", "$[1:2]", "$[a]", "$.", "$ a", "$['a", "a" * 2_000, "$" + ".a" * 31]
)
def test_what_is_no_such_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="it"):
        steps(path)


def test_the_objects_around_a_match_are_known() -> None:
    (first, _) = matches(VALUE, steps("$.results[*].doc.id"))
    assert first.around == (VALUE, {"doc": {"id": 1}}, {"id": 1})


NAMES = st.text(st.characters(exclude_characters="'\"\\", exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(st.lists(NAMES | st.integers(0, 5), max_size=8))
def test_a_path_in_brackets_leads_where_its_steps_say(places: list[str | int]) -> None:
    value: Any = "end"
    for place in reversed(places):
        value = {place: value} if isinstance(place, str) else [*([None] * place), value]
    path = "$" + "".join(f"['{place}']" if isinstance(place, str) else f"[{place}]" for place in places)
    assert values(path, value) == ["end"]


@given(st.text(max_size=60))
def test_any_text_is_a_path_or_a_value_error(text: str) -> None:
    try:
        found = steps(text)
    except ValueError:
        return
    assert len(found) <= json_path.MOST_STEPS


def test_matches_are_bounded_and_linear() -> None:
    wide: Any = {str(number): {str(inner): [inner] for inner in range(100)} for number in range(350)}
    start = perf_counter()
    assert len(matches(wide, steps("$[*][*][*]"))) == json_path.MOST_MATCHES
    assert perf_counter() - start < 2
    assert json.dumps(wide)
