"""Vectors are made once: in one process, and after a restart."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from retrieval.local.search_service.models.ports import ModelFailed, Vector
from retrieval.local.search_service.models.remembered import AT_ONCE, FILE, Remembered
from tests.local.search_service.models.encoders import Topics, vector

TEXTS = [f"The ship has number {n}." for n in range(3 * AT_ONCE)]


def test_a_second_start_embeds_nothing(tmp_path: Path) -> None:
    first, second = Topics(), Topics()
    Remembered(first, tmp_path).prepare(TEXTS)
    kept = Remembered(second, tmp_path)
    kept.prepare(TEXTS)
    assert sorted(first.asked) == sorted(TEXTS)
    assert second.asked == []
    assert kept.passage(TEXTS[0], 4) == pytest.approx(vector(TEXTS[0]) / np.linalg.norm(vector(TEXTS[0])))


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    other = Topics()
    other.version = "topics-2"
    Remembered(Topics(), tmp_path).prepare(TEXTS)
    Remembered(other, tmp_path).prepare(TEXTS)
    assert len(other.asked) == len(TEXTS)


def test_a_text_that_occurs_twice_is_embedded_once_and_a_blank_one_never(tmp_path: Path) -> None:
    model = Topics()
    kept = Remembered(model, tmp_path)
    kept.prepare(["bread", "bread", " \n", ""])
    assert model.asked == ["bread"]
    assert not kept.passage(" ", 4).any() and not kept.query("", 4).any()


def test_a_model_that_fails_in_the_middle_keeps_whole_vectors_alone(tmp_path: Path) -> None:
    kept = Remembered(Topics(fails_after=AT_ONCE), tmp_path)
    with pytest.raises(ModelFailed, match="The model 'topics' failed: out of memory"):
        kept.prepare(TEXTS)
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        rows = file.execute("SELECT length(numbers) FROM vector").fetchall()
    assert len(rows) in (0, AT_ONCE) and set(rows) <= {(16,)}
    rest = Topics()
    Remembered(rest, tmp_path).prepare(TEXTS)
    assert len(rest.asked) == len(TEXTS) - len(rows)


def test_a_query_is_embedded_once_and_again_after_a_failure(tmp_path: Path) -> None:
    model = Topics()
    kept = Remembered(model, tmp_path)
    kept.begin("ship")
    assert kept.query("ship", 4) == pytest.approx(kept.query("ship", 4))
    model.left = 0
    with pytest.raises(ModelFailed):
        kept.query("bread", 4)
    model.left = None
    assert np.argmax(kept.query("bread", 4)) == 1
    assert model.queries == ["dimensions", "ship", "bread"]


class Wrong(Topics):
    """Gives something else than a vector of four numbers for each text."""

    def __init__(self, found: Sequence[Sequence[float]]) -> None:
        super().__init__()
        self.found = found

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        return [np.array(one, np.float32) for one in self.found]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "made 0 vectors of 1 texts"),
        ([[1.0, 2.0]], "made a vector of 2 numbers, and before 4"),
        ([[1.0, 2.0, 3.0, float("nan")]], "numbers that are none"),
    ],
)
def test_what_is_no_vector_is_refused_with_the_models_name(
    found: Sequence[Sequence[float]], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFailed, match=f"'topics' .*{said}"):
        Remembered(Wrong(found), tmp_path).prepare(["bread"])


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(ModelFailed, match=f"cannot keep its vectors in .*{FILE}"):
        Remembered(Topics(), tmp_path).prepare(["bread"])
