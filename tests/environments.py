"""Virtual environments for tests that need other packages, or another Python, than the project's own.

They are kept under `.cache/venvs/` of the repository, one a set of requirements and interpreter. Any number of test
processes may ask at once: one builds under a lock, and only an environment that was finished is ever used.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]
CACHE = (ROOT / ".cache").resolve() / "venvs"
"""Not by way of a link: the programs of an environment name its folder, and checkouts that share it come and go."""
_PIP = ("install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-compile")
_NPM = ("install", "--no-audit", "--no-fund", "--silent")
_COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>clients</artifactId><version>1</version>
  <dependencies>{}</dependencies>
</project>"""
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


class NoEnvironment(Exception):
    """An environment cannot be built; the sentence holds the end of what the tool said."""


def environment(name: str, requirements: Sequence[str], python: str | None = None, *, cache: Path = CACHE) -> Path:
    """The interpreter of an environment with these requirements, built on the first call.

    `python` is a version such as "3.13"; None is the running one. NoEnvironment when that version is not installed here
    (ask `needs` first) or the requirements cannot be installed.
    """
    base = Path(sys.executable) if python is None else interpreter(python)
    if base is None:
        raise NoEnvironment(f"Python {python} is not installed here.")
    key = "\n".join([_facts(base), *sorted(requirements)])
    folder = cache / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    with locked(folder):
        if not (folder / "complete").exists():
            _build(folder, base, requirements)
    return folder / "bin" / "python"


def node_packages(name: str, requirements: Sequence[str], *, cache: Path = CACHE) -> Path:
    """A folder whose `node_modules` has these packages, installed by npm on the first call.

    NoEnvironment without Node.js (ask `needs_node` first), or when npm cannot install them.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise NoEnvironment("Node.js with npm is not installed here.")
    key = "\n".join(sorted(requirements))
    folder = cache / f"node-{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    with locked(folder):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "package.json").write_text("{}")
            run([npm, *_NPM, "--prefix", folder, *requirements])
            (folder / "complete").touch()
    return folder


def java_packages(name: str, requirements: Sequence[str], *, cache: Path = CACHE) -> Path:
    """A folder with the jars of these packages (`group:artifact:version`), fetched by Maven on the first call.

    NoEnvironment without Maven (ask `needs_java` first), or when it cannot fetch them.
    """
    maven = shutil.which("mvn")
    if maven is None:
        raise NoEnvironment("Maven is not installed here.")
    pom = _POM.format("".join(_DEPENDENCY.format(*one.split(":")) for one in sorted(requirements)))
    folder = cache / f"java-{name}-{hashlib.sha256(pom.encode()).hexdigest()[:12]}"
    with locked(folder):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "pom.xml").write_text(pom)
            run([maven, "-q", "-B", "-f", folder, f"-Dmaven.repo.local={folder / 'repository'}", _COPY_JARS])
            (folder / "complete").touch()
    return folder / "target" / "dependency"


def go_program(name: str, package: str, *, cache: Path = CACHE) -> Path:
    """A program in Go, installed on the first call; what it is made of is kept beside it.

    NoEnvironment without Go (ask `needs_go` first), or when the package cannot be installed.
    """
    go = shutil.which("go")
    if go is None:
        raise NoEnvironment("Go is not installed here.")
    folder = cache / f"go-{name}-{hashlib.sha256(package.encode()).hexdigest()[:12]}"
    with locked(folder):
        if not (folder / "complete").exists():
            run([go, "install", package], environ={"GOBIN": str(folder), **go_environ(cache)})
            (folder / "complete").touch()
    return folder / name


def go_environ(cache: Path = CACHE) -> dict[str, str]:
    """Where Go keeps modules and what it has built: in files that can be deleted."""
    kept = cache / "go"
    return {"GOMODCACHE": str(kept / "modules"), "GOCACHE": str(kept / "built"), "GOFLAGS": "-modcacherw"}


def interpreter(version: str) -> Path | None:
    """A Python of that version, e.g. "3.13": the running one, on PATH, or of pyenv; None when there is none."""
    return next((found for found in _candidates(version) if _is(found, version)), None)


def needs(version: str) -> Path:
    """The interpreter; without it the test is skipped, with the reason, or fails where CI=true."""
    found = interpreter(version)
    if found is not None:
        return found
    _lacking(f"Python {version} is not installed here (neither python{version} on PATH nor a pyenv version)")


def needs_node() -> None:
    """Without Node.js and its npm the test is skipped, with the reason, or fails where CI=true."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        _lacking("Node.js with npm is not installed here")


def needs_java() -> None:
    """Without a JDK and Maven the test is skipped, with the reason, even where CI=true."""
    if shutil.which("javac") is None or shutil.which("mvn") is None:
        pytest.skip("A JDK (17 or later) and Maven are not installed here")


def needs_go() -> None:
    """Without Go the test is skipped, with the reason, or fails where CI=true."""
    if shutil.which("go") is None:
        _lacking("Go is not installed here")


def needs_browser() -> Path:
    """Debian's Chromium, or Chrome; without either the test is skipped, with the reason, even where CI=true."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("Chromium is not installed here (apt-get install chromium)")
    return Path(found)


def _lacking(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _candidates(version: str) -> Iterator[Path]:
    yield Path(sys.executable)
    on_path = shutil.which(f"python{version}")
    if on_path is not None:
        yield Path(on_path)
    for root in _pyenv_roots():
        yield from sorted((root / "versions").glob(f"{version}*/bin/python{version}"), reverse=True)


def _pyenv_roots() -> Iterator[Path]:
    root = os.environ.get("PYENV_ROOT")
    if root:
        yield Path(root)
    if shutil.which("pyenv") is not None:
        said = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=False)
        if said.returncode == 0:
            yield Path(said.stdout.strip())


@cache
def _facts(python: Path) -> str:
    """The full version and the real path; empty for a file that does not run (a pyenv shim of a version not chosen)."""
    code = "import os, sys; print(sys.version, os.path.realpath(sys.executable))"
    try:
        said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return said.stdout if said.returncode == 0 else ""


def _is(python: Path, version: str) -> bool:
    return _facts(python).startswith(f"{version}.")


def _build(folder: Path, base: Path, requirements: Sequence[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    run([base, "-m", "venv", "--without-pip", folder])
    if requirements:
        install(folder / "bin" / "python", *requirements)
    (folder / "complete").touch()


def install(python: Path, *requirements: str) -> None:
    """Into an environment. uv takes a tenth of pip's time; pip knows the indexes that this machine has for it.

    Raises NoEnvironment.
    """
    try:
        run([sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-config", "--python", python, *requirements])
    except NoEnvironment:
        run([sys.executable, "-m", "pip", "--python", python, *_PIP, *requirements])


def run(command: Sequence[str | Path], *, environ: Mapping[str, str] | None = None) -> None:
    """NoEnvironment, with the end of what the command said, where it fails."""
    env = {**os.environ, **(environ or {})}
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=env)
    if done.returncode != 0:
        raise NoEnvironment(f"{' '.join(map(str, command))} failed:\n{(done.stderr or done.stdout)[-2000:]}")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Held by one process (or thread) at a time; gone with the process that held it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
