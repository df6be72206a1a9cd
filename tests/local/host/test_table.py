"""Which function answers: precedence by name, methods, and what is refused at load."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.http.template import path_segments
from retrieval.local.host.errors import BadFunction, BadTemplate, HostError
from retrieval.local.host.table import Function, route_table


def found(functions: list[Function], method: str, path: str, *, prefix: str = "") -> str | None:
    answer = route_table(functions, prefix=prefix).find(method, path_segments(path[1:]))
    return None if answer is None else answer[0].name


def test_the_alphabet_decides_and_nothing_else() -> None:
    literal = Function(name="b_literal", route="agents/index/retrieve")
    wide = Function(name="a_wide", route="{*path}")
    assert found([literal, wide], "POST", "/agents/index/retrieve") == "a_wide"


def test_the_alphabet_ignores_case_and_puts_the_underscore_after_the_letters() -> None:
    names = ["zz_unmatched", "ZZZ", "agents_x", "Agentsy", "agents"]
    table = route_table([Function(name=name) for name in names])
    assert [route.function.name for route in table.routes] == ["agents", "Agentsy", "agents_x", "ZZZ", "zz_unmatched"]


def test_the_overlap_of_agents_and_workspaces_goes_to_the_first_name() -> None:
    agents = Function(name="agents_retrieve", route="agents/{name}/retrieve", methods=("POST",))
    workspaces = Function(name="bailian_index_retrieve", route="{workspaceId}/index/retrieve", methods=("POST",))
    assert found([workspaces, agents], "POST", "/agents/index/retrieve") == "agents_retrieve"
    assert found([workspaces, agents], "POST", "/ws/index/retrieve") == "bailian_index_retrieve"


def test_a_method_that_does_not_fit_means_the_next_route_and_then_none() -> None:
    post = Function(name="a", route="x", methods=("POST",))
    other = Function(name="b", route="{*path}", methods=("GET",))
    assert found([post, other], "GET", "/x") == "b"
    assert found([post, other], "post", "/x") == "a"
    assert found([post, other], "DELETE", "/x") is None


def test_a_constraint_that_fails_means_the_next_route() -> None:
    numbers = Function(name="a", route="{id:regex(^[0-9]+$)}")
    words = Function(name="b", route="{word}")
    assert found([numbers, words], "GET", "/7") == "a"
    assert found([numbers, words], "GET", "/seven") == "b"


def test_the_prefix_stands_before_every_template() -> None:
    assert found([Function(name="a", route="x")], "GET", "/api/x", prefix="api") == "a"
    assert found([Function(name="a", route="x")], "GET", "/x", prefix="api") is None
    with pytest.raises(BadTemplate, match="neither a literal"):
        route_table([Function(name="a", route="/x")], prefix="api")


def test_a_function_without_a_route_has_its_name_for_one() -> None:
    assert found([Function(name="Health")], "GET", "/health") == "Health"
    assert found([Function(name="Health", route=" ")], "GET", "/health") == "Health"


@pytest.mark.parametrize("route", ["admin", "Admin/x", "/administrators", "runtime/x", "RUNTIMEX"])
def test_the_routes_that_the_host_keeps_are_refused(route: str) -> None:
    with pytest.raises(BadFunction, match="keeps routes"):
        route_table([Function(name="f", route=route)])


@pytest.mark.parametrize("name", ["", "1st", "host", "Host", "a b", "é", "a" * 129, "a.b"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(BadFunction, match="a name is"):
        route_table([Function(name=name, route="x")])


def test_two_functions_may_not_have_one_name() -> None:
    with pytest.raises(BadFunction, match="unique"):
        route_table([Function(name="f", route="a"), Function(name="F", route="b")])


@pytest.mark.parametrize(("one", "other"), [(("POST",), ("POST", "PUT")), ((), ("POST",)), ((), ())])
def test_two_functions_may_not_share_a_template_and_a_method(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    with pytest.raises(BadFunction, match="its route is that of function 'f'"):
        route_table(
            [Function(name="f", route="a/{x}", methods=one), Function(name="g", route="/A/{X}/", methods=other)]
        )


def test_two_functions_may_share_a_template_for_different_methods() -> None:
    get = Function(name="f", route="a", methods=("GET",))
    post = Function(name="g", route="a", methods=("POST",))
    assert (found([get, post], "GET", "/a"), found([get, post], "POST", "/a")) == ("f", "g")


@given(st.lists(st.sampled_from("abcd"), unique=True), st.lists(st.sampled_from("abcd"), unique=True))
def test_the_order_of_registration_does_not_matter(one: list[str], other: list[str]) -> None:
    def table(names: list[str]) -> list[str]:
        return [route.function.name for route in route_table(Function(name=name) for name in names).routes]

    assert table(sorted(one)) == table(sorted(one, reverse=True))
    assert set(table(one)) & set(table(other)) == set(one) & set(other)


def test_every_refusal_is_a_host_error() -> None:
    assert issubclass(BadFunction, HostError)
    assert issubclass(BadTemplate, HostError)
