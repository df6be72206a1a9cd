"""The minimums and maximums of a gate: what `--minimum` and `--maximum` say."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

Side: TypeAlias = Literal["minimum", "maximum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """`--minimum RUN:MEASURE=VALUE`; a latency is `RUN:p95=SECONDS`."""

    run: str
    measure: str
    value: float
    side: Side = "minimum"


def parse(text: str, side: Side) -> Limit:
    """Raises ValueError with a sentence."""
    name, _, value = text.rpartition("=")
    run, _, measure = name.partition(":")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not run.strip() or not measure.strip() or math.isnan(number):
        raise ValueError(f"{text!r} is not RUN:MEASURE=VALUE, such as auto:nDCG@10=0.7")
    return Limit(run=run.strip(), measure=measure.strip(), value=number, side=side)
