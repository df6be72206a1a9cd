"""The arguments of `eval`, and what is said of a wrong one."""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from retrieval.local import model_arguments
from retrieval.local.evaluation import configurations, limits
from retrieval.local.evaluation.limits import Side

GATE_FAILED: Final = 3
"""The exit status."""

EPILOG: Final = f"""\
{configurations.HELP}
exit status:
  0 done, and every check of the gate held   1 it cannot start, or every call of a run failed
  2 a wrong argument                         {GATE_FAILED} a check of the gate failed
"""

T = TypeVar("T")


def add(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.set_defaults(refuse=parser.error)
    add, spec = parser.add_argument, _checked(configurations.parse)
    add("--data", type=Path, required=True, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels.tsv, or .gz")
    text = "a CSV or JSONL of questions over the files of the folder of --data: docs/developing/evaluation.md"
    add("--queries", type=Path, metavar="FILE", help=text)
    add("--run", dest="asked", type=spec, action="append", metavar="SPEC", help="see below; several times")
    add("--k", type=_counts, default=(5, 10), metavar="N,…", help="how many documents count, several at once (5,10)")
    add("--questions", type=_count, metavar="N", help="the first N questions only")
    add("--last-turn", action="store_true", help="ask the last turn alone, without the turns before")
    add("--out", type=Path, metavar="FOLDER", help="for report.html and report.json (.local/evaluation/NAME)")
    add("--at-once", type=_count, default=1, metavar="N", help="calls at the same time (1)")
    model_arguments.add(add)
    _add_deployment(parser.add_argument_group("a deployment, whose base has the documents already").add_argument)
    _add_thresholds(parser.add_argument_group("thresholds to use").add_argument)
    _add_gate(parser.add_argument_group("a gate").add_argument)


def _add_deployment(add: Callable[..., object]) -> None:
    add("--against", type=_url, metavar="URL", help="ask there instead of in process")
    add("--base", "--agent", metavar="NAME", help="the agent or knowledge base (the folder's name)")
    add("--key", help="an api-key that may retrieve (else the variable EVAL_KEY)")
    add("--token", help="a bearer token (else the variable EVAL_TOKEN)")


def _add_thresholds(add: Callable[..., object]) -> None:
    add("--precision", type=_share, default=0.9, metavar="P", help="the precision wanted (0.9)")
    text = "keep them beside this file of definitions (AGENTS_FILE, else AGENTS_STORE)"
    add("--save", nargs="?", type=Path, const=Path(), metavar="FILE", help=text)


def _add_gate(add: Callable[..., object]) -> None:
    add("--baseline", type=Path, metavar="FILE", help="a report.json that quality must not fall below")
    add("--tolerance", type=float, default=0.0, metavar="X", help="by how much it may (0)")
    examples: Mapping[Side, str] = {"minimum": "auto:nDCG@10=0.7", "maximum": "auto:p95=2.5"}
    for side, example in examples.items():
        read = _checked(partial(limits.parse, side=side))
        text = f"such as {example}; several times"
        add(f"--{side}", type=read, action="append", default=[], metavar="RUN:MEASURE=VALUE", help=text)


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


def _counts(text: str) -> tuple[int, ...]:
    """Different numbers, the lowest first."""
    return tuple(sorted({_count(part.strip()) for part in text.split(",")}))


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
