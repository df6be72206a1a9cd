"""`python -m retrieval.local eval`: its arguments, what it prints, its exit status.

What measures is imported when the command runs, so that the other commands start without it.
"""

import argparse
import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import configurations, limits
from retrieval.local.evaluation.configurations import Configuration
from retrieval.settings.settings import LOCAL_STORE

if TYPE_CHECKING:
    from retrieval.local.evaluation.evaluate import Deployed, Plan
    from retrieval.local.evaluation.results import Calibration, Difference, Estimate, Evaluation

PACKAGES: Final = ("ir_measures", "scipy")
"""The extra `eval`."""

GATE_FAILED: Final = 3
INTERRUPTED: Final = 130
"""As shells say it: an interrupted gate does not pass."""

EPILOG: Final = f"""\
{configurations.HELP}
exit status:
  0 done, and every check of the gate held   1 it cannot start, or every call of a run failed
  2 a wrong argument                         {GATE_FAILED} a check of the gate failed
"""

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.set_defaults(run=run, refuse=parser.error)
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels.tsv, or .gz")
    add(
        "--run",
        dest="asked",
        type=_checked(configurations.parse),
        action="append",
        metavar="SPEC",
        help="see below; several times",
    )
    add("--k", type=_count, default=10, metavar="N", help="how many documents count (10)")
    add("--questions", type=_count, metavar="N", help="the first N questions only")
    add("--last-turn", action="store_true", help="ask the last turn alone, without the turns before")
    add("--out", type=Path, metavar="FOLDER", help="for report.html and report.json (.local/evaluation/NAME)")
    add("--at-once", type=_count, default=1, metavar="N", help="calls at the same time (1)")
    against = parser.add_argument_group("a deployment, whose base has the documents already")
    against.add_argument("--against", type=_url, metavar="URL", help="ask there instead of in process")
    against.add_argument("--base", "--agent", metavar="NAME", help="the agent or knowledge base (the folder's name)")
    against.add_argument("--key", help="an api-key that may retrieve (else the variable EVAL_KEY)")
    against.add_argument("--token", help="a bearer token (else the variable EVAL_TOKEN)")
    thresholds = parser.add_argument_group("thresholds to use")
    thresholds.add_argument("--precision", type=_share, default=0.9, metavar="P", help="the precision wanted (0.9)")
    thresholds.add_argument(
        "--save",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="FILE",
        help="keep them beside this file of definitions (AGENTS_FILE, else AGENTS_STORE)",
    )
    gate = parser.add_argument_group("a gate")
    gate.add_argument("--baseline", type=Path, metavar="FILE", help="a report.json that quality must not fall below")
    gate.add_argument("--tolerance", type=float, default=0.0, metavar="X", help="by how much it may (0)")
    for side in ("minimum", "maximum"):
        read = _checked(partial(limits.parse, side=side))
        text = "such as auto:nDCG@10=0.7" if side == "minimum" else "such as auto:p95=2.5"
        gate.add_argument(f"--{side}", type=read, action="append", default=[], metavar="RUN:MEASURE=VALUE", help=text)


def run(parsed: argparse.Namespace, steps: object) -> int:
    """What can be wrong is found before the first question. Raises NotConfigured."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise NotConfigured([f'eval needs packages ({", ".join(missing)}): run pip install ".[local,eval]".'])
    from retrieval.local.evaluation import calibration, gate, page, results
    from retrieval.local.evaluation.evaluate import evaluate

    plan, limited = _plan(parsed), [*parsed.minimum, *parsed.maximum]
    baseline = None if parsed.baseline is None else results.read(parsed.baseline)
    if baseline is not None:
        gate.check_same(baseline, fingerprint=plan.collection.fingerprint, k=plan.k, last_turn=plan.last_turn)
    definitions = None if parsed.save is None else _definitions(parsed.save, os.environ)
    out = _folder(parsed.out or Path(".local", "evaluation", plan.collection.name))
    try:
        found, changed = asyncio.run(evaluate(plan))
    except KeyboardInterrupt:
        return INTERRUPTED
    found = found.model_copy(update={"checks": [*gate.checks(found, limited, baseline, tolerance=parsed.tolerance)]})
    (out / "report.json").write_text(f"{found.model_dump_json()}\n", encoding="utf-8")
    (out / "report.html").write_text(page.html(found, changed), encoding="utf-8")
    print(*_lines(found), sep="\n")
    if definitions is not None and found.calibration is not None:
        print(f"thresholds {calibration.save(definitions, found.calibration)}")
    print(f"report     {out / 'report.html'}", flush=True)
    return 0 if all(check.held for check in found.checks) else GATE_FAILED


def _folder(path: Path) -> Path:
    """Raises NotConfigured where nothing can be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotConfigured([f"{path} cannot be used: {error.strerror}."]) from None
    return path


