"""The forms that are written down, as text that people read in a diff."""

import json
from pathlib import Path
from typing import Any

from retrieval.contracts.answer import render
from retrieval.model.answer import Answer


def both_forms(answer: Answer) -> dict[str, Any]:
    """What a caller gets without `detail`, and with `detail=workflow`."""
    return {
        "answer": json.loads(render(answer, detail=None).content),
        "workflow": json.loads(render(answer, detail="workflow").content),
    }


def file_of(case: str) -> Path:
    return Path(__file__).parent / f"{case}.json"


def write(case: str, answer: Answer) -> None:
    text = json.dumps(both_forms(answer), ensure_ascii=False, indent=2)
    file_of(case).write_text(f"{text}\n", encoding="utf-8")
