"""Minimums, maximums, and an earlier report."""

from pathlib import Path

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import gate, limits, results
from retrieval.local.evaluation.results import CollectionResult, Estimate, Evaluation, Latency, RunResult


def evaluation(ndcg: float, *, name: str = "auto", k: int = 10, fingerprint: str = "f") -> Evaluation:
    about = CollectionResult(name="notes", fingerprint=fingerprint, questions=2, judged=2, answerable=2, unanswerable=0)
    measured = RunResult(
        name=name,
        configuration="auto",
        measures={f"nDCG@{k}": Estimate(value=ndcg, n=2), "seconds": Estimate(value=1 - ndcg, n=2)},
        latency=Latency(p50=0.5, p95=1.5),
        values={f"nDCG@{k}": {"a": ndcg - 0.1, "b": ndcg + 0.1}},
    )
    return Evaluation(collection=about, asked="here", k=k, last_turn=False, runs=[measured])


@pytest.mark.parametrize(
    ("text", "side", "held"),
    [
        ("auto:nDCG@10=0.7", "minimum", True),
        ("auto:nDCG@10=0.71", "minimum", False),
        ("auto:p95=1.5", "maximum", True),
        ("auto:p95=1.4", "maximum", False),
    ],
)
def test_a_limit_holds_or_not(text: str, side: limits.Side, held: bool) -> None:
    [check] = gate.checks(evaluation(0.7), [limits.parse(text, side)], None, tolerance=0)
    assert check.held is held


@pytest.mark.parametrize("text", ["auto", "auto=1", "auto:x=y", ":x=1", "auto:nDCG=nan", "auto:=1"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not RUN:MEASURE=VALUE"):
        limits.parse(text, "minimum")


@pytest.mark.parametrize(("now", "tolerance", "held"), [(0.7, 0, True), (0.69, 0, False), (0.69, 0.02, True)])
def test_quality_may_fall_by_the_tolerance(now: float, tolerance: float, held: bool) -> None:
    """What a call costs is no quality."""
    [check] = gate.checks(evaluation(now), [], evaluation(0.7), tolerance=tolerance)
    assert check.held is held
    assert "was 0.7000 and is" in check.sentence and "95 %" in check.sentence


@pytest.mark.parametrize(("before", "now", "held"), [(0.3, 0.2, True), (0.3, 0.4, False)])
def test_of_wrongly_sufficient_less_is_better(before: float, now: float, held: bool) -> None:
    then, there = (_renamed(evaluation(value), "wrongly sufficient") for value in (before, now))
    assert [check.held for check in gate.checks(there, [], then, tolerance=0.05)] == [held]


def _renamed(found: Evaluation, name: str) -> Evaluation:
    [run] = found.runs
    return found.model_copy(update={"runs": [run.model_copy(update={"measures": {name: run.measures["nDCG@10"]}})]})


def test_a_quality_that_was_not_measured_does_not_hold() -> None:
    [check] = gate.checks(evaluation(0.7, k=5), [], evaluation(0.7), tolerance=0)
    assert not check.held and "was not measured" in check.sentence
    [check] = gate.checks(evaluation(0.7), [], evaluation(0.7, name="other"), tolerance=0)
    assert not check.held and "none of these runs" in check.sentence


@pytest.mark.parametrize(("fingerprint", "k", "last_turn"), [("g", 10, False), ("f", 5, False), ("f", 10, True)])
def test_a_baseline_of_something_else_is_refused(fingerprint: str, k: int, last_turn: bool) -> None:
    gate.check_same(evaluation(0.7), fingerprint="f", k=10, last_turn=False)
    with pytest.raises(NotConfigured):
        gate.check_same(evaluation(0.7), fingerprint=fingerprint, k=k, last_turn=last_turn)


@pytest.mark.parametrize("text", ["other:nDCG@10=0.7", "auto:nDCG@5=0.7"])
def test_a_limit_of_what_was_not_measured_does_not_hold(text: str) -> None:
    [check] = gate.checks(evaluation(0.7), [limits.parse(text, "minimum")], None, tolerance=0)
    assert not check.held and "was not measured" in check.sentence


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(evaluation(0.7).model_dump_json(), encoding="utf-8")
    assert results.read(tmp_path / "report.json") == evaluation(0.7)


@pytest.mark.parametrize("text", [None, "{}", "[", '{"format": 2}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "report.json").write_text(text, encoding="utf-8")
    with pytest.raises(NotConfigured):
        results.read(tmp_path / "report.json")
