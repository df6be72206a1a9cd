"""Route templates: which paths fit, with which values, and which templates are refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.http.template import Template, path_segments, read_template

NAMES = st.text(min_size=1).filter(lambda text: "/" not in text)


def match(template: str, path: str) -> dict[str, str] | None:
    found = read_template(template).match(path_segments(path[1:]))
    return None if found is None else dict(found)


def one_parameter(left: str, text: str, right: str) -> str | None:
    """ASP.NET's rule for `left{p}right`, told another way.

    The value ends where the `right` begins that ends the text, and begins after the last `left` before it that leaves a
    character; that `left` must begin the text.
    """
    if not text.lower().endswith(right.lower()):
        return None
    body = text[: len(text) - len(right)]
    starts = [at for at in range(len(body)) if body.lower().startswith(left.lower(), at) and at + len(left) < len(body)]
    return body[len(left) :] if starts[-1:] == [0] else None


@pytest.mark.parametrize(
    ("template", "path", "values"),
    [
        ("agents/{name}/retrieve", "/agents/a/retrieve", {"name": "a"}),
        ("agents/{name}/retrieve", "/AGENTS/Ab/Retrieve", {"name": "Ab"}),
        ("agents/{name}/retrieve", "/agents/a/retrieve/", {"name": "a"}),
        ("agents/{name}/retrieve", "//agents/a/retrieve", None),
        ("{*path}", "//agents/a/retrieve", None),
        ("agents/{name}/retrieve", "/agents//retrieve", None),
        ("agents/{name}/retrieve", "/agents/a/retrieve//", None),
        ("agents/{name}/retrieve", "/agents/a/retrieve/more", None),
        ("agents/{name}/retrieve", "/agents/a", None),
        ("agents('{name}')/retrieve", "/agents('my agent')/retrieve", {"name": "my agent"}),
        ("agents('{name}')/retrieve", "/Agents('it''s')/retrieve", {"name": "it''s"}),
        ("agents('{name}')/retrieve", "/agents('')/retrieve", None),
        ("agents('{name}')/retrieve", "/agents('a'/retrieve", None),
        ("agents('{name}')/retrieve", "/xagents('a')/retrieve", None),
        ("agents('{name}')/retrieve", "/agents('agents('x')/retrieve", None),
        ("{workspaceId}/index/retrieve", "/ws-1/index/retrieve", {"workspaceId": "ws-1"}),
        ("{*path}", "/a/b//c/", {"path": "a/b//c/"}),
        ("{*path}", "/", {}),
        ("files/{*path}", "/files//a", None),
        ("files/{*path}", "/files/a%2Fb/", {"path": "a%2Fb/"}),
        ("files/{*path}", "/files", {}),
        ("page", "/PAGE/", {}),
    ],
)
def test_a_path_fits_a_template_as_in_aspnet(template: str, path: str, values: dict[str, str] | None) -> None:
    assert match(template, path) == values


@pytest.mark.parametrize(
    ("expression", "fitting", "others"),
    [
        ("^(ws|llm)[-_]", ("ws-abcd", "LLM_0"), ("w\u017f-a", "agents", "xws-abcd")),
        ("b", ("abc",), ("xyz",)),
        ("^a:b/c$", (), ("a:b",)),
        ("^(a|b)$", ("a", "b"), ("ab",)),
    ],
)
def test_an_expression_lets_a_value_through_or_the_route_does_not_fit(
    expression: str, fitting: tuple[str, ...], others: tuple[str, ...]
) -> None:
    template = read_template("x/{value:regex(" + expression + ")}")
    assert [value for value in fitting if template.match(path_segments(f"x/{value}")) is None] == []
    assert [value for value in others if template.match(path_segments(f"x/{value}")) is not None] == []


def test_an_expression_holds_for_the_value_within_a_segment() -> None:
    assert match("v{n:regex(^[0-9]+$)}", "/v7") == {"n": "7"}
    assert match("v{n:regex(^[0-9]+$)}", "/vx") is None


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("a//b", "neither"),
        ("/a", "neither"),
        ("a/{b", "neither"),
        ("a/b}", "neither"),
        ("a/{}", "neither"),
        ("a?b", "neither"),
        ("{a}{b}", "neither"),
        ("{a}-{b}", "neither"),
        ("{a?}", "neither"),
        ("{a=1}", "neither"),
        ("{a:int}", "neither"),
        ("a b", "neither"),
        ("caf\u00e9", "neither"),
        ("{*rest}/b", "last"),
        ("a{*rest}", "alone"),
        ("{*rest:regex(a)}", "alone"),
    ],
)
def test_a_template_of_other_parts_is_refused_with_its_reason(template: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        read_template(template)


@given(NAMES)
def test_a_name_without_the_literal_before_it_comes_back_whole(name: str) -> None:
    values = read_template("agents('{name}')/retrieve").match(path_segments(f"agents('{name}')/retrieve"))
    if b"agents('" not in name.encode("utf-8", "surrogatepass").lower():
        assert values == {"name": name}


@given(
    st.text("aAb'(", min_size=1, max_size=3),
    st.text("aAb'(", max_size=3),
    st.text("aAb'(", min_size=1, max_size=9),
)
def test_a_segment_is_matched_from_right_to_left(left: str, right: str, text: str) -> None:
    values = read_template(left + "{p}" + right).match(path_segments(text))
    expected = one_parameter(left, text, right)
    assert values == (None if expected is None else {"p": expected})


@given(st.text())
def test_reading_any_text_gives_a_template_or_a_refusal(text: str) -> None:
    try:
        template = read_template(text)
    except (ValueError, re.error):
        return
    assert isinstance(template, Template)


@given(st.text("{}*?/:=()'aint,", max_size=30), st.text("ab'()1/\ud800", max_size=20))
def test_matching_never_fails(text: str, path: str) -> None:
    try:
        template = read_template(text)
    except (ValueError, re.error):
        return
    template.match(path_segments(path))
