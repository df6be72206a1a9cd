"""Packages from npm that tests run with node, each installed once under `.cache/` of the repository."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

CACHE: Final = Path(__file__).resolve().parent.parent / ".cache"


def installed(package: str, version: str) -> Path:
    """The folder of that version. Without npm the test is skipped, with the reason, or fails where CI=true."""
    folder = CACHE / package
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{package}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / f"complete-{version}").exists():
            _install(folder, package, version)
    return folder / "node_modules" / package


def _install(folder: Path, package: str, version: str) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        _absent(package, "Node.js with npm is not installed here")
    command = [str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{package}@{version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        _absent(package, f"npm could not install it:\n{done.stderr[-1000:]}")
    (folder / f"complete-{version}").touch()


def _absent(package: str, reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{package} is needed: {reason}.")
    pytest.skip(f"{package} is not here: {reason}.")
