"""The maps in docstrings are true: the docstring of a package names every module and folder in it."""

import ast
import re
from pathlib import Path

import pytest

from retrieval.contracts.served_versions import VERSIONS
from tests.environments import ROOT

PACKAGES = sorted(file.parent for folder in ("retrieval", "tools") for file in (ROOT / folder).rglob("__init__.py"))


def parts(package: Path) -> set[str]:
    """The modules and folders of a package, but for those that only start it, and for those of api-versions, which the
    table of versions names."""
    versions = {f"v{version.replace('-', '_')}" for version in VERSIONS}
    modules = {file.stem for file in package.glob("*.py")} - {"__init__", "__main__"} - versions
    return modules | {file.parent.name for file in package.glob("*/__init__.py")}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(ROOT).as_posix())
def test_the_docstring_of_a_package_names_everything_in_it(package: Path) -> None:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert parts(package) - set(re.findall(r"\w+", docstring)) == set()
