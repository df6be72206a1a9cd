"""The tests of a module are found by its path, or the docstring of the folder says which scenario holds it.

`retrieval/text/words.py` has `tests/text/test_words.py` (or `test_words_….py`), or `tests/text/__init__.py` has a line
`- words: text/test_sentences.py`. Where there is no such folder, the nearest above it has the line, with the module's
path from there, or with that of a folder for all modules in it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.environments import ROOT

TESTS = ROOT / "tests"
LINE = re.compile(r"^- ([\w/]+): ([\w/]+\.py)$", re.MULTILINE)


def modules() -> Iterator[Path]:
    """The modules of the product, from `retrieval/` or `tools/`; without those that only hold others, or only start
    them."""
    folders = (ROOT / "retrieval", ROOT / "tools")
    found = (path.relative_to(code) for code in folders for path in sorted(code.rglob("*.py")))
    return (path for path in found if path.stem not in {"__init__", "__main__"})


def told(folder: Path) -> dict[str, str]:
    """What the docstring of a folder of tests says: modules by their path from there, and the files that hold them."""
    file = TESTS / folder / "__init__.py"
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else None
    return dict(LINE.findall(docstring or ""))


def home(module: Path) -> Path:
    """The folder of tests that mirrors the module's, or the nearest above it."""
    return next(folder for folder in module.parents if (TESTS / folder).is_dir())


def of_its_own(module: Path) -> list[Path]:
    """The test files at the module's path."""
    folder = TESTS / module.parent
    return [*folder.glob(f"test_{module.stem}.py"), *folder.glob(f"test_{module.stem}_*.py")]


def scenario(module: Path) -> str | None:
    folder = home(module)
    lines, path = told(folder), module.relative_to(folder).with_suffix("")
    return next((lines[name] for name in map(Path.as_posix, (path, *path.parents)) if name in lines), None)


def folders() -> Iterator[Path]:
    return (file.parent.relative_to(TESTS) for file in sorted(TESTS.rglob("__init__.py")))


def test_the_tests_of_every_module_are_found_from_its_path() -> None:
    assert [module.as_posix() for module in modules() if not of_its_own(module) and scenario(module) is None] == []


def _stands(file: str) -> bool:
    """Whether the folder of a test file is there; a room is taken away with its tests."""
    return (TESTS / file).parent.is_dir()


def test_every_scenario_that_a_folder_names_is_there() -> None:
    named = {(folder.as_posix(), file) for folder in folders() for file in told(folder).values()}
    assert [one for one in sorted(named) if not (TESTS / one[1]).is_file() and _stands(one[1])] == []


def test_every_module_that_a_folder_names_is_there() -> None:
    paths = {(home(module), module.relative_to(home(module)).with_suffix("")) for module in modules()}
    known = {(folder, one.as_posix()) for folder, path in paths for one in (path, *path.parents)}
    assert [(folder, name) for folder in folders() for name in told(folder) if (folder, name) not in known] == []
