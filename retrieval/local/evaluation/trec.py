"""Rankings and judgements as TREC has them, so that ir_measures, trec_eval and ranx read them.

A run has a line for each document: question, `Q0`, document, rank, score, name of the run. The qrels have question, 0,
document and grade. Columns are divided by blanks, so a blank within a name is written as `%20`, and `%` as `%25`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from retrieval.local.evaluation.collections import Collection
from retrieval.local.evaluation.results import RunResult

QRELS: Final = "qrels.trec"

_DIVIDES: Final = re.compile(r"[\s%]+")


def write(folder: Path, collection: Collection, runs: Iterable[RunResult]) -> None:
    """Writes `qrels.trec`, and `NAME.run.trec` of each run. Questions without gold documents are left out."""
    _write(folder / QRELS, _judgements(collection))
    for run in runs:
        _write(folder / f"{run.name}.run.trec", _ranking(collection, run))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _judgements(collection: Collection) -> Iterator[str]:
    for question in collection:
        if question.gold:
            yield from (f"{_name(question.id)} 0 {_name(key)} {grade}" for key, grade in question.grades.items())


def _ranking(collection: Collection, run: RunResult) -> Iterator[str]:
    """The score only repeats the order, which is what is measured."""
    for question in collection:
        keys = run.ranked.get(question.id, []) if question.gold else []
        for rank, key in enumerate(keys, 1):
            yield f"{_name(question.id)} Q0 {_name(key)} {rank} {len(keys) - rank + 1} {_name(run.name)}"


def _name(text: str) -> str:
    return _DIVIDES.sub(lambda match: quote(match[0]), text)
