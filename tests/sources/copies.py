"""A copy of the project with other kinds of knowledge sources, and its answers."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent


def copied(folder: Path) -> Path:
    """Copy the project into the folder. Returns the folder of its kinds of sources."""
    shutil.copytree(ROOT / "retrieval", folder / "retrieval", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "retrieval" / "sources"


async def answers(folder: Path, *calls: tuple[str, str, object]) -> list[Any]:
    """The status and the body of each answer of the copy."""
    settings = {"LOCAL": "1", "ADMIN_API_KEYS": "admin-key", "AGENTS_STORE": "memory"}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parent / "answering.py"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=folder,
        env={**{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}, **settings}
        | {"PYTHONPATH": str(folder)},
    )
    written, _ = await process.communicate("\n".join(map(json.dumps, calls)).encode())
    return [json.loads(line) for line in written.splitlines()]


async def assert_types_hold(folder: Path) -> None:
    """Check the types of a copy, with the tools and the app of the project."""
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("function_app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    checked = ("-m", "mypy", "retrieval", "tools", "function_app.py")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *checked, cwd=folder, stdout=pipe)
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
