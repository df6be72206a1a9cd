"""An api-version is one module: a copy under a later name has its members, and no other module knows of it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import TypeAdapter

from retrieval.contracts.azure.members_by_version import names_of
from retrieval.contracts.azure.version import Version
from retrieval.contracts.azure.versions import v2026_10_01, v2026_11_01_preview
from tests.environments import ROOT
from tests.rooms import NEEDS_MCP_SERVERS

GA, PREVIEW = v2026_10_01.VERSION, v2026_11_01_preview.VERSION
CODE: Final = ROOT / "retrieval"
DATE: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(-preview)?")


def schemas(version: Version) -> Iterator[Any]:
    for shape in (version.request, version.response, version.definitions("knowledgesources").status):
        yield TypeAdapter(shape).json_schema(), TypeAdapter(shape).json_schema(mode="serialization")
    for route in ("knowledgebases", "knowledgesources"):
        yield TypeAdapter(version.definitions(route).shape).json_schema()


@pytest.mark.parametrize("version", [GA, PREVIEW], ids=lambda version: version.name)
def test_a_copy_of_a_version_under_a_later_date_has_its_members(version: Version) -> None:
    copy = replace(version, name=f"2099-12-31{version.name[10:]}")
    assert list(schemas(copy)) == list(schemas(version))


def test_a_copy_of_the_other_sort_has_the_members_of_its_own_sort() -> None:
    copy = replace(PREVIEW, name="2099-12-31", kinds=GA.kinds, request_base=None)
    assert list(schemas(copy)) == list(schemas(GA))


def test_a_version_says_what_it_changes_and_no_mark_is_touched() -> None:
    changes = {"SourceParams.never_query_source": True, "RetrieveRequest.max_output_documents": False}
    before, after = (names_of(version.request).values() for version in (GA, replace(GA, changes=changes)))
    assert set(after) - set(before) == {"neverQuerySource"}
    assert "maxOutputDocuments" in names_of(GA.request).values()
    assert "max_output_documents" not in replace(GA, changes=changes).request.model_fields


@NEEDS_MCP_SERVERS
def test_a_version_without_a_kind_has_none_of_its_members() -> None:
    whole, less = (
        str(list(schemas(version)))
        for version in (PREVIEW, replace(PREVIEW, kinds=tuple(kind for kind in PREVIEW.kinds if kind != "mcpServer")))
    )
    assert "mcpServer" in whole and "mcpServer" not in less


def trees() -> Iterator[tuple[Path, ast.Module]]:
    return ((file, ast.parse(file.read_text(encoding="utf-8"))) for file in sorted(CODE.rglob("*.py")))


def test_no_condition_names_a_version() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and DATE.fullmatch(part.value)
    ]
    assert found == []


def test_the_module_of_a_version_is_imported_by_no_other() -> None:
    folder = "retrieval.contracts.azure.versions"
    found = [
        file.relative_to(ROOT).as_posix()
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(folder)
    ]
    assert found == []


def test_the_recipe_of_a_new_version_has_five_lines_and_files_that_are_there() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n\n")
    (recipe,) = [one for one in recipes if one.startswith("**A new api-version**")]
    assert len(recipe.splitlines()) <= 5
    assert not re.search(r"\b[0-9]+ lines", recipe)
    named = [name for name in re.findall(r"`([\w/.-]+(?:\.py|/))`", recipe) if "/" in name]
    named += re.findall(r"docs/[\w/-]+\.md", recipe)
    assert len(named) >= 6
    assert [name for name in named if not (ROOT / name).exists()] == []
