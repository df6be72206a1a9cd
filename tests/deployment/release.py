"""Builds a release: `make release`, or `python -m tests.deployment.release build --tag v0.1.0`.

The package with its packages inside, of the lock, for Linux and Azure's Python, with its hash; its bill of materials
(CycloneDX); the wheel that another project installs; and its section of CHANGELOG.md as notes. The same commit gives
the same bytes.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from retrieval.version import COMMIT_FILE, SERVICE, VERSION
from tests.deployment import package
from tests.environments import ROOT, interpreter
from tests.requirements import canonical

NAME: Final = f"{SERVICE}-{VERSION}"
WHEEL: Final = f"{SERVICE.replace('-', '_')}-{VERSION}-py3-none-any.whl"
_FIRST_DAY: Final = "315532800"
"""Of zip: the date of each file in the wheel."""

_INSTALL: Final = (
    "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-compile", "--require-hashes",
    "--only-binary", ":all:", "--root-user-action", "ignore",
)  # fmt: skip
_AZURE: Final = (
    "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64",
    "--implementation", "cp", "--python-version", package.PYTHON,
)  # fmt: skip
"""The system that the app runs on: wheels for a newer one would not load there."""

_COMPILE: Final = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
"""Bytecode that is used without a look at the dates of files, and is the same each time."""

LICENCES: Final = frozenset(
    {
        "Apache-2.0",
        "Apache-2.0 AND MIT",
        "Apache-2.0 OR BSD-2-Clause",
        "Apache-2.0 OR BSD-3-Clause",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
    }
)
"""Licences of what is deployed, as SPDX names them; another one stops the release."""

_CLASSIFIED: Final[Mapping[str, str]] = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What packages without an SPDX expression say of themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """An installed package. `digest` is the SHA-256 of its wheel."""

    name: str
    version: str
    licence: str
    digest: str


def build(folder: Path) -> tuple[Component, ...]:
    """Writes the package and its bill of materials into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        app, site = Path(place, "app"), Path(place, "site")
        components = _installed(site)
        for name in released_files():
            (app / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, app / name)
        for root, prefix in ((app, "/"), (site, f"/{package.SITE}")):
            _python(*_COMPILE, "-s", root, "-p", prefix, root)
        package.write(folder / f"{NAME}.zip", app=app, site=site)
    bill = json.dumps(bill_of_materials(components), indent=1, ensure_ascii=False) + "\n"
    (folder / f"{NAME}.cdx.json").write_text(bill, encoding="utf-8")
    wheel(folder)
    return components


def released_files() -> list[str]:
    """The files of the package, without the mark of a commit that was deployed from this folder."""
    return [name for name in package.files() if name != f"retrieval/{COMMIT_FILE}"]


def wheel(folder: Path) -> Path:
    """Builds what another project installs, out of the files that git would keep; its path."""
    folder = folder.resolve()
    command = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    subprocess.run(command, cwd=ROOT, env={**os.environ, "SOURCE_DATE_EPOCH": _FIRST_DAY}, check=True)
    return folder / WHEEL


def bill_of_materials(components: Sequence[Component]) -> Mapping[str, Any]:
    """In CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json"""
    root = _identified(SERVICE, VERSION)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", **root, "licenses": [{"license": {"id": "MIT"}}]}},
        "components": [
            {
                "type": "library",
                **_identified(one.name, one.version),
                "hashes": [{"alg": "SHA-256", "content": one.digest}],
                "licenses": [{"expression": one.licence}],
            }
            for one in components
        ],
        "dependencies": [{"ref": root["bom-ref"], "dependsOn": [_purl(one.name, one.version) for one in components]}],
    }


def hash_line(file: Path) -> str:
    """The file's SHA-256 and its name, as `sha256sum --check` reads them."""
    return f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n"


def notes(version: str = VERSION) -> str:
    """The version's section of the changelog. Raises ValueError where it has none."""
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        if heading.split(" ")[0] == version:
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no section of {version}")


def problems(components: Sequence[Component]) -> Iterator[str]:
    """Licences that nobody has looked at."""
    return (f"{one.name} {one.version}: {one.licence}" for one in components if one.licence not in LICENCES)


def _installed(site: Path) -> tuple[Component, ...]:
    requirements = ("--requirement", ROOT / package.REQUIREMENTS)
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        _python("-m", "pip", *_INSTALL, *_AZURE, "--target", site, "--report", report, *requirements)
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    shutil.rmtree(site / "bin", ignore_errors=True)
    digests = {canonical(one["metadata"]["name"]): one["download_info"]["archive_info"] for one in installed}
    found = (
        Component(
            name=canonical(one.name),
            version=one.version,
            licence=_licence(one.metadata),
            digest=digests[canonical(one.name)]["hashes"]["sha256"],
        )
        for one in metadata.distributions(path=[str(site)])
    )
    return tuple(sorted(found, key=lambda one: one.name))


def _licence(said: metadata.PackageMetadata) -> str:
    """The SPDX expression, or what the package says in its older ways."""
    classifiers = (one.rpartition(" :: ")[2] for one in said.get_all("Classifier", ()) if one.startswith("License :: "))
    older = [_CLASSIFIED.get(one, one) for one in classifiers if one != "OSI Approved"]
    expression, licence = ((said.get_all(name) or [""])[0] for name in ("License-Expression", "License"))
    return str(expression or (older or [licence or "unknown"])[0])


def _identified(name: str, version: str) -> dict[str, str]:
    return {"bom-ref": _purl(name, version), "name": name, "version": version, "purl": _purl(name, version)}


def _purl(name: str, version: str) -> str:
    return f"pkg:{'generic' if name == SERVICE else 'pypi'}/{name}@{version}"


def _python(*arguments: str | Path) -> None:
    python = interpreter(package.PYTHON)
    if python is None:
        raise SystemExit(f"Python {package.PYTHON} is needed: Azure runs the package with it.")
    subprocess.run([python, *arguments], check=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 1 where the tag is another version's, or a licence is unknown."""
    parser = argparse.ArgumentParser(description="Build a release.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tag", default=f"v{VERSION}", help="the tag that is released")
    options = parser.parse_args(arguments)
    if options.tag != f"v{VERSION}":
        print(f"The tag is {options.tag}, the version in pyproject.toml {VERSION}.", file=sys.stderr)
        return 1
    components = build(options.folder)
    (options.folder / f"{NAME}.md").write_text(notes(), encoding="utf-8")
    for one in components:
        print(f"{one.licence:28} {one.name} {one.version}")
    print(line := hash_line(options.folder / f"{NAME}.zip"), end="")
    (options.folder / f"{NAME}.zip.sha256").write_text(line, encoding="utf-8")
    unknown = list(problems(components))
    print(*(f"A licence that nobody has looked at: {one}" for one in unknown), sep="\n", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
