"""A weak model breaks nothing: real replies of real models of this machine, in every kind of call.

    MODEL_CALLS=160 python -m pytest -m slow -s tests/scenarios/test_weak_model.py -k smallest

Each kind of call is asked in turn, with the questions of the sample corpus. What the model's plans do to the documents
that are found is counted, beside the same call without a model, and not judged here. MODEL_CALLS is the number of calls
of each model, MODEL_SECONDS the runtime of each call, and MODEL_THREADS the threads of the model's server.
"""

import json
import logging
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import Post, Response, deploying
from tests.llama import MODELS, NAME, Model, llama, needs_llama
from tests.local.corpus_questions import QUESTIONS, Question
from tests.rooms import MCP as ROOM
from tests.rooms import has_room

NEWEST: Final = "/knowledgebases/earth-at-night/retrieve?api-version=2026-11-01-preview"
ANSWER: Final = "/agents/earth-at-night/answer"
MCP: Final = "/agents/earth-at-night/mcp"
EVENTS: Final = {"accept": "text/event-stream"}

CALLS: Final = int(os.environ.get("MODEL_CALLS", "0"))
SECONDS: Final = int(os.environ.get("MODEL_SECONDS", "20"))
THREADS: Final = int(os.environ.get("MODEL_THREADS", "2"))
FEW: Final[Mapping[Model, int]] = {"smallest": 5, "usual": 3}
"""The calls that fit into the three minutes of slow tests."""

CITED: Final = re.compile(r"\[[^\[\]]+\]")
LISTED: Final = re.compile(r"^(?:\*\*|#+ |- \[\d+\] )")
UNCITED_KINDS: Final = frozenset({"heading", "header", "missing", "sources", "text", "code"})
WORD: Final = re.compile(r"\w{4,}")
SUPPORTED: Final = 0.5
"""A block without a citation has at least this share of its words from what was retrieved or asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of call: its route, its body for the turns of a conversation, and how its answer is read."""

    target: str
    body: Callable[[list[str]], Mapping[str, object]]
    read: Callable[[Response], Any]
    headers: Mapping[str, str]


def _messages(turns: list[str]) -> list[dict[str, object]]:
    said = [turn for before in turns[:-1] for turn in (("user", before), ("assistant", "It is in the report."))]
    return [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in (*said, ("user", turns[-1]))]


def _retrieve(effort: str, headers: Mapping[str, str] | None = None, **members: object) -> Kind:
    return Kind(
        target=NEWEST,
        body=lambda turns: {
            "messages": _messages(turns),
            "retrievalReasoningEffort": {"kind": effort},
            "includeActivity": True,
            "maxRuntimeInSeconds": SECONDS,
            **members,
        },
        read=_last_event if headers else _json,
        headers=headers or {},
    )


def _answer(query: str = "", headers: Mapping[str, str] | None = None) -> Kind:
    return Kind(
        target=ANSWER + query,
        body=lambda turns: {"messages": _messages(turns), "limits": {"maxRuntimeInSeconds": SECONDS}},
        read=_last_event if headers else _json,
        headers=headers or {},
    )


def _tool(name: str, arguments: Callable[[list[str]], Mapping[str, object]]) -> Kind:
    return Kind(
        target=MCP,
        body=lambda turns: {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments(turns)},
        },
        read=lambda response: response.json["result"]["structuredContent"],
        headers={"accept": "application/json, text/event-stream"},
    )


def _json(response: Response) -> Any:
    return response.json


def _events(response: Response) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in response.body.decode().split("\n\n") if block.startswith("event: ")]
    return [(lines[0][7:], json.loads(lines[1][6:])) for lines in blocks]


def _last_event(response: Response) -> Any:
    name, data = _events(response)[-1]
    assert name in {"end", "response.completed"}, (name, data)
    return data.get("response", data)


SYNTHESIS: Final = "answerSynthesis"
KINDS: Final[Mapping[str, Kind]] = {
    "retrieve, low": _retrieve("low"),
    "answer": _answer(),
    "retrieve, medium": _retrieve("medium"),
    "answer, events": _answer(headers=EVENTS),
    "synthesis": _retrieve("low", outputMode=SYNTHESIS),
    "MCP, answer": _tool("answer", lambda turns: {"question": turns[-1]}),
    "answer, payloads": _answer("?detail=workflow"),
    "retrieve, events": _retrieve("medium", EVENTS, outputMode=SYNTHESIS),
    "answer, explained": _answer("?detail=explained"),
    "MCP, retrieve": _tool(
        "knowledge_base_retrieve",
        lambda turns: {"messages": [{"role": "user", "content": turn} for turn in turns]},
    ),
}


