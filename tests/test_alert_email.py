"""Before azd provisions, somebody is asked where alerts go, if they would reach nobody."""

import os
import pty
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.infra import outside

HOOK: Final = outside.read_yaml((outside.ROOT / "azure.yaml").read_text(encoding="utf-8"))["hooks"]["preprovision"]


def provision(folder: Path, typed: str | None, **environ: str) -> tuple[str, str]:
    """What the hook prints, and what it says to azd. `typed` is what is typed at a terminal; None is no terminal."""
    azd, said = folder / "azd", folder / "said"
    azd.write_text(f'#!/bin/sh\necho "$*" > {said}\n')
    azd.chmod(0o755)
    environ = {"PATH": f"{folder}:{os.environ['PATH']}", "ALERT_EMAIL": "", "ALERT_ACTION_GROUP_ID": "", **environ}
    ours, theirs = pty.openpty() if typed is not None else os.pipe()[::-1]
    os.write(ours, (typed or "").encode())
    try:
        done = subprocess.run(
            [HOOK["posix"]["shell"], "-c", HOOK["posix"]["run"]],
            cwd=outside.ROOT, env=environ, stdin=theirs, capture_output=True, text=True, timeout=30, check=True,
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout, said.read_text() if said.exists() else ""


def test_who_answers_is_told_of_alerts(tmp_path: Path) -> None:
    printed, said = provision(tmp_path, "operators@example.org\n")
    assert "Address that alerts are mailed to" in printed
    assert said == "env set ALERT_EMAIL -- operators@example.org\n"


@pytest.mark.parametrize("typed", ["\n", "--help\n", "@\n"])
def test_who_answers_with_no_address_hears_that_alerts_reach_nobody(typed: str, tmp_path: Path) -> None:
    printed, said = provision(tmp_path, typed)
    assert "Alerts will reach nobody: azd env set ALERT_EMAIL" in printed
    assert said == ""


@pytest.mark.parametrize("name", ["ALERT_EMAIL", "ALERT_ACTION_GROUP_ID"])
def test_nobody_is_asked_where_somebody_is_told(name: str, tmp_path: Path) -> None:
    assert provision(tmp_path, "other@example.org\n", **{name: "somebody"}) == ("", "")


def test_it_is_asked_on_every_system_and_stops_nothing() -> None:
    assert {system: (hook["interactive"], hook["continueOnError"]) for system, hook in HOOK.items()} == {
        "posix": (True, True),
        "windows": (True, True),
    }
    assert HOOK["windows"]["run"] == HOOK["posix"]["run"].replace("python3", "python").replace("$", "$env:")
