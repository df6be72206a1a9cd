"""The measures of a run, a value a question: those of rankings by ir_measures (trec_eval's), and what an answer shows.

ir_measures is the common interface of the retrieval community's tools; its nDCG has the grades as gains, as BEIR has.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import ir_measures
from ir_measures import AP, RR, P, R, ScoredDoc, nDCG

from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.runs import Result, Run
from retrieval.model.retrieval import ANSWER_LIMITS

PASSAGES: Final = (1, 3)
"""Documents of which an answer shows something."""

SECONDS: Final = "seconds"
MODEL_CALLS: Final = "model calls"
SEARCHES: Final = "searches"
COSTS: Final = (SECONDS, MODEL_CALLS, SEARCHES)
SUFFICIENT: Final = "sufficient"
WRONGLY_SUFFICIENT: Final = "wrongly sufficient"
FOUND_NOTHING: Final = "found nothing"
LESS_IS_BETTER: Final = (*COSTS, WRONGLY_SUFFICIENT, FOUND_NOTHING)

CANNOT_BE_QUOTED: Final = frozenset({"yes", "no", "noanswer"})
"""Answers that no document says."""

_WORDS: Final = re.compile(r"\w+")
_ARTICLES: Final = frozenset({"a", "an", "the"})

Values = Mapping[str, float]
"""By the id of a question."""


def of_run(run: Run, *k: int) -> dict[str, Values]:
    """The values by measure; each has the questions that it applies to.

    Rankings at each `k`: questions with gold documents, where a failed call is an empty ranking. An answer has no
    ranking at more documents than it selects, since a retrieve would have more. What is shown: the answer, where
    the question has one that can be quoted, else a gold document. Whether the evidence is called sufficient: answerable
    questions, and unanswerable ones. Costs: calls that were answered; where no question is judged, also which of these
    found nothing.
    """
    answered = [one for one in run.results if one.error is None]
    judged = answered if any(one.sufficient is not None for one in answered) else []
    most_ranked = ANSWER_LIMITS.chunks if run.configuration.is_answer else max(k)
    measured = {
        **{name: values for n in k if n <= most_ranked for name, values in _of_run(run.results, k=n).items()},
        **{shown(most): _of_shown(run, most) for most in PASSAGES},
        SUFFICIENT: {one.question.id: float(one.sufficient is True) for one in judged if one.question.answerable},
        WRONGLY_SUFFICIENT: {
            one.question.id: float(one.sufficient is True) for one in judged if one.question.answerable is False
        },
        FOUND_NOTHING: {}
        if any(one.question.grades for one in run.results)
        else {one.question.id: float(not one.keys) for one in answered},
        SECONDS: {one.question.id: one.seconds for one in answered},
        MODEL_CALLS: {one.question.id: float(one.model_calls) for one in answered},
        SEARCHES: {one.question.id: float(one.searches) for one in answered},
    }
    return {name: values for name, values in measured.items() if values}


def ndcg(k: int) -> str:
    """The name of the measure by which questions are said to have changed."""
    return f"nDCG@{k}"


def of_rankings(
    grades: Mapping[str, Mapping[str, int]], ranked: Mapping[str, Sequence[str]], *, k: int
) -> Mapping[str, Values]:
    """Of each question with judgements: its documents in their order, best first, against its grades."""
    metrics = {RR @ k: f"MRR@{k}", nDCG @ k: ndcg(k), R @ k: f"recall@{k}", AP @ k: f"AP@{k}", P @ k: f"P@{k}"}
    found: dict[str, dict[str, float]] = {name: {} for name in (f"all-gold@{k}", *sorted(metrics.values()))}
    scored = (ScoredDoc(id, key, float(k - place)) for id in grades for place, key in enumerate(ranked.get(id, ())[:k]))
    qrels = {id: dict(judged) for id, judged in grades.items()}
    for metric in ir_measures.iter_calc(list(metrics), qrels, scored):
        found[metrics[metric.measure]][metric.query_id] = float(metric.value)
    found[f"all-gold@{k}"] = {id: float(value == 1.0) for id, value in found[f"recall@{k}"].items()}
    return found


def _of_run(results: Iterable[Result], *, k: int) -> Mapping[str, Values]:
    """The order of the references is what is measured, whatever their scores."""
    judged = [one for one in results if one.question.gold]
    return of_rankings(
        {one.question.id: one.question.grades for one in judged}, {one.question.id: one.keys for one in judged}, k=k
    )


def shown(most: int) -> str:
    """The name of the measure that the answer is in what is shown of so many documents."""
    return f"shown@{most}"


def _of_shown(run: Run, most: int) -> Values:
    if not run.configuration.is_answer:
        return {}
    asked = [one for one in run.results if one.question.gold or quotable(one.question)]
    return {one.question.id: float(_shows(one, most)) for one in asked}


def _shows(result: Result, most: int) -> bool:
    first = result.shown[:most]
    if answers := quotable(result.question):
        return any(is_in(answer, [one.text for one in first]) for answer in answers)
    return any(one.key in result.question.gold for one in first)


def quotable(question: Question) -> Sequence[str]:
    """Its answers without those that no document says."""
    return [one for one in question.answers if _plain(one) and not CANNOT_BE_QUOTED.issuperset(_plain(one))]


def is_in(answer: str, quotes: Iterable[str]) -> bool:
    """Whether a quote has the words of the answer in a row; case, punctuation and articles do not count (SQuAD)."""
    wanted = f" {' '.join(_plain(answer))} "
    return any(wanted in f" {' '.join(_plain(quote))} " for quote in quotes)


def _plain(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text.casefold()) if word not in _ARTICLES]


def signals(run: Run) -> tuple[dict[str, float], dict[str, float]]:
    """What tells answerable questions from the others: the confidence of a model that judged, else the best score.

    Of the answerable and of the unanswerable, by the id of a question.
    """
    known = [one for one in run.results if one.error is None and one.question.answerable is not None]
    values = {one.question.id: one.top if one.confidence is None else one.confidence for one in known}
    sides = ({one.question.id for one in known if one.question.answerable is side} for side in (True, False))
    answerable, unanswerable = ({id: values[id] for id in side} for side in sides)
    return answerable, unanswerable
