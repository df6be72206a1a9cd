"""Azurite, Microsoft's storage emulator, as a process of its own: installed once from npm under `.cache/`."""

import fcntl
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.running import free_port

ROOT: Final = Path(__file__).resolve().parent.parent
VERSION: Final = "3.35.0"
FOLDER: Final = ROOT / ".cache" / "azurite"
ACCOUNT: Final = "devstoreaccount1"


@contextmanager
def azurite(*further: str) -> Iterator[str]:
    """The endpoint of an empty table service. Without npm the test is skipped, or fails where CI=true.

    `further` flags: with `--oauth basic` it takes bearer tokens, and needs `--cert` and `--key`; then it speaks https.
    """
    port, scheme = free_port(), "https" if "--cert" in further else "http"
    flags = ["--tablePort", str(port), "--skipApiVersionCheck", "--disableTelemetry", "--inMemoryPersistence"]
    command = ["node", str(_installed() / "dist/src/table/main.js"), *flags, *further]
    with subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert any("successfully started" in line for line in process.stdout), "Azurite ended before it listened."
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield f"{scheme}://127.0.0.1:{port}/{ACCOUNT}"
        finally:
            process.terminate()


def _installed() -> Path:
    package = FOLDER / "node_modules" / "azurite"
    if shutil.which("node") is None:
        _absent("Node.js is not installed here")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FOLDER.with_name("azurite.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (FOLDER / f"complete-{VERSION}").exists():
            _install()
    return package


def _install() -> None:
    npm = shutil.which("npm")
    if npm is None:
        _absent("npm is not installed here")
    command = [str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), f"azurite@{VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        _absent(f"npm could not install it:\n{done.stderr[-1000:]}")
    (FOLDER / f"complete-{VERSION}").touch()


def _absent(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"Azurite {VERSION} is needed: {reason}.")
    pytest.skip(f"Azurite {VERSION} is not here: {reason}.")
