"""When a search is late: its target usually answers much sooner, and the call's other searches have been answered.

The numbers are our decision. A search that is given up costs its documents, so the rule prefers to wait.
"""

from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Final

LEAST_SECONDS: Final = 1.0
"""No search is given up sooner."""

ENOUGH: Final = 20
"""So many searches of a target must be on record."""

KEPT: Final = 100
"""So many are kept, the last ones."""

SHARE: Final = 0.95
TIMES: Final = 3.0
"""A late search took more than three times what 95 % of its target's searches take."""

LEARNED: Final = 2.0
"""A search that was given up is on record with no more seconds than these, unless most take as long: so a target that
has become slower is waited for, up to three times as long, and searches that always hang cost no more than that."""

ALIKE: Final = 2.0
"""And more than twice as long as the slowest answer of its call: where all are slow alike, none is late."""


class Recent:
    """The last hundred of some numbers: in the order they came, and sorted."""

    def __init__(self) -> None:
        self._came: deque[float] = deque()
        self.sorted: list[float] = []

    def add(self, number: float) -> None:
        """The oldest makes room for it."""
        if len(self._came) == KEPT:
            del self.sorted[bisect_left(self.sorted, self._came.popleft())]
        self._came.append(number)
        insort(self.sorted, number)


class Pace:
    """How long the searches of each target took lately, in seconds, without the pauses that it asked for."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, Recent] = defaultdict(Recent)

    def took(self, target: str, seconds: float) -> None:
        """A search was answered."""
        self._seconds[target].add(seconds)

    def gave_up(self, target: str, seconds: float) -> None:
        """A search was given up: it would have taken longer."""
        self._seconds[target].add(max(min(seconds, LEARNED), self._usual(target) or 0))

    def bound(self, target: str) -> float | None:
        """The seconds after which a search of that target may be late; None while too few are on record."""
        usual = self._usual(target)
        return None if usual is None else max(LEAST_SECONDS, TIMES * usual)

    def _usual(self, target: str) -> float | None:
        seconds = self._seconds[target].sorted
        return None if len(seconds) < ENOUGH else seconds[int(SHARE * len(seconds))]


def patience(bound: float | None, answered: Sequence[float], *, searches: int) -> float | None:
    """The seconds after which one of so many searches of a call is given up; None: it is waited for.

    `bound` is its target's, `answered` what the answered searches of the call took. At least half must be answered, so
    a single search is always waited for.
    """
    if bound is None or 2 * len(answered) < searches:
        return None
    return max(LEAST_SECONDS, bound, ALIKE * max(answered))
