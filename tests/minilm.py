"""all-MiniLM-L6-v2 for tests that need a real model: made once, or the reason why not."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.environments import NoEnvironment
from tests.third_parties import minilm


def needs_minilm() -> Path:
    """Its folder; the test is skipped, with the reason, where there is no fastembed or no model can be made."""
    if find_spec("fastembed") is None:
        pytest.skip("fastembed is not installed (the extra models)")
    try:
        return minilm()
    except NoEnvironment as error:
        pytest.skip(str(error))
