"""Semantic Kernel's vector store, which speaks https only, against `make search TLS=1`."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.running import served_over_tls
from tests.third_parties import semantic_kernel

pytestmark = pytest.mark.slow

SCRIPT: Final = Path(__file__).with_name("semantic_kernel_store.py")


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    python = semantic_kernel()
    with served_over_tls("search") as (address, certificate):
        command: list[str | Path] = [python, SCRIPT, address]
        trusting = {**os.environ, "SSL_CERT_FILE": certificate}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, env=trusting)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def test_a_collection_is_made_filled_and_taken_away(seen: dict[str, Any]) -> None:
    assert seen["exists"]
    assert seen["keys"] == ["1", "2"]
    assert seen["got"] == ["A ketch has two masts.", 2]
    assert seen["deleted"] is None
    assert seen["gone"]


def test_a_collection_is_searched_by_meaning_words_and_value(seen: dict[str, Any]) -> None:
    assert seen["nearest"] == ["A punt has no mast at all."]
    assert seen["hybrid"] == ["A ketch has two masts."]
    assert seen["narrowed"] == ["A ketch has two masts."]
