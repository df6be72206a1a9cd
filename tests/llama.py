"""llama.cpp's server with the smallest language model, for tests that need a real one: only where both lie in the cache
of the tool that fetches them, which `tests.prepare --all` runs."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.running import free_port

SMALLEST: Final = "smollm2-135m-instruct-q4_1.gguf"
START_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Llama:
    """A server that runs: its address for CHAT_URL, and the file of its log."""

    url: str
    log: Path


def needs_llama() -> tuple[Path, Path]:
    """The binary and the model; the test is skipped, with the reason, where they are not in the cache."""
    cache = Path(os.environ.get("LLM_CACHE") or Path.home() / ".cache" / "retrieval-llm")
    binary = next((file for kind in ("avx512", "avx2") if (file := cache / f"llama-server.{kind}").exists()), None)
    model = cache / SMALLEST
    if binary is None or not model.exists():
        pytest.skip("llama-server and its smallest model are not fetched (python -m tests.prepare --all)")
    return binary, model


@contextmanager
def llama(folder: Path, *, context: int = 8_192) -> Iterator[Llama]:
    """A server on a free port, on one thread, that is ended afterwards."""
    binary, model = needs_llama()
    port, log = free_port(), folder / "llama.log"
    arguments = ["-m", model, "--host", "127.0.0.1", "--port", port, "-c", context, "-np", 1, "-t", 1, "-a", "local"]
    with log.open("w") as out, subprocess.Popen([binary, *map(str, arguments)], stdout=out, stderr=out) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield Llama(f"http://127.0.0.1:{port}/v1", log)
        finally:
            process.terminate()


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    """Return once the model is loaded."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("The server did not start.")
