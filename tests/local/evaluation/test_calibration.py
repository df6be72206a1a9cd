"""Thresholds for a precision."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import calibration
from retrieval.local.evaluation.calibration import Scored
from tests.local.evaluation.runs_of import question, result, run

scored = st.lists(
    st.builds(Scored, value=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), positive=st.booleans(), chooses=st.booleans()),
    max_size=60,
)


@given(scored=scored, precision=st.sampled_from([0.5, 0.8, 1.0]))
def test_the_threshold_is_the_lowest_that_reaches_the_precision(scored: list[Scored], precision: float) -> None:
    def reaches(threshold: float) -> bool:
        kept = [one.positive for one in scored if one.value >= threshold]
        return len(kept) >= calibration.FEWEST_KEPT and sum(kept) / len(kept) >= precision

    reaching = [one.value for one in scored if reaches(one.value)]
    lowest = calibration.lowest(scored, precision=precision)
    assert lowest == min(reaching, default=None)
    surely = calibration.lowest(scored, precision=precision, bound=True)
    assert surely is None or (lowest is not None and surely >= lowest)


@given(scored=scored)
def test_probabilities_rise_with_the_score(scored: list[Scored]) -> None:
    found = calibration.probabilities(scored)
    assert found == sorted(found) and [share for _, share in found] == sorted(share for _, share in found)
    chosen = [one for one in scored if one.chooses]
    assert bool(found) == bool(chosen) and all(0 <= share <= 1 for _, share in found)
    assert not found or found[0][0] == min(one.value for one in chosen)


def answers() -> list[tuple[str, float, bool]]:
    """Sixty questions: confidence from 0.3 where there is an answer, up to 0.5 where there is none."""
    return [(f"q{n}", 0.3 + n / 100, True) for n in range(60)] + [(f"u{n}", 0.2 + n / 200, False) for n in range(60)]


def test_a_threshold_is_chosen_on_one_half_and_read_on_the_other() -> None:
    asked = [
        result(question(id, {"d": 1}) if there else question(id, answerability="UNANSWERABLE"), confidence=confidence)
        for id, confidence, there in answers()
    ]
    ranked = [result(one.question, ["d", "e"], scores=[3.0, 1.0]) for one in asked]
    runs = [run("answer", *asked), run("strict=auto,threshold=2", *ranked), run("auto", *ranked)]
    found = calibration.calibrate(runs, index="notes", precision=0.8)
    reading = found.readings["evidence"]
    assert found.evidence_threshold == reading.threshold and 0.5 < (reading.threshold or 0) < 0.6
    assert reading.precision is not None and reading.precision.value > 0.85
    assert found.probabilities == [], "a model judged"
    assert reading.positives == 0.5
    assert 0 < reading.chosen_on < 120
    assert (found.readings["reranker"].run, found.reranker_threshold) == ("auto", 3.0)
    assert found.signals["scoreOther"].quantiles == (1.0,) * 5
    assert found.signals["evidenceUnanswerable"].n == 60


def test_where_nobody_judged_the_best_score_is_calibrated() -> None:
    asked = [
        result(
            question(id, {"d": 1}) if there else question(id, answerability="UNANSWERABLE"), ["d"], scores=[4 * score]
        )
        for id, score, there in answers()
    ]
    found = calibration.calibrate([run("answer", *asked)], index="notes", precision=0.8)
    assert found.evidence_threshold is not None and 1.9 < found.evidence_threshold < 3
    steps = dict(found.probabilities)
    assert max(steps.values()) == 1.0 and min(steps.values()) < 0.3
    assert found.readings["evidence"].precision is not None


def test_no_threshold_is_better_than_one_that_does_not_reach_the_precision() -> None:
    asked = [result(question(f"q{n}", {"d": 1}), ["d", "e"], scores=[2.0, 2.0]) for n in range(40)]
    found = calibration.calibrate([run("auto", *asked)], index="notes", precision=0.9)
    assert (found.reranker_threshold, found.evidence_threshold, found.readings["reranker"].recall) == (None, None, None)


def test_thresholds_are_kept_beside_the_definitions_by_index(tmp_path: Path) -> None:
    empty = calibration.calibrate([], index="notes", precision=0.9)
    beside = calibration.save(tmp_path / "agents.json", empty)
    calibration.save(tmp_path / "agents.json", empty.model_copy(update={"index": "others", "evidence_threshold": 0.6}))
    kept = json.loads(beside.read_text(encoding="utf-8"))
    assert beside.name == "agents.calibration.json"
    assert set(kept) == {"notes", "others"}
    assert kept["others"] == {
        "index": "others",
        "precision": 0.9,
        "evidenceThreshold": 0.6,
        "rerankerThreshold": None,
        "signals": {},
        "probabilities": [],
    }


def test_a_file_that_is_no_calibration_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "agents.calibration.json").write_text("[]", encoding="utf-8")
    with pytest.raises(NotConfigured, match="not a JSON object"):
        calibration.save(tmp_path / "agents.json", calibration.calibrate([], index="notes", precision=0.9))
    assert (tmp_path / "agents.calibration.json").read_text(encoding="utf-8") == "[]"
