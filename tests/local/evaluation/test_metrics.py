"""The measures, against their definitions; ir_measures computes them."""

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.evaluation import metrics
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.runs import Result, Shown
from retrieval.model.conversation import Message
from tests.local.evaluation.runs_of import question, result, run

DOCUMENTS = [f"d{n}" for n in range(8)]
rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True)
judgements = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)


def measured(grades: Mapping[str, int], keys: Sequence[str], *, k: int) -> dict[str, float]:
    found = metrics.of_run(run("auto", result(question("q", grades), keys)), k)
    return {name: values["q"] for name, values in found.items()}


def gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades))


@given(grades=judgements, keys=rankings, k=st.integers(1, 8))
def test_the_measures_of_a_ranking_are_those_of_their_definitions(
    grades: dict[str, int], keys: list[str], k: int
) -> None:
    found, gold = measured(grades, keys, k=k), {key for key, grade in grades.items() if grade > 0}
    if not gold:
        assert f"nDCG@{k}" not in found
        return
    places = [place for place, key in enumerate(keys[:k], 1) if key in gold]
    best = gain(sorted(grades.values(), reverse=True)[:k])
    assert found[f"nDCG@{k}"] == pytest.approx(gain([grades.get(key, 0) for key in keys[:k]]) / best)
    assert found[f"recall@{k}"] == pytest.approx(len(places) / len(gold))
    assert found[f"MRR@{k}"] == pytest.approx(1 / places[0] if places else 0)
    assert found[f"all-gold@{k}"] == (len(places) == len(gold))
    assert found[f"P@{k}"] == pytest.approx(len(places) / k)
    precisions = [count / place for count, place in enumerate(places, 1)]
    assert found[f"AP@{k}"] == pytest.approx(sum(precisions) / len(gold))


def test_a_run_has_the_measures_of_several_numbers_and_an_answer_those_that_it_may_reach() -> None:
    """An answer selects eight documents, so that at ten a retrieve would have two more."""
    of_retrieve, of_answer = (
        metrics.of_run(run(kind, result(question("q", {"a": 1}), ["a"])), 5, 8, 10) for kind in ("auto", "answer")
    )
    assert [name for name in of_retrieve if name.startswith("nDCG")] == ["nDCG@5", "nDCG@8", "nDCG@10"]
    assert set(of_retrieve) - set(of_answer) == {
        f"{name}@10" for name in ("all-gold", "AP", "MRR", "P", "nDCG", "recall")
    }


def test_a_failed_call_is_an_empty_ranking_and_has_no_costs() -> None:
    one, other = question("one", {"a": 1}), question("other", {"a": 1})
    found = metrics.of_run(run("auto", result(one, ["a"]), result(other, error="502")), 10)
    assert found["nDCG@10"] == {"one": 1.0, "other": 0.0}
    assert found["seconds"] == {"one": 0.5}


def test_the_evidence_is_called_sufficient_rightly_or_wrongly() -> None:
    there, not_there, unknown = question("g", {"a": 1}), question("u", answerability="Unanswerable"), question("x")
    asked = [Result(question=one, seconds=0.1, sufficient=True) for one in (there, not_there, unknown)]
    found = metrics.of_run(run("answer", *asked), 10)
    assert (found["sufficient"], found["wrongly sufficient"]) == ({"g": 1.0}, {"u": 1.0})


@pytest.mark.parametrize(
    ("answer", "quotes", "found"),
    [
        ("310 metres", ["The pier is 310 Metres long."], True),
        ("the lighthouse", ["A lighthouse, white."], True),
        ("10 metres", ["310 metres"], False),
        ("Ines Dahl", ["Ines", "Dahl"], False),
        ("Ines Dahl", [], False),
    ],
)
def test_an_answer_is_quoted_word_for_word(answer: str, quotes: list[str], found: bool) -> None:
    assert metrics.is_in(answer, quotes) is found


def test_the_answer_is_looked_for_in_what_is_shown_of_the_first_documents() -> None:
    said = Question(id="s", messages=(Message(role="user", text="How long?"),), answers=("310 metres",))
    shown = tuple(Shown(key=key, text=text) for key, text in (("a", "A pier."), ("b", "It is 310 metres long.")))
    asked = [Result(question=one, seconds=0.1, shown=shown) for one in (said, question("g", {"b": 1}), question("x"))]
    found = metrics.of_run(run("answer", *asked), 10)
    assert (found["shown@1"], found["shown@3"]) == ({"s": 0.0, "g": 0.0}, {"s": 1.0, "g": 1.0})
    assert "shown@1" not in metrics.of_run(run("auto", *asked), 10)


def test_where_a_calibration_calls_some_sufficient_the_others_are_not() -> None:
    asked = [
        Result(question=question(id, {"a": 1}), seconds=0.1, sufficient=said) for id, said in (("y", True), ("n", None))
    ]
    assert metrics.of_run(run("answer", *asked), 10)["sufficient"] == {"y": 1.0, "n": 0.0}


def test_yes_and_no_are_no_quotes() -> None:
    asked = Question(id="q", messages=(Message(role="user", text="Is it?"),), answers=("Yes", "...", "a yes man"))
    assert metrics.quotable(asked) == ["a yes man"]


def test_the_signal_is_the_confidence_of_an_answer_and_else_the_best_score() -> None:
    known, unknown = question("g", {"a": 1}), question("x")
    not_there = question("u", answerability="UNANSWERABLE")
    asked = [result(known, ["a"], scores=[2.0]), result(not_there, ["a", "b"], scores=[None, 1.0]), result(unknown)]
    assert metrics.signals(run("auto", *asked)) == ({"g": 2.0}, {"u": 1.0})
    answered = [Result(question=one.question, seconds=0.1, confidence=0.7) for one in asked]
    assert metrics.signals(run("answer", *answered)) == ({"g": 0.7}, {"u": 0.7})
