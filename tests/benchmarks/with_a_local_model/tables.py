"""The tables of a run, and the prompts beside their replies, for a person to read some."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Final, TypeAlias

from retrieval.local.evaluation import statistics
from retrieval.local.evaluation.configurations import Configuration
from retrieval.local.evaluation.runs import Run
from tests.benchmarks.collection import NOON
from tests.benchmarks.with_a_local_model.asking import ANSWERS, NO_MODEL, RETRIEVES, Asked
from tests.benchmarks.with_a_local_model.kinds import PLANS, USES, of_plan, use_of
from tests.benchmarks.with_a_local_model.remembered import ModelCall
from tests.benchmarks.with_a_model.__main__ import MEASURES, difference, line, values_of

ByWay: TypeAlias = Mapping[str, Sequence[Asked]]

STEPS: Final = ("route", "plan", "judge", "answer")


def of_set(name: str, asked: ByWay) -> Iterable[str]:
    """The figures of a set, each way beside the others, and the differences with paired intervals."""
    retrieved = {way: asked[way] for way in RETRIEVES if way in asked}
    if retrieved:
        values = {way: {name: values_of(_run(way, given))} for way, given in retrieved.items()}
        count = len(retrieved[NO_MODEL])
        yield f"  {name}, {count} questions: {'  '.join(MEASURES)}; model calls, tokens in and out, seconds (median)"
        yield from (line(way, values[way], (name,)) + _costs(given) for way, given in retrieved.items())
        ways = [way for way, (_, with_model) in RETRIEVES.items() if with_model and way in asked]
        yield from (difference(values, (name,), (NO_MODEL, way)) for way in ways)
    yield from _of_answers(asked)


def _run(way: str, given: Sequence[Asked]) -> Run:
    kind = RETRIEVES[way][0]
    return Run(configuration=Configuration(name=way, kind=kind), results=tuple(one.result for one in given))


def _costs(given: Sequence[Asked]) -> str:
    """Means of a question; the seconds are the median."""
    if not any(one.calls for one in given):
        return ""
    read, written = ([sum(getattr(call, side) for call in one.calls) for one in given] for side in TOKENS)
    seconds = median(one.seconds for one in given)
    calls = fmean(len(one.calls) for one in given)
    return f"   {calls:.2f} calls, {fmean(read):,.0f} in, {fmean(written):,.0f} out, {seconds:.0f} s"


TOKENS: Final = ("input_tokens", "output_tokens")


def _of_answers(asked: ByWay) -> Iterable[str]:
    answered = {way: asked[way] for way in ANSWERS if way in asked}
    cited = {way: [_share_cited(one) for one in given] for way, given in answered.items()}
    for way, given in answered.items():
        counts = Counter(word for one in given for word in _traits(one))
        told = ", ".join(f"{counts[word]} {word}" for word in ("written by the model", "judged by it", "sufficient"))
        yield f"    {way:<18}{len(given)} questions: {told}; gold cited {100 * fmean(cited[way]):.0f}{_costs(given)}"
    if len(cited) == len(ANSWERS):
        without, with_model = cited.values()
        found = statistics.mean([after - before for before, after in zip(without, with_model, strict=True)])
        low, high = (100 * (bound or 0.0) for bound in (found.low, found.high))
        yield f"    gold cited, answer − no model: {100 * found.value:+.1f} [{low:+.0f}, {high:+.0f}]"


def _traits(one: Asked) -> list[str]:
    return [
        *(["written by the model"] if one.by_model else []),
        *(["judged by it"] if one.judged_by_model else []),
        *(["sufficient"] if one.sufficient else []),
    ]


def _share_cited(one: Asked) -> float:
    """The share of the gold documents that an answer cites."""
    return len(one.question.gold & set(one.cited)) / len(one.question.gold)


def of_plans(asked: Mapping[str, ByWay]) -> Iterable[str]:
    """How many first plans of each set have each kind."""
    counts = {name: Counter(_kinds(ways)) for name, ways in asked.items()}
    yield _row("kinds of plans", list(counts))
    yield from (_row(kind, [str(found[kind]) for found in counts.values()]) for kind in PLANS)


def _kinds(ways: ByWay) -> Iterable[str]:
    """Of each prompt once, in however many ways its reply was used."""
    plans = {
        call.key: (call, one.question.messages)
        for given in ways.values()
        for one in given
        for call in one.calls
        if call.step == "plan"
    }
    today = NOON.date().isoformat()
    return [kind for call, messages in plans.values() for kind in of_plan(call, messages, today=today)]


def of_uses(asked: Mapping[str, ByWay]) -> Iterable[str]:
    """What became of the replies to each step, over all sets and ways with the model."""
    steps = [
        record
        for ways in asked.values()
        for given in ways.values()
        for one in given
        for record in one.steps
        if record.prompt is not None
    ]
    counts = Counter((record.step, use_of(record)) for record in steps)
    yield _row("replies by step", list(USES))
    yield from (_row(step, [str(counts[step, use]) for use in USES]) for step in STEPS)


def _row(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<26}" + "".join(f"{cell:>14}" for cell in cells)


def write_calls(file: Path, asked: Mapping[str, ByWay]) -> None:
    """Every prompt beside its reply; the instructions, which many share, stand at the top."""
    listed = [
        (f"{name}, question {one.question.id}, {way}", call)
        for name, ways in asked.items()
        for way, given in ways.items()
        for one in given
        for call in one.calls
    ]
    instructions = {call.instructions: call.name for _, call in listed}
    parts = [f"# Instructions of {name}\n\n{text}\n" for text, name in instructions.items()]
    file.write_text("\n".join([*parts, *(_shown(title, call) for title, call in listed)]), encoding="utf-8")


def _shown(title: str, call: ModelCall) -> str:
    facts = f"{call.fate}, {call.input_tokens} → {call.output_tokens} tokens, {call.seconds:.0f} s"
    return f"# {call.name}: {title} ({facts})\n\n{call.data}\n\n→ {call.text}\n"
