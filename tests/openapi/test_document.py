"""The document: valid, complete, as it is in docs/, and with examples that fit."""

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from retrieval.compose.rooms import TABLE
from retrieval.contracts.served_versions import VERSIONS
from retrieval.http.monitoring import DOCUMENT
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from retrieval.sources import KINDS as KNOWN
from retrieval.version import VERSION
from tests.access.test_rights import routes
from tests.environments import ROOT
from tests.openapi.conforming import faults, paths, read, responses
from tools.openapi import document, without_white_space
from tools.openapi.routes import DESCRIPTIONS, SPELLINGS

OF_AN_OPERATION: Final = (
    "",
    "Body",
    "Error",
    "JsonBody",
    "JsonRequestBody",
    "Params",
    "Request",
    "RequestBody",
    "Response",
    "Result",
)
METHODS: Final = frozenset({"get", "put", "post", "delete"})


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in read()["paths"].items():
        for method, operation in item.items():
            assert method in METHODS
            yield path, method, operation


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every content of every body, under the operation's id."""
    for _, _, operation in operations():
        bodies = [operation.get("requestBody", {}), *responses(operation).values()]
        for body in bodies:
            yield from ((operation["operationId"], content) for content in body.get("content", {}).values())


@pytest.mark.slow
def test_it_is_valid() -> None:
    assert list(OpenAPIV31SpecValidator(read()).iter_errors()) == []


@pytest.mark.slow
def test_the_validator_would_find_a_fault() -> None:
    broken = copy.deepcopy(read())
    del broken["paths"]["/health"]["get"]["responses"]["200"]["description"]
    assert list(OpenAPIV31SpecValidator(broken).iter_errors())


def test_the_copy_in_docs_is_what_is_written_from_the_models() -> None:
    """`make written` writes it anew."""
    assert (ROOT / "docs" / "openapi.json").read_bytes() == document()


def test_what_is_deployed_is_the_same_without_white_space() -> None:
    assert DOCUMENT.read_bytes() == without_white_space()
    assert json.loads(without_white_space()) == json.loads(document())
    assert without_white_space().startswith(b'{"openapi":"3.1.0","info":{"title":"Agentic retrieval",')


def test_it_has_every_route_of_every_function_and_no_other(host: Host) -> None:
    there = {(f"/{path}", route.method.lower()) for path, route in paths()}
    assert there == {(path, method) for path, method, _ in operations()}
    assert set(routes(host)) == set(TABLE.routes)


def test_every_description_is_of_a_route() -> None:
    assert set(DESCRIPTIONS) == {route.id for route in TABLE.routes.values()}


@pytest.mark.parametrize(("id", "path"), [(id, path) for id, paths in SPELLINGS.items() for path in paths])
def test_an_address_that_is_written_another_way_is_one_of_its_route(id: str, path: str) -> None:
    served = TABLE.of_path(path.format(workspaceId="x")).values()
    assert [route.id for route, _ in served] == [id]


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


def test_no_schema_has_a_name_that_generators_give_to_what_belongs_to_an_operation() -> None:
    """oapi-codegen wrote two types `AnswerResponse` where the operation `answer` had an `AnswerResponse`."""
    schemas = {re.sub(r"\W|_", "", name).lower() for name in read()["components"]["schemas"]}
    for _, _, operation in operations():
        taken = {f"{operation['operationId']}{suffix}".lower() for suffix in OF_AN_OPERATION}
        assert schemas.isdisjoint(taken), schemas & taken


def test_the_name_of_a_schema_is_that_of_its_shape_and_version() -> None:
    """And of a part within it; no path of a module."""
    for name in read()["components"]["schemas"]:
        assert re.fullmatch(r"[A-Z][A-Za-z]+(_20\d\d_\d\d_\d\d(_preview)?)?(\.[A-Za-z]+)*", name), name


KINDS: Final = frozenset(KNOWN)


@cache
def written() -> dict[str, Any]:
    """The document as `make written` would write it now."""
    value: dict[str, Any] = json.loads(document())
    return value


def kinds_in(value: object) -> set[str]:
    """The kinds of knowledge sources that a schema names, as a value or as the beginning of a member's name."""
    if isinstance(value, list):
        return {kind for item in value for kind in kinds_in(item)}
    if not isinstance(value, dict):
        return {value} & KINDS if isinstance(value, str) else set()
    members = {kind for kind in KINDS if {f"{kind}Arguments", f"{kind}Parameters"} & value.keys()}
    return members.union(*map(kinds_in, value.values()))


@pytest.mark.parametrize("version", [version for version, routes in VERSIONS.items() if "knowledgesources" in routes])
def test_no_schema_of_a_version_names_a_kind_of_sources_that_it_lacks(version: str) -> None:
    suffix = f"_{version.replace('-', '_')}"
    schemas = {name: schema for name, schema in written()["components"]["schemas"].items() if suffix in name}
    kinds = set(schemas[f"KnowledgeSource{suffix}"]["properties"]["kind"]["enum"])
    assert kinds_in(list(schemas.values())) == kinds


def test_what_needs_no_right_needs_no_credential_and_nothing_else_does_without() -> None:
    for path, route in paths():
        operation = read()["paths"][f"/{path}"][route.method.lower()]
        assert (operation["security"] == []) == (route.needs is None)


def test_the_parameters_of_a_path_are_those_in_it() -> None:
    for path, _, operation in operations():
        named = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        assert named == re.findall(r"\{(\w+)\}", path)


@pytest.mark.parametrize("name", sorted(read()["components"]["schemas"]))
def test_every_schema_is_used(name: str) -> None:
    place = f'"#/components/schemas/{name}'
    assert f'{place}"' in document().decode() or f"{place}/" in document().decode()


def test_every_example_fits_its_schema() -> None:
    shown = 0
    for operation, content in contents():
        for name, example in content.get("examples", {}).items():
            assert faults(example["value"], content["schema"]) == [], (operation, name)
            shown += 1
    assert shown > len(TABLE.routes)


def test_an_example_that_does_not_fit_would_be_found() -> None:
    content = read()["paths"]["/agents/{name}/retrieve"]["post"]["requestBody"]["content"]["application/json"]
    example = copy.deepcopy(content["examples"]["question"]["value"])
    example["messages"][0]["texts"] = []
    assert faults(example, content["schema"])


def test_its_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION


async def test_everybody_is_told_it(host: Host) -> None:
    answer = await host(WireRequest(method="GET", target="/openapi.json"))
    assert answer.status == 200
    assert json.loads(answer.body) == read()


@pytest.mark.parametrize("kind", ["responses", "headers"])
def test_every_component_is_referred_to(kind: str) -> None:
    text = document().decode()
    assert [name for name in read()["components"][kind] if f'"#/components/{kind}/{name}"' not in text] == []


def test_every_credential_of_the_document_is_taken_by_a_route() -> None:
    operations = [operation for path in read()["paths"].values() for operation in path.values()]
    taken = {scheme for operation in operations for choice in operation["security"] for scheme in choice}
    assert read()["components"]["securitySchemes"].keys() == taken
