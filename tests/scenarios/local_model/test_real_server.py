"""llama.cpp's server with the smallest model, which the tool beside the project fetches: what no script can show."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.conftest import ask
from tests.llama import Llama, llama, needs_llama
from tests.running import served

pytestmark = pytest.mark.slow

HEADERS: Final = {"api-key": "local-dev-key"}
QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
SMALL: Final = 1_536


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with llama(tmp_path_factory.mktemp("llama"), context=SMALL) as server:
        yield server


@pytest.fixture(scope="module")
def address(server: Llama) -> Iterator[str]:
    needs_llama()
    settings = {"AGENTS_STORE": "memory", "CHAT_URL": server.url, "CHAT_MODEL": "local"}
    with served(Path(sys.executable), environ=settings) as address:
        yield address


def answered(address: str, seconds: int) -> Any:
    body = {**ask(QUESTION), "limits": {"maxRuntimeInSeconds": seconds, "maxFollowUps": 0}}
    response = httpx.post(f"{address}/agents/earth-at-night/answer", json=body, headers=HEADERS, timeout=60)
    assert response.status_code == 200
    return response.json()


def test_the_server_lists_its_model_and_is_ready(address: str) -> None:
    """A probe may time out on a busy machine. The next round of probes is after five seconds."""
    for _ in range(6):
        state = httpx.get(f"{address}/ready", timeout=30).json()["model"]
        if state == "reachable":
            break
        time.sleep(5)
    assert state == "reachable"


def test_an_answer_is_never_empty_and_a_context_that_is_too_small_is_told_and_kept_within(address: str) -> None:
    first, second = answered(address, 30), answered(address, 30)
    assert first["answer_markdown"] and second["answer_markdown"]
    errors = [record["error"]["message"] for record in first["activity"] if "error" in record]
    assert any("-c for llama-server" in message for message in errors)
    assert not any("-c for llama-server" in record.get("error", {}).get("message", "") for record in second["activity"])
    notes = " ".join(note for record in second["activity"] for note in record["notes"])
    assert "The server's context has room for" in notes


def test_a_deadline_ends_the_generation(address: str, server: Llama) -> None:
    before = cancelled(server)
    answered(address, 3)
    _until(lambda: cancelled(server) > before)


def test_a_caller_who_leaves_ends_the_generation(address: str, server: Llama) -> None:
    before = cancelled(server)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{address}/agents/earth-at-night/answer", json=ask(QUESTION), headers=HEADERS, timeout=2)
    _until(lambda: cancelled(server) > before)


def cancelled(server: Llama) -> int:
    """The generations that the server's log says were cancelled."""
    return server.log.read_text(encoding="utf-8", errors="replace").count("cancel task")


def _until(is_so: Callable[[], bool], *, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.2)
