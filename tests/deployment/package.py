"""What is deployed: the files that `.funcignore` leaves, and beside them what requirements.txt installs."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from tests import third_parties
from tests.environments import ROOT

PYTHON: Final = third_parties.AZURE_PYTHON
SITE: Final = Path(".python_packages", "lib", "site-packages")
BYTECODE: Final = "__pycache__"
REQUIREMENTS: Final = "requirements.txt"


def ignored() -> GitIgnoreSpec:
    """`.funcignore`, which has the rules of `.gitignore`."""
    return GitIgnoreSpec.from_lines((ROOT / ".funcignore").read_text(encoding="utf-8").splitlines())


def files(root: Path = ROOT) -> list[str]:
    """The paths of what is sent, from the project's folder."""
    return sorted(_left(root, ignored()))


def _left(root: Path, spec: GitIgnoreSpec) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        here = Path(folder).relative_to(root)
        folders[:] = [name for name in folders if not spec.match_file(f"{(here / name).as_posix()}/")]
        paths = ((here / name).as_posix() for name in names)
        yield from (path for path in paths if not spec.match_file(path))


def write(target: Path, *, app: Path, site: Path) -> None:
    """The zip of an app with the packages of `site` in it, and the bytecode of both: the same bytes for the same files.

    It has no requirements.txt, so that there is nothing to install.
    """
    own = {name: app / name for name in files(app) if name != REQUIREMENTS}
    own |= {path.relative_to(app).as_posix(): path for path in app.rglob(f"{BYTECODE}/*.pyc")}
    foreign = {(SITE / path.relative_to(site)).as_posix(): path for path in site.rglob("*") if path.is_file()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted({**own, **foreign}.items()):
            archive.writestr(_entry(name), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _entry(name: str) -> zipfile.ZipInfo:
    """A file that everybody may read, from the first day of zip."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    return entry
