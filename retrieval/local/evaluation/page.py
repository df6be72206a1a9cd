"""An evaluation as one HTML file: tables, plots, the questions that changed most. It loads nothing and runs nothing."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from retrieval.local.evaluation import metrics, plots
from retrieval.local.evaluation.comparison import AUROC, Changed
from retrieval.local.evaluation.results import Calibration, Estimate, Evaluation, RunResult
from retrieval.text.counted_noun import how_many

LONGEST_TURN: Final = 600
SHOWN_ERRORS: Final = 10

_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }}
th, td {{ padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
small, .quiet {{ color: #666; }}
.failed {{ color: #a40000; font-weight: bold; }}
.gold {{ font-weight: bold; }}
svg {{ max-width: 100%; height: auto; display: block; margin: 1rem 0; }}
</style>
</head>
<body>
"""


def html(found: Evaluation, changed: Sequence[Changed]) -> str:
    """Every text of the collection and of the service is escaped."""
    title = f"{found.collection.name}: {', '.join(run.name for run in found.runs)}"
    parts = [
        _HEAD.format(title=escape(title)),
        f"<h1>{escape(title)}</h1>",
        *_about(found),
        *_checks(found),
        *_measures(found),
        *_differences(found.runs),
        *_calibration(found.calibration),
        *_latency(found.runs),
        *_groups(found.runs),
        *_changes(changed),
        *_errors(found.runs),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _about(found: Evaluation) -> Iterator[str]:
    about = found.collection
    turns = "the last turn alone" if found.last_turn else "all turns"
    yield (
        f"<p>{how_many(about.questions, 'question')} ({about.judged:,} with gold documents, {about.unanswerable:,} "
        f"labelled unanswerable), {turns}; asked: {escape(found.asked)}. The first {found.k} documents count. "
        "Intervals are 95 %, by the bootstrap over questions.</p>"
    )
    for k, count in about.more_gold.items():
        questions = how_many(count, "question")
        yield f"<p>{questions} with more than {k} gold documents: never all-gold@{k}, nor a recall@{k} of 1.</p>"


def _checks(found: Evaluation) -> Iterator[str]:
    if found.checks:
        yield "<h2>Gate</h2>"
        rows = [
            [escape(one.sentence), "held" if one.held else '<span class="failed">failed</span>'] for one in found.checks
        ]
        yield _table(["check", ""], rows)


def _measures(found: Evaluation) -> Iterator[str]:
    yield "<h2>Measures</h2>"
    names = list(dict.fromkeys(name for run in found.runs for name in run.measures))
    rows = [
        [f"{escape(run.name)}<br><small>{escape(run.configuration)}</small>"]
        + [_estimate(run.measures.get(name)) for name in names]
        for run in found.runs
    ]
    yield _table(["run", *map(escape, names)], rows)
    for name in names:
        if name not in metrics.COSTS:
            yield plots.intervals(name, {run.name: run.measures[name] for run in found.runs if name in run.measures})


def _differences(runs: Sequence[RunResult]) -> Iterator[str]:
    names = list(dict.fromkeys(name for run in runs for name in run.differences))
    if names:
        yield f"<h2>Against {escape(runs[0].name)}</h2>"
        yield "<p>Over the questions of both. Where the interval leaves 0 out, the difference is more than chance.</p>"
    for name in names:
        having = [run for run in runs if name in run.differences]
        rows = [
            [
                escape(run.name),
                _estimate(run.differences[name], signed=True),
                "" if name == AUROC else f"{run.differences[name].better:,}",
                "" if name == AUROC else f"{run.differences[name].worse:,}",
            ]
            for run in having
        ]
        yield _table([escape(name), "difference", "questions better", "worse"], rows)
        if name not in metrics.COSTS:
            yield plots.intervals(name, {run.name: run.differences[name] for run in having}, zero=True)


def _calibration(found: Calibration | None) -> Iterator[str]:
    if found is None:
        return
    yield f"<h2>Thresholds for a precision of {found.precision:g} on {escape(found.index)}</h2>"
    rows = [
        [
            escape(name),
            "none reaches it" if one.threshold is None else f"{one.threshold:.3f}",
            _estimate(one.precision),
            _estimate(one.recall),
            f"{one.positives:.3f}",
            f"{escape(one.run)}, {one.chosen_on:,}",
        ]
        for name, one in found.readings.items()
    ]
    yield _table(["threshold", "value", "precision", "recall", "precision without", "chosen on"], rows)
    yield "<p class=quiet>Chosen on one half of the conversations; precision and recall are read on the other half.</p>"
    for name, one in found.readings.items():
        sides = {"precision": 1, "recall": 2}
        named = {side: [(point[0], point[place]) for point in one.curve] for side, place in sides.items()}
        yield plots.curves(f"{name}: precision and recall", named, across="threshold")
    quantiles = [
        [escape(name), *(f"{value:.3f}" for value in one.quantiles), f"{one.n:,}"]
        for name, one in found.signals.items()
    ]
    yield _table(["signal", "5 %", "25 %", "50 %", "75 %", "95 %", "values"], quantiles)


def _latency(runs: Sequence[RunResult]) -> Iterator[str]:
    timed = [run for run in runs if run.latency is not None]
    if not timed:
        return
    yield "<h2>Latency</h2>"
    rows = [[escape(run.name), f"{run.latency.p50:.3f} s", f"{run.latency.p95:.3f} s"] for run in timed if run.latency]
    yield _table(["run", "p50", "p95"], rows)
    named = {run.name: plots.cumulative(list(run.values[metrics.SECONDS].values())) for run in timed}
    yield plots.curves("Share of calls answered", named, across="after seconds")


def _groups(runs: Sequence[RunResult]) -> Iterator[str]:
    labels = list(dict.fromkeys(label for run in runs for label in run.groups))
    if labels:
        yield "<h2>By label</h2>"
    for label in labels:
        names = list(
            dict.fromkeys(name for run in runs for group in run.groups.get(label, {}).values() for name in group)
        )
        rows = [
            [escape(group), escape(run.name), *(_estimate(measures.get(name)) for name in names)]
            for group in runs[0].groups.get(label, {})
            for run in runs
            if (measures := run.groups.get(label, {}).get(group))
        ]
        if rows:
            yield _table([escape(label), "run", *map(escape, names)], rows)


def _changes(changed: Sequence[Changed]) -> Iterator[str]:
    if changed:
        yield "<h2>Questions that changed most</h2>"
    for one in changed:
        question, gold = one.question, one.question.gold
        yield f"<h3>{escape(one.after.run)}: nDCG {one.before.ndcg:.3f} → {one.after.ndcg:.3f}</h3>"
        turns = "".join(
            f"<p class=quiet>{escape(turn.role)}: {escape(_cut(turn.text))}</p>" for turn in question.messages[:-1]
        )
        if turns:
            yield f"<details><summary>{how_many(len(question.messages) - 1, 'turn')} before</summary>{turns}</details>"
        yield f"<p>{escape(_cut(question.text))}<br><small>{escape(question.id)}</small></p>"
        rows = [[escape(ranking.run), _keys(ranking.keys, gold)] for ranking in (one.before, one.after)]
        yield _table(["run", "documents, gold ones bold"], [["gold", _keys(sorted(gold), gold)], *rows])


def _errors(runs: Sequence[RunResult]) -> Iterator[str]:
    for run in runs:
        if run.errors:
            yield f"<h2>{how_many(len(run.errors), 'call')} of {escape(run.name)} failed</h2>"
            shown = list(run.errors.items())[:SHOWN_ERRORS]
            yield _table(["question", "why"], [[escape(id), escape(_cut(why))] for id, why in shown])


def _keys(keys: Iterable[str], gold: frozenset[str]) -> str:
    return ", ".join(f"<span class=gold>{escape(key)}</span>" if key in gold else escape(key) for key in keys)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN]}…"


def _estimate(one: Estimate | None, *, signed: bool = False) -> str:
    if one is None:
        return ""
    form = "+.3f" if signed else ".3f"
    interval = "" if one.low is None or one.high is None else f"{one.low:{form}} to {one.high:{form}}, "
    return f"{one.value:{form}}<br><small>{interval}n {one.n:,}</small>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already."""
    titles = "".join(f"<th>{one}</th>" for one in head)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>\n{body}\n</tbody></table>"
