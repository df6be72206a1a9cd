"""Makes this checkout the version of a tag, which `make release TAG=v0.2.0` runs before it builds:

    python -m tools.release v0.2.0

It writes the version wherever a person would, and gives what CHANGELOG.md calls unreleased the version and its date.
Where the checkout has the version already, it changes nothing; with `--committed`, as in CI, it never does.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from retrieval.version import SERVICE

PLACES: Final[Mapping[str, str]] = {
    "pyproject.toml": r'^version = "(.+)"$',
    "retrieval/version.py": r'^VERSION: Final = "(.+)"$',
    "azure.yaml": rf"^  template: {SERVICE}@(.+)$",
    "infra/modules/app.bicep": r"'service\.version=(.+)'",
    "docs/operating/upkeep.md": r"\b(?:v|functions-)(\d+\.\d+\.\d+)\b",
    "docs/operating/monitoring.md": r'"version":"(.+?)"',
}
"""Where the version is written by hand, and what stands around it there."""

MOST_WORDS: Final = 1_200
"""The most words of CHANGELOG.md: who upgrades reads all of it."""

UNRELEASED: Final = "## Unreleased\n"
NEXT: Final = """{tag} is written. Look at it, and let `make test` pass. Then whoever owns the repository:

    git commit --all --message "release: name version {version}"
    git tag --annotate {tag} --message {tag}
    git push --follow-tags

The tag builds the package again, tests it, attests where it comes from, and publishes it. The hash of its zip must be
that of a build of the same commit here: `make release TAG={tag}` prints it."""


def problems(folder: Path, tag: str) -> Iterator[str]:
    """Why this checkout cannot become the version of the tag; a sentence each."""
    known = numbers(version_of(folder))
    if (asked := numbers(tag.removeprefix("v"))) is None or not tag.startswith("v"):
        yield f"{tag!r} is no tag of a version, such as v0.2.0."
    elif known is not None and asked <= known:
        yield f"The tag is {tag}, and the version in pyproject.toml {version_of(folder)} is as new."
    changes = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    section = changes.partition(UNRELEASED)[2].partition("\n## ")[0]
    if not section.strip():
        yield "CHANGELOG.md has nothing under Unreleased: say what to do, and what callers see."
    if len(changes.split()) > MOST_WORDS:
        yield f"CHANGELOG.md has {len(changes.split())} words, more than {MOST_WORDS}: shorten older versions."


def numbers(version: str) -> tuple[int, ...] | None:
    """The three numbers of a version; None if it is none."""
    found = re.fullmatch(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", version)
    return None if found is None else tuple(map(int, found.groups()))


def version_of(folder: Path) -> str:
    """The version in pyproject.toml."""
    (version,) = re.findall(PLACES["pyproject.toml"], _read(folder / "pyproject.toml"), re.MULTILINE)
    return str(version)


def write(folder: Path, version: str, *, day: str) -> None:
    """Write the version in its places, and above what CHANGELOG.md calls unreleased. `day` is its date."""
    for path, pattern in PLACES.items():
        whole = re.sub(pattern, lambda found: _with(found, version), _read(folder / path), flags=re.MULTILINE)
        (folder / path).write_text(whole, encoding="utf-8")
    changes = folder / "CHANGELOG.md"
    changes.write_text(_read(changes).replace(UNRELEASED, f"## {version} - {day}\n", 1), encoding="utf-8")


def _with(found: re.Match[str], version: str) -> str:
    """The text that was found, with another version in its group."""
    start = found.start(1) - found.start()
    return f"{found[0][:start]}{version}{found[0][start + len(found[1]) :]}"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main(tag: str, folder: Path, *, committed: bool) -> int:
    """The exit code: 0 if the checkout has the version, 1 if it cannot have it. If `committed`, nothing is written."""
    if tag == f"v{version_of(folder)}":
        return 0
    found = list(problems(folder, tag))
    if committed:
        found.append(f"The tag is {tag}, the version that is committed {version_of(folder)}.")
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    if found:
        return 1
    write(folder, tag.removeprefix("v"), day=f"{datetime.now(UTC):%Y-%m-%d}")
    print(NEXT.format(tag=tag, version=tag.removeprefix("v")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path.cwd(), committed="--committed" in sys.argv[2:]))
