"""`python -m retrieval.local eval`: what it does in which order, and its exit status.

What measures is imported when the command runs, so that the other commands start without it.
"""

import argparse
import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.errors import NotConfigured
from retrieval.local import extras, model_arguments
from retrieval.local.evaluation import arguments, configurations
from retrieval.local.evaluation.configurations import Configuration
from retrieval.settings.settings import APP_ROOT, LOCAL_STORE

if TYPE_CHECKING:
    from retrieval.local.evaluation.evaluate import Deployed, Plan

PACKAGES: Final = ("ir_measures", "scipy")
"""The extra `eval`."""

INTERRUPTED: Final = 130
"""As shells say it: an interrupted gate does not pass."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace, steps: object) -> int:
    """What can be wrong is found before the first question. Raises NotConfigured."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        how = extras.command("local,eval", make="evaluation")
        raise NotConfigured([f"eval needs packages ({', '.join(missing)}): {how}"])
    from retrieval.local.evaluation import calibration, comparison, gate, page, results, summary, trec
    from retrieval.local.evaluation.evaluate import evaluate

    plan, limited = _plan(parsed), [*parsed.minimum, *parsed.maximum]
    baseline = None if parsed.baseline is None else results.read(parsed.baseline)
    if baseline is not None:
        gate.check_same(baseline, fingerprint=plan.collection.fingerprint, k=max(plan.k), last_turn=plan.last_turn)
    definitions = None if parsed.save is None else _definitions(parsed.save, os.environ)
    out = _folder(parsed.out or Path(".local", "evaluation", plan.collection.name))
    try:
        found = asyncio.run(evaluate(plan))
    except KeyboardInterrupt:
        return INTERRUPTED
    found = found.model_copy(update={"checks": [*gate.checks(found, limited, baseline, tolerance=parsed.tolerance)]})
    before = () if baseline is None else baseline.runs
    changed = comparison.most_changed(plan.collection, found.runs, before, k=max(plan.k))
    trec.write(out, plan.collection, found.runs)
    (out / "report.json").write_text(f"{found.model_dump_json()}\n", encoding="utf-8")
    (out / "report.html").write_text(page.html(found, changed), encoding="utf-8")
    print(*summary.lines(found), sep="\n")
    if definitions is not None and found.calibration is not None:
        print(f"thresholds {calibration.save(definitions, found.calibration)}")
    print(f"report     {out / 'report.html'}", flush=True)
    return 0 if all(check.held for check in found.checks) else arguments.GATE_FAILED


def _folder(path: Path) -> Path:
    """Raises NotConfigured where nothing can be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotConfigured([f"{path} cannot be used: {error.strerror}."]) from None
    return path


def _plan(parsed: argparse.Namespace) -> "Plan":
    """Raises NotConfigured."""
    from retrieval.local.evaluation import collections, questions
    from retrieval.local.evaluation.evaluate import Plan

    asked = parsed.asked or [configurations.parse(one) for one in configurations.DEFAULT]
    limited = {one.run for one in (*parsed.minimum, *parsed.maximum)}
    if wrong := _wrong(asked, limited, deployed=parsed.against is not None):
        parsed.refuse(wrong)
    if parsed.queries is None:
        collection = collections.read(parsed.data, last_turn=parsed.last_turn, most=parsed.questions)
    else:
        collection = questions.read(parsed.queries, parsed.data, last_turn=parsed.last_turn, most=parsed.questions)
    return Plan(
        collection=collection,
        configurations=asked,
        deployed=_deployed(parsed, base=parsed.base or collection.name),
        environ={**os.environ, **model_arguments.named(parsed)},
        k=parsed.k,
        at_once=parsed.at_once,
        precision=parsed.precision,
        last_turn=parsed.last_turn,
    )


def _deployed(parsed: argparse.Namespace, *, base: str) -> "Deployed | None":
    from retrieval.local.evaluation.evaluate import Deployed

    if parsed.against is None:
        return None
    key, token = parsed.key or os.environ.get("EVAL_KEY"), parsed.token or os.environ.get("EVAL_TOKEN")
    return Deployed(url=parsed.against, base=base, key=key, token=token)


def _wrong(asked: Sequence[Configuration], limited: Iterable[str], *, deployed: bool) -> str | None:
    """What is wrong with the configurations, and the names of runs that have limits, together."""
    names = [one.name for one in asked]
    if repeated := [name for name in names if names.count(name) > 1]:
        return f"--run: two runs are called {repeated[0]!r}"
    if unknown := sorted(set(limited).difference(names)):
        return f"--minimum, --maximum: no run is called {unknown[0]!r}; there are {', '.join(names)}"
    if deployed and not all(one.model for one in asked):
        return "--run: model=none is not for a deployment, whose bases have their models; name another with base="
    if not deployed and any(one.base for one in asked):
        return "--run: base= is for a deployment (--against)"
    return None


def _definitions(named: Path, environ: Mapping[str, str]) -> Path:
    """The file of definitions: the named one, else that of the settings. Raises NotConfigured."""
    if named != Path():
        return named
    place = environ.get("AGENTS_FILE") or environ.get("AGENTS_STORE") or LOCAL_STORE
    if place == "memory" or "://" in place:
        raise NotConfigured(["--save needs a file: AGENTS_STORE is not one."])
    return APP_ROOT / place