def _plan(parsed: argparse.Namespace) -> "Plan":
    """Raises NotConfigured."""
    from retrieval.local.evaluation import collections
    from retrieval.local.evaluation.evaluate import Plan

    asked = parsed.asked or [configurations.parse(one) for one in configurations.DEFAULT]
    limited = {one.run for one in (*parsed.minimum, *parsed.maximum)}
    if wrong := _wrong(asked, limited, deployed=parsed.against is not None):
        parsed.refuse(wrong)
    collection = collections.read(parsed.data, last_turn=parsed.last_turn, most=parsed.questions)
    return Plan(
        collection=collection,
        configurations=asked,
        deployed=_deployed(parsed, base=parsed.base or collection.name),
        environ=os.environ,
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


def _lines(found: "Evaluation") -> Iterator[str]:
    """The measures as a table, then the thresholds and the checks."""
    about = found.collection
    yield f"{about.name}: {about.questions:,} questions, {about.judged:,} judged, {about.unanswerable:,} unanswerable"
    width = max(len(run.name) for run in found.runs)
    names = dict.fromkeys(name for run in found.runs for name, one in run.measures.items() if name != "seconds")
    for name, run in product(names, found.runs):
        if name in run.measures and (run.measures[name].value or name != "model calls"):
            yield f"  {name:<18} {run.name:<{width}}  {_shown(run.measures[name])}{_against(run.differences.get(name))}"
    for run in found.runs:
        failed = f", {len(run.errors):,} calls failed" if run.errors else ""
        if run.latency is not None:
            timed = f"p50 {run.latency.p50:.3f} s, p95 {run.latency.p95:.3f} s"
            yield f"  {'latency':<18} {run.name:<{width}}  {timed}{failed}"
    if found.calibration is not None:
        yield from _thresholds(found.calibration)
    for check in found.checks:
        yield f"  {'held' if check.held else 'FAILED':<18} {check.sentence}"


def _shown(one: "Estimate") -> str:
    interval = "" if one.low is None or one.high is None else f"   95 %: {one.low:.3f} to {one.high:.3f}"
    return f"{one.value:.3f}{interval}"


def _against(one: "Difference | None") -> str:
    if one is None or one.low is None or one.high is None:
        return ""
    changed = f", {one.better} better, {one.worse} worse" if one.better or one.worse else ""
    return f"   {one.value:+.3f} ({one.low:+.3f} to {one.high:+.3f}){changed}"


def _thresholds(found: "Calibration") -> Iterator[str]:
    for name, one in found.readings.items():
        if one.threshold is None:
            without = f"without one it is {one.positives:.3f}"
            yield f"  threshold          {name}: none reaches a precision of {found.precision:g}; {without}"
        else:
            read = [
                f"{what} {_shown(value)}"
                for what, value in (("precision", one.precision), ("recall", one.recall))
                if value
            ]
            yield f"  threshold          {name}: {one.threshold:.3f}   {'   '.join(read)}"


def _definitions(named: Path, environ: Mapping[str, str]) -> Path:
    """The file of definitions: the named one, else that of the settings. Raises NotConfigured."""
    if named != Path():
        return named
    place = environ.get("AGENTS_FILE") or environ.get("AGENTS_STORE") or LOCAL_STORE
    if place == "memory" or "://" in place:
        raise NotConfigured(["--save needs a file: AGENTS_STORE is not one."])
    from retrieval.compose.agents import APP_ROOT

    return APP_ROOT / place


def _checked(read: Callable[[str], T]) -> Callable[[str], T]:
    """A type of argparse that says why a value is refused."""

    def checked(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) <= 1_000_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")


def _url(text: str) -> str:
    """The address is told in the report, so it has no credentials."""
    found = urlsplit(text)
    if found.scheme not in {"http", "https"} or not found.hostname or "@" in found.netloc or found.query:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as https://name.azurewebsites.net")
    return text


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0 and at most 1")
    return share
