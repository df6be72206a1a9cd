"""What is deployed carries nothing of the local part: neither its files, nor its packages, nor an import of it."""

import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from shutil import copytree, ignore_patterns

from tests.environments import ROOT

LOCAL_PACKAGES = ("tantivy", "luqum", "numpy", "snowballstemmer", "uvicorn")

IMPORT_ALL = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LOCAL_PACKAGES!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import function_app, retrieval.compose
import pkgutil, importlib, retrieval
for module in pkgutil.walk_packages(retrieval.__path__, "retrieval."):
    importlib.import_module(module.name)
print(sorted(name for name in sys.modules if name.startswith("retrieval")))
"""


def deployed(folder: Path) -> Path:
    """A copy of what `func azure functionapp publish` would send."""
    ignored = (ROOT / ".funcignore").read_text(encoding="utf-8").splitlines()
    plain = [pattern for pattern in ignored if pattern and "/" not in pattern]
    nested = [ROOT / pattern for pattern in ignored if "/" in pattern]
    by_name = ignore_patterns(*plain)

    def leave(directory: str, names: list[str]) -> set[str]:
        return by_name(directory, names) | {name for name in names if Path(directory) / name in nested}

    return Path(copytree(ROOT, folder / "package", ignore=leave))


def test_no_file_of_the_local_part_is_deployed(tmp_path: Path) -> None:
    package = deployed(tmp_path)
    files = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert {"function_app.py", "host.json", "requirements.txt", "retrieval/compose.py"} <= files
    assert not [name for name in files if fnmatch(name, "retrieval/local*") or name.startswith(("tests", "docs", "."))]


def test_what_is_deployed_can_be_imported_whole_without_the_local_packages(tmp_path: Path) -> None:
    package = deployed(tmp_path)
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(package)!r})\n{IMPORT_ALL}"],
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    assert "retrieval.compose" in done.stdout
    assert "retrieval.local" not in done.stdout


def test_the_local_packages_are_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = (ROOT / "requirements.txt").read_text(encoding="utf-8") + "".join(project["dependencies"])
    assert all(package not in installed for package in LOCAL_PACKAGES)
    assert all(
        any(one.startswith(package) for one in project["optional-dependencies"]["local"]) for package in LOCAL_PACKAGES
    )
