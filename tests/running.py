"""`make run` and `make search` as processes of their own, on free ports of the loopback interface."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import randbelow
from typing import Literal

from tests.openapi.relay import relayed

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """A port that nobody listens on. It is below the ports that the system chooses itself, so that no other server
    gets it before it is used."""
    while True:
        port = 20_000 + randbelow(12_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def searching(*arguments: str) -> Iterator[str]:
    """The address of a search service; ended as Ctrl-C would, and it must end well."""
    with _running([sys.executable, "-m", "retrieval.local", "search", "--port", "0", *arguments], {}) as said:
        yield said["ready"]


def start_lines(command: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """What a start prints up to `ready`."""
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True
    ) as process:
        lines = until_ready(process)
        process.terminate()
    return lines


def until_ready(process: subprocess.Popen[str]) -> list[str]:
    """The lines that it prints up to `ready`."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith("ready "):
            break
    return lines


@contextmanager
def served(
    python: Path | None = None,
    *arguments: str,
    environ: Mapping[str, str] | None = None,
    version: str = "",
    program: str = "retrieval.local",
) -> Iterator[str]:
    """The address of `make run`, or of `serve` by another interpreter or program; Ctrl-C ends it, and it must end well.

    What it answers is compared with openapi.json. With a `version` each call asks for that one on its way.
    """
    command = ["make", "--silent", "run", "PORT=0"]
    if python is not None:
        command = [str(python), "-m", program, "serve", "--port", "0", *arguments]
    base_path = (environ or {}).get("BASE_PATH", "")
    with (
        _running(command, environ or {}) as said,
        relayed(said["ready"], base_path=base_path, version=version) as (address, _),
    ):
        yield address


@contextmanager
def served_over_tls(
    target: Literal["run", "search"] = "run", *, environ: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """The address of `make run TLS=1`, or of `make search TLS=1`, and the path of its certificate."""
    with (
        _running(["make", "--silent", target, "TLS=1", "PORT=0"], environ or {}) as said,
        relayed(said["ready"], certificate=said["certificate"]) as (address, certificate),
    ):
        yield address, certificate


@contextmanager
def _running(command: Sequence[str], environ: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """What it said until it was ready: the first word of each line to the rest."""
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield _said(process)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=20)


def _said(process: subprocess.Popen[str]) -> Mapping[str, str]:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("ready "):
            return {first: rest.strip() for first, _, rest in (one.partition(" ") for one in lines)}
    raise AssertionError(f"It ended before it was ready: {''.join(lines)}")
