"""Route templates: which paths fit, with which values, and which templates are refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.host.errors import BadTemplate
from retrieval.local.host.paths import segments
from retrieval.local.host.template import Template, fold, read_template

NAMES = st.text(min_size=1).filter(lambda text: "/" not in text)


def match(template: str, path: str) -> dict[str, str] | None:
    found = read_template(template).match(segments(path))
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
        ("/agents/{name}/retrieve", "/agents/a/retrieve", {"name": "a"}),
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
        ("{a}-{b}", "/x-y-z", {"a": "x-y", "b": "z"}),
        ("{a}-{b}", "/x-", None),
        ("{a}-{b}", "/-x", None),
        ("b{p}b{q}c", "/bxc", None),
        ("{workspaceId}/index/retrieve", "/ws-1/index/retrieve", {"workspaceId": "ws-1"}),
        ("{*path}", "/a/b//c/", {"path": "a/b//c/"}),
        ("{*path}", "/", {}),
        ("files/{**path}", "/files/a%2Fb", {"path": "a%2Fb"}),
        ("files/{*path}", "/files//a", None),
        ("{name?}", "/", {}),
        ("page/{number=1}", "/page", {"number": "1"}),
        ("page/{number=1}", "/page/2", {"number": "2"}),
        ("a{{b}}", "/a{b}", {}),
        ("{{{name}-x", "/{y-x", {"name": "y"}),
    ],
)
def test_a_path_fits_a_template_as_in_aspnet(template: str, path: str, values: dict[str, str] | None) -> None:
    assert match(template, path) == values


@pytest.mark.parametrize(
    ("inside", "fitting", "others"),
    [
        ("int", ("1", "-5", "+2147483647", "007", " 7 "), ("x", "1.0", "2147483648", "٣", "9" * 5000, "")),
        ("long", ("9223372036854775807", "-9223372036854775808"), ("9223372036854775808",)),
        ("bool", ("true", "FALSE"), ("1", "yes")),
        ("guid", ("12345678-1234-1234-1234-123456789abc", "{12345678-1234-1234-1234-123456789ABC}"), ("12345678",)),
        ("alpha", ("abC",), ("a1", "é")),
        ("length(2)", ("ab",), ("a", "abc")),
        ("length(2,3)", ("ab", "abc"), ("a", "abcd")),
        ("minlength(2):maxlength(3)", ("ab", "abc"), ("a", "abcd")),
        ("min(2):max(4)", ("2", "4"), ("1", "5", "x")),
        ("range(-1,1)", ("-1", "1"), ("2",)),
        ("regex(^(ws|llm)-[a-z0-9]{{4,}}$)", ("ws-abcd", "LLM-0000"), ("ws-abc", "agents", "xws-abcd")),
        ("regex(b)", ("abc",), ("xyz",)),
        ("regex(^a:b=c$)", ("a:b=c",), ("a:b",)),
        ("regex(^(a|b)$)", ("a", "b"), ("ab",)),
        ("required", ("x",), ()),
        ("INT", ("1",), ("x",)),
    ],
)
def test_a_constraint_lets_a_value_through_or_the_route_does_not_fit(
    inside: str, fitting: tuple[str, ...], others: tuple[str, ...]
) -> None:
    template = read_template("x/{value:" + inside + "}")
    assert [value for value in fitting if template.match(("x", value)) is None] == []
    assert [value for value in others if template.match(("x", value)) is not None] == []


def test_a_constraint_on_an_optional_parameter_holds_only_when_it_is_there() -> None:
    assert match("x/{n:int?}", "/x") == {}
    assert match("x/{n:int?}", "/x/y") is None


def test_a_default_may_follow_a_constraint() -> None:
    assert match("x/{n:int=5}", "/x") == {"n": "5"}


def test_a_constraint_holds_inside_a_segment_and_on_a_catch_all() -> None:
    assert match("v{n:int}", "/v7") == {"n": "7"}
    assert match("v{n:int}", "/vx") is None
    assert match("{*rest:regex(^a/)}", "/a/b") == {"rest": "a/b"}
    assert match("{*rest:regex(^a/)}", "/b/b") is None
    assert match("{*rest:regex(^a/)}", "/") is None


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("a//b", "two slashes"),
        ("a/{b", "braces"),
        ("a/b}", "braces"),
        ("a/{}", "name"),
        ("a?b", "'?'"),
        ("~a", "'~'"),
        ("{a}{b}", "two parameters"),
        ("{a}/{A}", "twice"),
        ("{*rest}/b", "last"),
        ("a{*rest}", "alone"),
        ("{a}.{b?}", "alone"),
        ("{*rest?}", "optional"),
        ("{a=1?}", "optional"),
        ("{a:datetime}", "not known here"),
        ("{a:int(1)}", "not known here"),
        ("{a:regex([)}", "not a regular expression"),
        ("{a:regex(}", "not known here"),
        ("{a:(x)y}", "cannot be read"),
        ("{a:min(x)}", "whole number"),
        ("{a:min(1,2)}", "whole number"),
        ("{a:range(1)}", "two numbers"),
        ("{a:in:t)}", "not known here"),
    ],
)
def test_a_template_that_aspnet_refuses_is_refused_with_its_reason(template: str, reason: str) -> None:
    with pytest.raises(BadTemplate, match=re.escape(reason)) as refusal:
        read_template(template)
    assert refusal.value.template == template


@given(NAMES)
def test_a_name_without_the_literal_before_it_comes_back_whole(name: str) -> None:
    values = read_template("agents('{name}')/retrieve").match((f"agents('{name}')", "retrieve"))
    if "agents('" not in fold(name):
        assert values == {"name": name}


@given(
    st.text("aAb'(", min_size=1, max_size=3),
    st.text("aAb'(", max_size=3),
    st.text("aAb'(", min_size=1, max_size=9),
)
def test_a_segment_is_matched_from_right_to_left(left: str, right: str, text: str) -> None:
    values = read_template(left + "{p}" + right).match((text,))
    expected = one_parameter(left, text, right)
    assert values == (None if expected is None else {"p": expected})


@given(st.text())
def test_reading_any_text_gives_a_template_or_a_refusal(text: str) -> None:
    try:
        template = read_template(text)
    except BadTemplate:
        return
    assert isinstance(template, Template)


@given(st.text("{}*?/:=()'aint,", max_size=30), st.lists(st.text("ab'()1", max_size=5), max_size=5))
def test_matching_never_fails(text: str, path: list[str]) -> None:
    try:
        template = read_template(text)
    except BadTemplate:
        return
    template.match(path)


@given(st.text("aB'{}", max_size=8))
def test_doubled_braces_stand_for_themselves(literal: str) -> None:
    if literal:
        template = read_template(literal.replace("{", "{{").replace("}", "}}"))
        assert template.match((literal.swapcase(),)) == {}
