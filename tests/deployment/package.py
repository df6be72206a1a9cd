"""What is deployed: the files that `.funcignore` leaves, and beside them what requirements.txt installs.

`python -m tests.deployment.package` prints the sizes.
"""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pathspec import GitIgnoreSpec

from tests import third_parties
from tests.environments import ROOT

PYTHON: Final = third_parties.AZURE_PYTHON
SITE: Final = Path(".python_packages", "lib", "site-packages")
BYTECODE: Final = "__pycache__"


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


def installed() -> Path:
    """A folder with the packages, as the remote build's pip puts them there."""
    return third_parties.deployed_packages()


def write(target: Path, *, bytecode: bool = False) -> None:
    """The zip with the packages in it. Bytecode is what pip makes of them; it is not of any package."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in files():
            archive.write(ROOT / name, name)
        site = installed()
        for path in sorted(site.rglob("*")):
            if path.is_file() and (bytecode or BYTECODE not in path.parts):
                archive.write(path, SITE / path.relative_to(site))


def main() -> None:
    with TemporaryDirectory() as folder:
        for bytecode in (False, True):
            target = Path(folder, "package.zip")
            write(target, bytecode=bytecode)
            print(f"{target.stat().st_size / 1e6:.1f} MB {'with' if bytecode else 'without'} bytecode")


if __name__ == "__main__":
    main()
