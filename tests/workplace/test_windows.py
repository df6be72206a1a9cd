"""The two commands for Windows: their Python part, here."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import pytest

from tests.conftest import ask
from tests.environments import ROOT
from tests.running import served

PAGE: Final = (ROOT / "docs" / "developing" / "local-host.md").read_text(encoding="utf-8")
SETUP, SERVE = re.findall(r"```powershell\n(py -m .+)\n(.+)\n```", PAGE)[0]
POSIX_ONLY: Final = re.compile(r"^(?:import|from) (?:fcntl|grp|pwd|resource|termios)\b", re.MULTILINE)


def here(command: str, folder: Path) -> list[str]:
    """A command of PowerShell as the arguments of a process of this machine, its environment in a folder of its own."""
    first, *rest = shlex.split(command.replace("\\", "/"))
    python = {"py": sys.executable, ".venv/Scripts/python": str(folder / ".venv" / "bin" / "python")}[first]
    return [python, *(str(folder / one) if one.startswith(".venv") else one for one in rest)]


def test_nothing_that_serves_needs_what_only_posix_has() -> None:
    """But within `if sys.platform`, where the import is indented."""
    sources = [ROOT / "function_app.py", *(ROOT / "retrieval").rglob("*.py")]
    assert [path for path in sources if POSIX_ONLY.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.slow
def test_the_two_commands_serve_a_folder_and_it_answers(tmp_path: Path) -> None:
    for command in SETUP.split("; "):
        subprocess.run(here(command, tmp_path), cwd=ROOT, check=True, capture_output=True)
    python, *arguments = here(SERVE, tmp_path)
    assert arguments[:3] == ["-m", "retrieval.local", "serve"]
    with served(Path(python), *arguments[3:]) as address:
        body = json.dumps(ask("What does the local host emulate?")).encode()
        headers = {"api-key": "local-dev-key", "Content-Type": "application/json"}
        with urlopen(Request(f"{address}/agents/handbook/answer", body, headers)) as response:
            assert json.load(response)["citations"]
