"""First calls: on each way one that is the first of a process, and the first one on every route after another.

Prints a line of JSON for each call: its name, its status, the seconds for which it held the loop, and the modules that
were loaded on the loop's thread meanwhile. The standard library's are left out, and the tables of a language, which are
read when it is first spoken.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Final

from retrieval.compose.rooms import TABLE
from retrieval.local.wire import WireService
from tests.scenarios.hostile.deployment import Deployment, Sent, deployed
from tests.scenarios.hostile.test_held import (
    BASE_WITH_MODEL,
    FIRST,
    MCP,
    MEDIUM,
    USUAL,
    WORKSPACE,
    agent,
    always,
    as_json,
    is_served,
    tool,
    usual,
)
from tests.scenarios.hostile.upstream import model
from tests.scripted_azure import failing

HINTS: Final = {"filters": [{"field": "year", "fieldValues": []}]}
SOURCE: Final = {"knowledgeSourceName": "atlas", "kind": "searchIndex", "queryHintOverrides": HINTS}
ANSWERED: Final = {**USUAL, "outputMode": "answerSynthesis", "knowledgeSourceParams": [SOURCE]}
EVENTS: Final = {"accept": "text/event-stream"}
PUBLISHED: Final = {"IndexId": "kb", "EnableRewrite": True, "SearchFilters": [{"name": {"like": "a%"}}]}
HISTORY: Final = {"Query": "And it?", "QueryHistory": [{"role": "user", "content": "Which roads?"}]}


class Loading(MetaPathFinder):
    """Finds nothing, and knows what was looked for on the main thread while a loop ran there."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package = fullname.partition(".")[0]
        exempt = package in sys.stdlib_module_names or fullname.startswith("retrieval.text.languages.")
        if not exempt and threading.current_thread() is threading.main_thread() and _runs():
            self.names.append(fullname)
        return None


def _runs() -> bool:
    try:
        return asyncio.get_running_loop().is_running()
    except RuntimeError:
        return False


def ways() -> Iterator[tuple[str, Mapping[str, Sent], WireService]]:
    """The calls of each process, and the model that it has."""
    fails = failing(500)
    one = {
        "events, judged": (Sent(target=BASE_WITH_MODEL, body=partial(said, MEDIUM), headers=EVENTS), model(0)),
        "judged by rules": (always(BASE_WITH_MODEL, as_json(MEDIUM)), fails),
        "an answer of retrieve, and query hints": (always(BASE_WITH_MODEL, as_json(ANSWERED)), model(0)),
        "an answer": (always(agent("answer", "planner"), as_json(USUAL)), model(0)),
        "a tool": (Sent(target=agent("mcp"), body=partial(said, tool({"queries": ["a"]})), headers=MCP), fails),
        "a workspace": (always(WORKSPACE, as_json({**PUBLISHED, **HISTORY})), fails),
        "ready": (Sent(target="/ready", body=lambda n: b"", method="GET"), fails),
    }
    yield from ((name, {name: sent}, chat) for name, (sent, chat) in one.items() if is_served(sent.target))
    yield "every route", {address: FIRST[address] for address in TABLE.routes}, fails


def said(body: object, number: int) -> bytes:
    return as_json(body)


def make(calls: Mapping[str, Sent], chat: WireService) -> None:
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder), os.environ.__setitem__) as deployment:
        usual(deployment)
        deployment.azure.chat = chat
        for name, sent in calls.items():
            print(json.dumps(measured(deployment, name, sent)), flush=True)


def measured(deployment: Deployment, name: str, sent: Sent) -> object:
    loading = Loading()
    sys.meta_path.insert(0, loading)
    held = deployment.held(sent)
    sys.meta_path.remove(loading)
    return name, held.response.status, held.loop, loading.names


if __name__ == "__main__":
    import function_app

    assert function_app.app, "it is imported once, and each way goes on from here in a process of its own"
    for _, calls, chat in ways():
        child = os.fork()
        if child == 0:
            make(calls, chat)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
