"""tests/environments.py: cached, safe to ask for at once, and never half-built."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.environments import NoEnvironment, environment, interpreter, needs


def test_many_ask_at_once_and_one_is_built(tmp_path: Path) -> None:
    with ThreadPoolExecutor(max_workers=3) as pool:
        asked = [pool.submit(environment, "bare", (), cache=tmp_path) for _ in range(3)]
        pythons = {each.result() for each in asked}
    assert len(pythons) == 1
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1
    assert os.access(pythons.pop(), os.X_OK)


def test_a_half_built_environment_is_built_again(tmp_path: Path) -> None:
    python = environment("bare", (), cache=tmp_path)
    folder = python.parents[1]
    (folder / "complete").unlink()
    shutil.rmtree(folder / "bin")
    assert environment("bare", (), cache=tmp_path) == python
    assert python.exists()


def test_a_requirement_that_cannot_be_met_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match="failed"):
        environment("broken", (f"nothing @ file://{tmp_path}/nothing",), cache=tmp_path)
    assert list(tmp_path.glob("*/complete")) == []


def test_the_running_version_is_found_and_an_unknown_one_is_not() -> None:
    assert interpreter(f"{sys.version_info.major}.{sys.version_info.minor}") == Path(sys.executable)
    assert interpreter("3.999") is None
    with pytest.raises(NoEnvironment, match="not installed"):
        environment("none", (), "3.999")


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_interpreter_is_an_error_in_ci_and_a_named_skip_elsewhere(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match=r"Python 3\.999 is not installed here"):
        needs("3.999")