def calls(count: int) -> list[tuple[str, Question]]:
    """So many calls, of every kind in turn, with the questions in another order than the kinds."""
    names = [name for name, kind in KINDS.items() if kind.target != MCP or has_room(ROOM)]
    return [(names[place % len(names)], QUESTIONS[7 * place % len(QUESTIONS)]) for place in range(count)]


async def sent(post: Post, name: str, question: Question) -> Response:
    kind = KINDS[name]
    return await post(kind.body([*question.earlier, question.text]), kind.target, headers=kind.headers)


@asynccontextmanager
async def _service(settings: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    with monkeypatch.context() as patch:
        async with deploying({"LOCAL": "1", **settings}, patch):
            yield


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
async def test_a_weak_model_breaks_nothing(
    model: Model, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    needs_llama(model)
    asked = calls(CALLS or FEW[model])
    async with _service({}, monkeypatch):
        by_rules = [is_empty(name, await sent(post, name, question)) for name, question in asked]
    caplog.set_level(logging.INFO)
    faults, harmed = list[str](), 0
    with llama(tmp_path, context=16_384, model=model, threads=THREADS) as server:
        async with _service({"CHAT_URL": server.url, "CHAT_MODEL": NAME}, monkeypatch):
            for number, (name, question) in enumerate(asked):
                response = await sent(post, name, question)
                found = [*faults_of(name, question, response), *_logged(caplog)]
                faults += [f"{name}, {question.text!r}: {fault}" for fault in found]
                harmed += not found and is_empty(name, response) and not by_rules[number]
                print(f"{number + 1} of {len(asked)}: {name}: {found or 'well'}; {harmed} harmed by plans", flush=True)
    assert faults == []


def _logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The exceptions and errors that were logged since."""
    records = [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]
    caplog.clear()
    return [f"logged: {record.getMessage()}" for record in records]


def faults_of(name: str, question: Question, response: Response) -> list[str]:
    """What is wrong with an answer. A written answer always says something."""
    if response.status != 200:
        return [f"{response.status}: {response.body[:500]!r}"]
    faults = ["empty"] if "answer" in name and is_empty(name, response) else []
    return [*faults, *_untold(name, response), *_uncited(name, question, response)]


def is_empty(name: str, response: Response) -> bool:
    """Whether an answer has neither documents nor a text."""
    value = KINDS[name].read(response)
    if "router" in value:
        return not (value["router"]["assistant_message"] or value["answer"]["answer_markdown"])
    return not any(value.get(member) for member in ("answer_markdown", "answerMarkdown", "references"))


def _untold(name: str, response: Response) -> list[str]:
    """Model calls whose reply was not used, and whose record does not say so."""
    records = KINDS[name].read(response).get("activity", ())
    steps = [record for record in records if record.get("prompt") and record["by"] == "rules"]
    written = [record for record in records if record.get("writtenBy") == "rules" and record["outputTokens"]]
    return [
        f"not told: {record}" for record in (*steps, *written) if not record.get("error") and not record.get("skipped")
    ]


def _uncited(name: str, question: Question, response: Response) -> list[str]:
    """Claims of a model's answer that cite nothing, and whose words nobody retrieved or asked."""
    value = KINDS[name].read(response)
    if value.get("answer_by") != "model" or not value["route"]["should_run_rag"]:
        return []
    known = " ".join((question.text, *question.earlier, *(chunk["text"] for chunk in value["selected"])))
    pieces = [piece for piece in re.split(r"\n+", value["answer_markdown"].partition("\n\n**Sources**")[0]) if piece]
    return [
        f"not cited: {piece}"
        for piece in pieces
        if not CITED.search(piece) and not LISTED.search(piece) and _share(piece, known) < SUPPORTED
    ]


def _share(text: str, known: str) -> float:
    words = [word.casefold() for word in WORD.findall(text)]
    given = {word.casefold() for word in WORD.findall(known)}
    return sum(word in given for word in words) / len(words) if words else 1.0
