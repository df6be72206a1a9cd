"""How many examples Hypothesis tries of a law: all of them in `make test-all`, a tenth in `make test`."""

import os
from typing import Final

from hypothesis import HealthCheck, settings

THOROUGH: Final = os.environ.get("THOROUGH") == "1"
"""Set by `make test-all`."""

USUAL: Final = 100


def share(most: int) -> int:
    """How many of so many things are tried now; at least one."""
    return most if THOROUGH else max(most // 10, 1)


def law(examples: int = USUAL, *, suppress: tuple[HealthCheck, ...] = ()) -> settings:
    """The settings of a law with so many examples when it is thorough. No deadline: how fast a machine is says nothing
    of a law."""
    checks = (HealthCheck.too_slow, *suppress)
    return settings(max_examples=share(examples), deadline=None, suppress_health_check=checks)
