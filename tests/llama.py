"""llama.cpp's server with a language model, for what needs a real one: only where both lie in the cache of the tool
that fetches them, which `tests.prepare --all` runs."""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import httpx
import pytest

from tests.running import free_port

Model: TypeAlias = Literal["smallest", "usual"]

MODELS: Final[Mapping[Model, str]] = {
    "smallest": "smollm2-135m-instruct-q4_1.gguf",
    "usual": "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
}
"""The file of each model."""

NAME: Final = "local"
"""The name under which the server lists its model."""

START_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Llama:
    """A server that runs: its address for CHAT_URL, and the file of its log."""

    url: str
    log: Path


def lacking(model: Model) -> str:
    """Why there is no server with the model; "" where it can be started."""
    if _binary() is None or not (_cache() / MODELS[model]).exists():
        return f"llama-server and its {model} model are not fetched (python -m tests.prepare --all)"
    return ""


def needs_llama(model: Model = "smallest") -> None:
    """The test is skipped, with the reason, where the binary and the model are not in the cache."""
    if reason := lacking(model):
        pytest.skip(reason)


@contextmanager
def llama(folder: Path, *, context: int = 8_192, model: Model = "smallest", threads: int = 1) -> Iterator[Llama]:
    """A server on a free port that is ended afterwards."""
    needs_llama(model)
    port, log = free_port(), folder / "llama.log"
    arguments = ["-m", _cache() / MODELS[model], "--host", "127.0.0.1", "--port", port, "-c", context]
    command = [str(part) for part in (_binary(), *arguments, "-np", 1, "-t", threads, "-a", NAME)]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield Llama(f"http://127.0.0.1:{port}/v1", log)
        finally:
            process.terminate()


def _cache() -> Path:
    return Path(os.environ.get("LLM_CACHE") or Path.home() / ".cache" / "retrieval-llm")


def _binary() -> Path | None:
    return next((file for kind in ("avx512", "avx2") if (file := _cache() / f"llama-server.{kind}").exists()), None)


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
