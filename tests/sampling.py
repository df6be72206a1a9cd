"""Long lists of cases: every so-manyth in `make test`, all of them in `make test-all`."""

from collections.abc import Sequence
from typing import Any

import pytest


def sample(cases: Sequence[Any], *, every: int) -> list[Any]:
    """The cases as parameters of a test, of which the first, and then each so-manyth, are not slow.

    A tuple is the values of several parameters.
    """
    return [_case(one, slow=bool(number % every)) for number, one in enumerate(cases)]


def _case(one: Any, *, slow: bool) -> Any:
    values = one if isinstance(one, tuple) else (one,)
    return pytest.param(*values, marks=[pytest.mark.slow] if slow else [])
