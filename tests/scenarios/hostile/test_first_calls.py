"""What a first call loads is loaded beside the loop: settings, packages, grammars, clients, steps of a model."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from tests.conftest import ROOT
from tests.scenarios.hostile.deployment import TRIES

LOOP: Final = 0.05
"""Seconds, also for the very first call of a process, which composes the service."""


class First(NamedTuple):
    """See `first_calls`."""

    name: str
    status: int
    loop: float
    loaded: list[str]


def _first() -> Iterator[First]:
    command = [sys.executable, "-m", "tests.scenarios.hostile.first_calls"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return (First(*json.loads(line)) for line in done.stdout.splitlines())


@pytest.mark.slow
def test_no_first_call_holds_the_loop_or_loads_anything_on_its_thread() -> None:
    for _ in range(TRIES):
        calls = list(_first())
        assert len(calls) > 50
        assert [call for call in calls if call.loaded] == []
        faults = [call for call in calls if call.loop > LOOP or call.status >= 500]
        if not faults:
            break
    assert faults == []
