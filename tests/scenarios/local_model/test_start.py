"""The start of `make run` with a chat server: it names the model, or says what is wrong with the settings."""

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import pytest

from tests.environments import ROOT
from tests.running import start_lines

COMMAND: Final = (sys.executable, "-m", "retrieval.local", "serve", "--port", "0")
CHAT: Final = {"AGENTS_STORE": "memory", "CHAT_URL": "http://192.0.2.1:11434/v1", "CHAT_MODEL": "qwen2.5:3b"}


def test_the_start_names_the_model_and_does_not_wait_for_the_server() -> None:
    lines = start_lines(COMMAND, {**CHAT, "CHAT_API_KEY": "secret-key-1"})
    assert "chat model qwen2.5:3b at http://192.0.2.1:11434/v1" in lines
    assert "secret-key-1" not in "".join(lines)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"CHAT_MODEL": ""}, "CHAT_MODEL is missing"),
        (
            {"AZURE_OPENAI_ENDPOINT": "https://m.example", "AZURE_OPENAI_DEPLOYMENT": "gpt"},
            "CHAT_URL takes the place of AZURE_OPENAI_ENDPOINT",
        ),
        ({"LOCAL": "0"}, "for a developer's machine"),
    ],
)
def test_a_start_with_settings_that_do_not_fit_says_so(wrong: Mapping[str, str], sentence: str) -> None:
    environ = {**os.environ, **CHAT, **wrong}
    done = subprocess.run(COMMAND, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert sentence in done.stderr
