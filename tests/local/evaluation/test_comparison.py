"""Two runs, question by question."""

import pytest

from retrieval.local.evaluation import comparison
from retrieval.local.evaluation.collections import Collection
from tests.local.evaluation.runs_of import question, result, run

ONE, TWO, THREE = question("one", {"a": 1}, kind="x"), question("two", {"b": 1}, kind="x"), question("three", {"c": 1})
UNANSWERABLE = question("u", answerability="UNANSWERABLE", kind="y")
COLLECTION = Collection(name="letters", questions=(ONE, TWO, THREE, UNANSWERABLE), corpus=None)
FIRST = run(
    "first=minimal",
    result(ONE, ["a"], scores=[2.0]),
    result(TWO, ["a", "b"], scores=[1.0, 1.0]),
    result(THREE, ["c"], scores=[2.0]),
    result(UNANSWERABLE, ["a"], scores=[2.0]),
)
SECOND = run(
    "second=auto",
    result(ONE, ["b", "c", "a"], scores=[2.0, 2.0, 1.0]),
    result(TWO, ["b"], scores=[3.0]),
    result(THREE, ["c"], scores=[2.0]),
    result(UNANSWERABLE, error="504"),
)


def test_a_run_is_compared_with_the_first_over_the_questions_of_both() -> None:
    first, second = comparison.compared(COLLECTION, [FIRST, SECOND], 10)
    assert first.differences == {}
    found = second.differences["nDCG@10"]
    assert (found.n, found.better, found.worse) == (3, 1, 1)
    assert found.value == pytest.approx(second.measures["nDCG@10"].value - first.measures["nDCG@10"].value)
    assert second.differences["searches"].n == 3
    assert second.errors == {"u": "504"}
    assert first.measures["AUROC"].value == pytest.approx(1 / 3)
    assert "AUROC" not in second.measures and "AUROC" not in second.differences


def test_groups_have_the_measures_of_their_questions() -> None:
    first, _ = comparison.compared(COLLECTION, [FIRST, SECOND], 10)
    assert first.groups["kind"]["x"]["MRR@10"].value == pytest.approx(0.75)
    assert first.groups["kind"]["y"] == {}
    assert "seconds" not in first.groups["kind"]["x"]


def test_the_questions_that_changed_most_come_first() -> None:
    results = comparison.compared(COLLECTION, [FIRST, SECOND], 10)
    changed = comparison.most_changed(COLLECTION, results, k=10)
    assert [(one.question.id, one.before.run, one.after.run) for one in changed] == [
        ("one", "first", "second"),
        ("two", "first", "second"),
    ]
    assert (changed[0].before.keys, changed[0].after.keys) == (["a"], ["b", "c", "a"])


def test_a_run_is_compared_with_itself_in_a_baseline() -> None:
    [before] = comparison.compared(COLLECTION, [FIRST], 10)
    [after] = comparison.compared(COLLECTION, [run("first=auto", *SECOND.results)], 10)
    changed = comparison.most_changed(COLLECTION, [after], [before], k=10)
    assert [(one.question.id, one.before.run) for one in changed] == [
        ("one", "first, baseline"),
        ("two", "first, baseline"),
    ]


def test_less_of_a_cost_is_better() -> None:
    found = comparison.difference({"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 1.0, "c": 9.0}, less_is_better=True)
    assert (found.value, found.better, found.worse, found.n) == (-0.5, 1, 0, 2)
