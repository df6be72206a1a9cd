"""docs/first-hour.md, run from top to bottom: each command prints what the page shows below it."""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from tests.answer.material import block
from tests.answer.scripts import judgement
from tests.conftest import ROOT
from tests.llama import NAME, llama, needs_llama
from tests.running import free_port, until_ready
from tests.scripted_chat import ScriptedChat

PAGE: Final = (ROOT / "docs" / "first-hour.md").read_text(encoding="utf-8")
STEP: Final = re.compile(r"^```bash\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
"""A command, and what stands below it."""
SERVER: Final = re.compile(r"\bmake run\b|retrieval\.local search\b")
PORT: Final = re.compile(r"\b707\d\b")
USUAL_PORT: Final = "7071"
TIMES: Final = re.compile(r"\b\d+\.\d+ ?s\b")
MODEL: Final = "CHAT_URL=http://localhost:11434/v1 CHAT_MODEL=qwen2.5:3b"
BY_A_MODEL: Final = "localhost:7073"
"""What a command has that asks the service with a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Somebody who follows the page. `ports` are free ones for those of the page, `terminals` the services that run."""

    environ: Mapping[str, str]
    model: str
    ports: Mapping[str, str]
    terminals: dict[str, ExitStack] = field(default_factory=dict)

    def written(self, command: str) -> str:
        """The command with the ports and the model of this run."""
        return PORT.sub(lambda port: self.ports[port[0]], command.replace(MODEL, self.model))

    def shown(self, printed: str) -> str:
        """What was printed, with the ports of the page and without times."""
        for port, free in self.ports.items():
            printed = printed.replace(f"localhost:{free}", f"localhost:{port}")
        return TIMES.sub("0 s", printed)

    def start(self, command: str) -> str:
        """What a service prints until it is ready. The service that had its port is ended."""
        found = PORT.search(command.partition("http")[0])
        port = found[0] if found else USUAL_PORT
        self.end(port)
        terminal = self.terminals[port] = ExitStack()
        return "\n".join(terminal.enter_context(serving(self.written(command), self.environ)))

    def end(self, port: str) -> None:
        if port in self.terminals:
            self.terminals.pop(port).close()

    def run(self, command: str) -> str:
        """What a command prints that ends by itself."""
        done = subprocess.run(
            ["bash", "-c", f"set -eo pipefail\n{self.written(command)}"],
            cwd=ROOT, env=self.environ, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@contextmanager
def reading(home: Path, model: str) -> Iterator[Reader]:
    """A reader with this home and model; the services are ended with it."""
    ports = {port: str(free_port()) for port in sorted({*PORT.findall(PAGE)})}
    environ = {**os.environ, "HOME": str(home), "PORT": ports[USUAL_PORT]}
    reader = Reader(environ=environ, model=model, ports=ports)
    try:
        yield reader
    finally:
        for port in list(reader.terminals):
            reader.end(port)


@contextmanager
def serving(command: str, environ: Mapping[str, str]) -> Iterator[list[str]]:
    """The lines of a service's start; Ctrl-C ends it."""
    with subprocess.Popen(
        ["bash", "-c", command], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            lines = until_ready(process)
            assert lines and lines[-1].startswith("ready "), lines
            yield lines
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=20)


def replies(asked: Mapping[str, Any]) -> str:
    """A plan, then an answer that cites the first chunk, with a judgement."""
    name = asked["response_format"]["json_schema"]["name"].partition("-")[0]
    plan = {"queries": ["days of holiday"], "retrieval_goals": ["Find them."], "filter": "", "next": ""}
    answer = {"blocks": [block("Everybody has thirty days of holiday a year.", "c1")], **judgement("c1")}
    return json.dumps({"plan": plan, "answer": answer}[name])


def steps_of(record: str) -> set[str]:
    """The steps of a record, without who did them and how often: a real model decides that."""
    return set(re.findall(r"^(\w+): (?:model|rules)$", record, re.MULTILINE))


def follow(home: Path, model: str, *, is_real: bool = False) -> list[str]:
    """Run the page, and give the headings of its steps."""
    with reading(home, model) as reader:
        for command, shown in STEP.findall(PAGE):
            if SERVER.search(command):
                assert shown.rstrip() in reader.shown(reader.start(command)), command
                continue
            printed, expected = reader.shown(reader.run(command)), TIMES.sub("0 s", shown)
            if is_real and BY_A_MODEL in command:
                assert steps_of(printed) == steps_of(expected), printed
            else:
                assert printed == expected, command
    return re.findall(r"^## \d+\. (.+)$", PAGE, re.MULTILINE)


STEPS: Final = [
    "Load", "Ask", "Cite a file", "Filter", "A conversation", "An answer", "A model of your own machine",
    "See why something was dropped", "Test", "Evaluate", "Move to Azure",
]  # fmt: skip


async def test_each_command_of_the_first_hour_prints_what_is_shown(tmp_path: Path) -> None:
    chat = ScriptedChat(replies)
    async with chat.listening():
        steps = await asyncio.to_thread(follow, tmp_path, f"CHAT_URL={chat.url} CHAT_MODEL=qwen2.5:3b")
    assert steps == STEPS
    assert chat.asked, "the page's model was asked"


@pytest.mark.slow
def test_the_first_hour_with_a_real_model_has_the_same_steps_in_its_record(tmp_path: Path) -> None:
    needs_llama("usual")
    with llama(tmp_path, model="usual", context=16_384) as server:
        assert follow(tmp_path, f"CHAT_URL={server.url} CHAT_MODEL={NAME}", is_real=True) == STEPS


def test_a_step_of_the_first_hour_is_at_most_ten_lines() -> None:
    assert [command for command, _ in STEP.findall(PAGE) if len(command.splitlines()) > 10] == []


def test_the_commands_of_the_first_hour_that_no_test_runs_are_those_of_the_deployment_page() -> None:
    deploying = (ROOT / "docs" / "operating" / "deploy.md").read_text(encoding="utf-8")
    [unrun] = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"\bazd (?:env set \w+|env new|env get-value \w+|auth login|up)\b", unrun)
    assert len(commands) >= 6 and [command for command in commands if command not in deploying] == []
