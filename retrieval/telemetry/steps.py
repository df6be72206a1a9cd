"""An observer that makes a span for each step of a call, and a log line for each step in which the model failed. The
observer receives no searches, because each call of the search service already has a span.
"""

import logging
from contextlib import AbstractContextManager
from typing import Final

from retrieval.errors import BackendError, BadModelReply
from retrieval.model.activity import Begun, Ended, Kind
from retrieval.telemetry import logs, names
from retrieval.telemetry.spans import Attributes, Step, ids, instruments, step

COUNTS: Final[dict[Kind, str]] = {"plan": names.QUERIES, "round": names.GATHERED, "ground": names.GROUNDED}

logger = logging.getLogger(__name__)


class Steps:
    """The steps of one call."""

    def __init__(self) -> None:
        self._open: dict[Begun, tuple[AbstractContextManager[Step], Step]] = {}

    def begun(self, activity: Begun) -> None:
        """Starts the span of an activity within the span of the current step."""
        span = step("write" if activity.kind == "answer" else activity.kind, attributes=_attributes(activity))
        self._open[activity] = span, span.__enter__()

    def ended(self, activity: Ended) -> None:
        """Ends the activity's span."""
        span, running = self._open.pop(activity.begun)
        running.set(_found(activity))
        if activity.error is not None:
            running.fail(activity.error)
        span.__exit__(None, None, None)
        fell = activity.by == "rules" and isinstance(activity.error, BackendError | BadModelReply)
        if fell or activity.by == "model":
            by = {names.STEP: activity.begun.kind, names.BY: activity.by or ""}
            instruments().model_steps.add(1, by)
        if fell and activity.error is not None:
            description = logs.describe(activity.error, content=False)
            logger.warning("%s is done without the model: %s%s", activity.begun.kind, description, ids())


def _attributes(activity: Begun) -> Attributes:
    return {names.ROUND: activity.round, names.QUERIES: activity.queries} if activity.kind == "round" else {}


def _found(activity: Ended) -> Attributes:
    by = {} if activity.by is None else {names.BY: activity.by}
    count = COUNTS.get(activity.begun.kind)
    return by if count is None or activity.count is None else {**by, count: activity.count}
