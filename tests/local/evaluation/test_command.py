"""`python -m retrieval.local eval`, as a program."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.environments import ROOT

COMMAND = [sys.executable, "-m", "retrieval.local", "eval"]


def run(*arguments: object) -> tuple[int, str, str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, done.stderr


def report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_collection_is_measured_and_reported(harbour: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, err = run("--data", harbour, "--out", out)
    assert (code, err) == (0, "")
    assert re.search(r"all-gold@10 +answer +\d\.\d{3}", said)
    found, page = report(out), (out / "report.html").read_text(encoding="utf-8")
    assert [one["name"] for one in found["runs"]] == ["single", "auto", "answer"]
    answered = found["runs"][2]
    assert answered["measures"]["quoted"]["n"] == 4
    assert answered["measures"]["AUROC"]["value"] > 0.5
    assert set(answered["values"]["nDCG@10"]) == {"q1", "q2", "q3", "q4", "q5", "q6"}
    assert "<svg" in page and "<script" not in page and "http-equiv" in page
    assert not re.search(r"(?:src|href)=", page)
