"""The arguments of `eval`, and what is said of a wrong one."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from retrieval.local.evaluation import configurations, limits

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
    usual = parser.add_argument
    usual("--data", type=Path, required=True, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels.tsv, or .gz")
    usual(
        "--run",
        dest="asked",
        type=_checked(configurations.parse),
        action="append",
        metavar="SPEC",
        help="see below; several times",
    )
    usual("--k", type=_count, default=10, metavar="N", help="how many documents count (10)")
    usual("--questions", type=_count, metavar="N", help="the first N questions only")
    usual("--last-turn", action="store_true", help="ask the last turn alone, without the turns before")
    usual("--out", type=Path, metavar="FOLDER", help="for report.html and report.json (.local/evaluation/NAME)")
    usual("--at-once", type=_count, default=1, metavar="N", help="calls at the same time (1)")
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
