"""`make run` and `make search` as processes of their own, on free ports of the loopback interface."""

import os
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def served_by() -> list[str]:
    """What an environment needs to serve locally: the dependencies of the app and of its local part."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["local"]]


@contextmanager
def searching(*arguments: str) -> Iterator[str]:
    """The address of a search service; ended as Ctrl-C would, and it must end well."""
    with _running([sys.executable, "-m", "retrieval.local", "search", "--port", "0", *arguments]) as address:
        yield address


@contextmanager
def served(python: Path | None = None, *arguments: str, environ: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of `make run`, or of `serve` by another interpreter; ended as Ctrl-C would, and it must end well."""
    command = ["make", "--silent", "run", f"PORT={free_port()}"]
    if python is not None:
        command = [str(python), "-m", "retrieval.local", "serve", "--port", "0", *arguments]
    with _running(command, environ=environ) as address:
        yield address


@contextmanager
def _running(command: list[str], *, environ: Mapping[str, str] | None = None) -> Iterator[str]:
    env = {**os.environ, **(environ or {})}
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield _address(process)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=20)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("ready "):
            return line.removeprefix("ready ").strip()
    raise AssertionError(f"It ended before it was ready: {''.join(said)}")
