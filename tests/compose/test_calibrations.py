"""The calibrations beside the definitions: read at start, refused where they cannot be read."""

import json
from pathlib import Path

import pytest

from retrieval.compose.definitions import beside, calibrations
from retrieval.errors import NotConfigured
from retrieval.model.retrieval import Calibration
from retrieval.settings.settings import read

LOCAL = {"LOCAL": "1"}


def saved(folder: Path, content: str) -> str:
    definitions = folder / "agents.json"
    beside(definitions).write_text(content, encoding="utf-8")
    return str(definitions)


def test_what_eval_saved_is_read_by_index(tmp_path: Path) -> None:
    one = {"index": "atlas", "precision": 0.9, "evidenceThreshold": 0.4, "probabilities": [[2, 0.6], [1, 0.2]]}
    found = calibrations(read({**LOCAL, "AGENTS_STORE": saved(tmp_path, json.dumps({"atlas": one}))}))
    assert found["atlas"] == Calibration(index="atlas", probabilities=((1, 0.2), (2, 0.6)), sufficient_from=0.4)


def test_a_file_of_an_earlier_version_calibrates_nothing(tmp_path: Path) -> None:
    one = {"index": "atlas", "evidenceThreshold": 0.4, "ranks": {"rankerScore": [0, 2, 4]}}
    found = calibrations(read({**LOCAL, "AGENTS_STORE": saved(tmp_path, json.dumps({"atlas": one}))}))
    assert found == {}


@pytest.mark.parametrize("environ", [{"AGENTS_STORE": "memory"}, {"AGENTS_FILE": "nowhere/agents.json"}])
def test_without_a_file_nothing_is_calibrated(environ: dict[str, str]) -> None:
    assert calibrations(read({**LOCAL, **environ})) == {}


@pytest.mark.parametrize("content", ["[]", "{", '{"atlas": {"probabilities": [["x", 1]]}}', '{"atlas": 1}'])
def test_a_file_that_is_none_of_evals_is_refused_by_its_name(tmp_path: Path, content: str) -> None:
    with pytest.raises(NotConfigured, match=r"agents\.calibration\.json") as refusal:
        calibrations(read({**LOCAL, "AGENTS_STORE": saved(tmp_path, content)}))
    assert "pydantic" not in str(refusal.value) and "input_value" not in str(refusal.value)
