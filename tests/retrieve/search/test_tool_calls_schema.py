"""Arguments and the schemas of tools: what is allowed, what a query can be, what a stranger's schema can do."""

from time import perf_counter
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.retrieve.search.tool_calls import fault_of, needs, only_text

STRICT: Any = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "minLength": 2, "maxLength": 8},
        "year": {"type": ["integer", "null"], "minimum": 1900},
        "kind": {"enum": ["road", "river"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "area": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
    "required": ["place"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "faulty"),
    [
        ({"place": "Ulm"}, False),
        ({"place": "Ulm", "year": None, "kind": "road", "tags": ["a"], "area": {"name": "x"}}, False),
        ({}, True),
        ({"place": 7}, True),
        ({"place": "U"}, True),
        ({"place": "U" * 9}, True),
        ({"place": "Ulm", "year": 12}, True),
        ({"place": "Ulm", "year": "1999"}, True),
        ({"place": "Ulm", "year": True}, True),
        ({"place": "Ulm", "kind": "sea"}, True),
        ({"place": "Ulm", "tags": ["a", 7]}, True),
        ({"place": "Ulm", "tags": ["a"] * 3}, True),
        ({"place": "Ulm", "area": {}}, True),
        ({"place": "Ulm", "more": 1}, True),
    ],
)
def test_arguments_are_checked_as_the_schema_says(arguments: Any, faulty: bool) -> None:
    assert (fault_of(arguments, STRICT) is not None) is faulty
    assert bool(list(jsonschema.Draft202012Validator(STRICT).iter_errors(arguments))) is faulty


def test_a_value_of_a_long_enumeration_is_left_to_the_server() -> None:
    values: list[Any] = [str(number) for number in range(2_000)]
    schema: Any = {"properties": {"road": {"enum": values}}}
    assert fault_of({"road": "1999"}, schema) is None
    assert fault_of({"road": "1999"}, {"properties": {"road": {"enum": values[:1_000]}}}) is not None


SIMPLE = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3)
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner)
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SCHEMAS = st.recursive(
    st.fixed_dictionaries({}, optional={"type": TYPES, "enum": st.lists(SIMPLE, min_size=1, max_size=3)}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES,
            "properties": st.dictionaries(st.sampled_from("abc"), inner),
            "required": st.lists(st.sampled_from("abc"), unique=True),
            "additionalProperties": st.booleans(),
            "items": inner,
        },
    ),
)


@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), SCHEMAS)
def test_what_is_refused_here_a_validator_refuses_too(arguments: Any, schema: Any) -> None:
    """And what it accepts is accepted: nothing of a schema is read more strictly than its specification says."""
    if jsonschema.Draft202012Validator(schema).is_valid(arguments):
        assert fault_of(arguments, schema) is None


ANY = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "required", "items", "enum", "const", "minimum", "maxLength", "$ref", "pattern"]
            ),
            inner,
        )
    ),
)


@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), ANY)
def test_a_schema_of_any_form_is_read(arguments: Any, schema: Any) -> None:
    shape = schema if isinstance(schema, dict) else {"properties": schema}
    fault_of(arguments, shape)
    only_text(shape)
    assert needs(shape)


def test_a_schema_cannot_cost_more_than_its_size() -> None:
    nested: Any = {"properties": {}}
    nested["properties"] = {str(number): {"pattern": "(a+)+$", "$ref": "http://127.0.0.1:1/"} for number in range(500)}
    start = perf_counter()
    for _ in range(50):
        fault_of({str(number): "a" * 40 + "!" for number in range(500)}, nested)
    assert perf_counter() - start < 5


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"properties": {"query": {"type": "string"}}, "required": ["query"]}, "query"),
        ({"properties": {"query": {"type": ["string", "null"]}}}, "query"),
        ({"properties": {"q": {"type": "string"}, "most": {"type": "integer"}}, "required": ["q"]}, "q"),
        ({"properties": {"q": {"type": "string"}, "p": {"type": "string"}}}, None),
        ({"properties": {"q": {"type": "string"}, "p": {"type": "string"}}, "required": ["q", "p"]}, None),
        ({"properties": {"q": {"type": "integer"}}, "required": ["q"]}, None),
        ({"properties": {"q": {"type": "string", "enum": ["a"]}}, "required": ["q"]}, None),
        ({"properties": {"q": {"type": "string", "format": "uri"}}, "required": ["q"]}, None),
        ({"properties": {"q": {}}, "required": ["q"]}, None),
        ({"required": ["q"]}, None),
        ({}, None),
    ],
)
def test_a_query_can_be_the_one_text_that_a_tool_needs(schema: Any, name: str | None) -> None:
    assert only_text(schema) == name
