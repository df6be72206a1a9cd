"""What is counted and normalised before it is read, against plainer ways to do the same."""

import json
from collections.abc import Iterator
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.filters import patterns
from retrieval.text import strict_json
from retrieval.text.content_words import JOINER, MOST_MARKS, nfkc


def held(value: object) -> int:
    """Objects, arrays and members."""

    def each(one: object) -> Iterator[int]:
        if isinstance(one, dict):
            yield 1 + len(one)
            yield from (held(inner) for inner in one.values())
        elif isinstance(one, list):
            yield 1
            yield from (held(inner) for inner in one)

    return sum(each(value))


names = st.text(alphabet='[{:"\\', max_size=3)
values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}:,"\\ab', max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_a_text_holds_is_counted_as_a_reader_would(value: object) -> None:
    missing = strict_json.MOST - held([value])
    padding = ",".join(["[]"] * missing)
    text = f"[{json.dumps(value)},{padding}]" if missing else f"[{json.dumps(value)}]"
    brackets = json.dumps("[{:" * strict_json.MOST)
    assert not strict_json.holds_too_much(text.encode())
    assert not strict_json.holds_too_much(f"[{brackets},{text[1:]}".encode())
    assert strict_json.holds_too_much(f"[{brackets},[],{text[1:]}".encode())


@pytest.mark.parametrize(
    ("inner", "levels"), [('""', 0), ('"\\u00e9"', 0), ("[]", 0), ("{}", 0), ('{"": null}', 1), ('{"\\u0061": ""}', 1)]
)
def test_every_reader_of_json_reads_as_deep_as_the_others(inner: str, levels: int) -> None:
    around = strict_json.DEEPEST - levels
    deepest, deeper = f"{'[' * around}{inner}{']' * around}", f"{'[' * around}[{inner}]{']' * around}"
    assert strict_json.read_body(deepest.encode()) == strict_json.read(deepest)
    with pytest.raises(ValueError, match="recursion limit exceeded"):
        strict_json.read_body(deeper.encode())
    with pytest.raises(strict_json.BadJson, match="it nests too deeply"):
        strict_json.read(deeper)


@given(st.text())
def test_ordinary_text_has_its_usual_normal_form(text: str) -> None:
    usual = normalize("NFKC", text)
    assert len(usual) > 4 * len(text) or nfkc(text) == usual


@given(st.text(alphabet="\u0300\u0315\u0334a", min_size=100, max_size=300))
def test_marks_are_joined_in_runs_and_nothing_else_is_lost(text: str) -> None:
    found = nfkc(text)
    runs = "".join("x" if combining(one) else " " for one in found).split()
    assert all(len(run) <= MOST_MARKS for run in runs)
    assert sorted(normalize("NFD", found.replace(JOINER, ""))) == sorted(text)


def slowly(pattern: str, text: str) -> bool:
    """The meaning of a pattern: every way to divide the text."""
    reached = {0}
    for sign in pattern:
        if sign == "%":
            reached = {end for start in reached for end in range(start, len(text) + 1)}
        else:
            reached = {at + 1 for at in reached if at < len(text) and sign in ("_", text[at])}
    return len(text) in reached


@given(st.text(alphabet="ab%_", max_size=12), st.text(alphabet="abc", max_size=12), st.booleans())
def test_a_pattern_means_what_every_division_of_the_text_says(pattern: str, text: str, ignore_case: bool) -> None:
    fits = patterns.matcher(pattern.upper() if ignore_case else pattern, ignore_case=ignore_case)
    assert fits(text) is slowly(pattern, text)


@given(st.text(max_size=40))
def test_case_is_folded_one_character_at_a_time(text: str) -> None:
    assert patterns.fold(text) == "".join(one.lower()[0] for one in text)
