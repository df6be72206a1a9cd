"""All of an evaluation as JSON: what is written, and read again as a baseline."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from retrieval.errors import NotConfigured

FORMAT: Final = 1


class Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, frozen=True)


class Estimate(Shape):
    """`low` and `high` are the 95 % interval over `n` questions; none of fewer than two."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int


class Difference(Estimate):
    """A run against the first one over the same questions, of which so many got better and worse."""

    better: int = 0
    worse: int = 0


class Latency(Shape):
    """Seconds of a call."""

    p50: float
    p95: float


class RunResult(Shape):
    """`measures` and `differences` are by measure, `groups` by label, value and measure.

    `values` are by measure and question, `ranked` the first documents of each question, `errors` why some have none.
    """

    name: str
    configuration: str
    measures: dict[str, Estimate]
    latency: Latency | None = None
    groups: dict[str, dict[str, dict[str, Estimate]]] = Field(default_factory=dict)
    differences: dict[str, Difference] = Field(default_factory=dict)
    errors: dict[str, str] = Field(default_factory=dict)
    values: dict[str, dict[str, float]] = Field(default_factory=dict)
    signals: dict[str, float] = Field(default_factory=dict)
    ranked: dict[str, list[str]] = Field(default_factory=dict)


class Side(Shape):
    """The quantiles 0.05, 0.25, 0.5, 0.75 and 0.95 of a signal, and of how many values."""

    quantiles: tuple[float, float, float, float, float]
    n: int


class ThresholdReading(Shape):
    """A threshold, and what it does on the half of the questions that it was not chosen on.

    `curve` has some thresholds with their precision and recall, over all questions.
    """

    run: str
    threshold: float | None
    precision: Estimate | None = None
    recall: Estimate | None = None
    chosen_on: int
    positives: float
    """The precision without a threshold: the share of positives among all."""
    curve: list[tuple[float, float, float]] = Field(default_factory=list)


class Calibration(Shape):
    """The thresholds for a precision on an index; None where no threshold reaches it, or nothing tells.

    `probabilities` are pairs: a best score, and how likely a question has an answer from there on. None where a model
    judged.
    """

    index: str
    precision: float
    evidence_threshold: float | None
    reranker_threshold: float | None
    signals: dict[str, Side]
    probabilities: list[tuple[float, float]] = Field(default_factory=list)
    readings: dict[str, ThresholdReading]


class CollectionResult(Shape):
    """`more_gold` is the number of questions with more gold documents than k, by k."""

    name: str
    fingerprint: str
    questions: int
    judged: int
    answerable: int
    unanswerable: int
    more_gold: dict[str, int] = Field(default_factory=dict)


class Check(Shape):
    """A minimum, a maximum or a comparison with the baseline."""

    sentence: str
    held: bool


class Evaluation(Shape):
    format: int = FORMAT
    collection: CollectionResult
    asked: str
    k: int
    last_turn: bool
    runs: list[RunResult]
    calibration: Calibration | None = None
    checks: list[Check] = Field(default_factory=list)


def read(path: Path) -> Evaluation:
    """Raises NotConfigured."""
    try:
        found = Evaluation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise NotConfigured([f"{path} cannot be read: {error.strerror}."]) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise NotConfigured(
            [f"{path} is no report.json: {'.'.join(map(str, first['loc']))}: {first['msg']}."]
        ) from None
    if found.format != FORMAT:
        raise NotConfigured([f"{path} has the format {found.format}; this version reads {FORMAT}."])
    return found
