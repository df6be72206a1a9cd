"""Every question of a collection asked in one configuration, and what came back."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import Configuration
from retrieval.local.evaluation.replies import Answered, BadReply, Retrieved, read, reason
from retrieval.local.evaluation.services import Reply, Service
from retrieval.model.conversation import Message
from retrieval.model.json_value import JsonValue

CHUNKS_OF_A_UNIT: Final = 5
"""How many chunks of a file or a section are asked for, where these are judged."""

JUDGED: Final = 20
"""The documents that are asked for at medium at least: a model judges none beyond the number."""

LARGE: Final = 1_000_000
"""The tokens in which the documents of a question have room."""

Sources = Sequence[tuple[str, str]]
"""The name and kind of each knowledge source of a base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A document of which an answer shows something, and what."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one question got: documents in their order, with the reranker's scores.

    `confidence` is that of a model that judged; `sufficient` is None where nobody did. `shown` is what an answer
    quotes, of each document in their order. With an `error` nothing was found.
    """

    question: Question
    seconds: float
    keys: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()
    model_calls: int = 0
    searches: int = 0
    confidence: float | None = None
    sufficient: bool | None = None
    shown: tuple[Shown, ...] = ()
    error: str | None = None

    @property
    def top(self) -> float:
        """The best score; 0 where nothing was ranked."""
        return max((one for one in self.scores if one is not None), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    configuration: Configuration
    results: tuple[Result, ...] = field(repr=False)

    @property
    def name(self) -> str:
        return self.configuration.name

    @property
    def errors(self) -> dict[str, str]:
        """Why questions failed, by their ids."""
        return {one.question.id: one.error for one in self.results if one.error is not None}


async def sources(service: Service, base: str, question: Question) -> Sources:
    """The knowledge sources of a base, from a first retrieval. Raises NotConfigured where it is not answered."""
    reply = await service.ask("retrieve", base, {**_effort("minimal"), **_intents(question)})
    try:
        retrieved = read(Retrieved, _content(reply))
    except BadReply as error:
        raise NotConfigured([f"The base {base!r} does not answer: {error}"]) from None
    return list(dict.fromkeys((one.knowledge_source_name or "", one.type) for one in retrieved.searches))


async def run(
    configuration: Configuration,
    questions: Iterable[Question],
    *,
    service: Service,
    base: str,
    sources: Sources,
    at_once: int,
    told: Callable[[int], None],
    k: int = 10,
) -> Run:
    """Ask them all for `k` documents, `at_once` at a time; `told` gets the number of those that were answered."""
    slots, results = asyncio.Semaphore(at_once), list[Result]()

    async def one(question: Question) -> Result:
        async with slots:
            found = await ask(configuration, question, service=service, base=base, sources=sources, k=k)
        results.append(found)
        told(len(results))
        return found

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(question)) for question in questions]
    return Run(configuration=configuration, results=tuple(task.result() for task in tasks))


async def ask(
    configuration: Configuration, question: Question, *, service: Service, base: str, sources: Sources, k: int = 10
) -> Result:
    """What one question gets; a failed call is data."""
    if configuration.is_answer:
        reply = await service.ask("answer", base, _answer_body(configuration, question))
    else:
        reply = await service.ask("retrieve", base, _retrieve_body(configuration, question, sources, k=k))
    try:
        content = _content(reply)
        if configuration.is_answer:
            return _answered(question, reply, read(Answered, content))
        return _retrieved(question, reply, read(Retrieved, content))
    except BadReply as error:
        return Result(question=question, seconds=reply.seconds, error=str(error))


def _content(reply: Reply) -> bytes:
    """206 is a retrieval of which some searches failed."""
    if reply.status not in {200, 206}:
        raise BadReply(reason(reply.status, reply.content))
    return reply.content


def _retrieved(question: Question, reply: Reply, found: Retrieved) -> Result:
    documents = [(question.unit(reference.doc_key), reference.reranker_score) for reference in found.by_id]
    return Result(
        question=question,
        seconds=reply.seconds,
        keys=tuple(dict.fromkeys(key for key, _ in documents)),
        scores=_scores(documents),
        model_calls=found.model_calls,
        searches=len(found.searches),
    )


def _answered(question: Question, reply: Reply, found: Answered) -> Result:
    evidence = found.evidence
    return Result(
        question=question,
        seconds=reply.seconds,
        keys=tuple(dict.fromkeys(question.unit(one.doc_key) for one in found.selected)),
        scores=_scores((question.unit(one.doc_key), one.score) for one in found.selected),
        model_calls=found.totals.model_calls,
        searches=sum(len(one.searches) for one in found.activity),
        confidence=evidence.confidence if evidence is not None and evidence.confidence_kind == "judged" else None,
        sufficient=None if evidence is None else evidence.is_sufficient,
        shown=_shown(question, found),
    )


def _shown(question: Question, found: Answered) -> tuple[Shown, ...]:
    keys = {one.id: question.unit(one.doc_key) for one in found.selected}
    quoted: dict[str, list[str]] = {}
    for one in found.citations:
        if one.quote and one.chunk_id in keys:
            quoted.setdefault(keys[one.chunk_id], []).append(one.quote)
    return tuple(Shown(key=key, text="\n".join(texts)) for key, texts in quoted.items())


def _scores(found: Iterable[tuple[str, float | None]]) -> tuple[float | None, ...]:
    """One score a document: its first."""
    first: dict[str, float | None] = {}
    for key, score in found:
        first.setdefault(key, score)
    return tuple(first.values())


def _retrieve_body(
    configuration: Configuration, question: Question, sources: Sequence[tuple[str, str]], *, k: int
) -> dict[str, JsonValue]:
    asked = _intents(question) if configuration.kind == "minimal" else {"messages": _messages(question.messages)}
    body: dict[str, JsonValue] = {**asked, **_effort(configuration.kind), "includeActivity": True}
    if not configuration.usual:
        most = max(k, JUDGED) if configuration.kind == "medium" else k
        number = most * CHUNKS_OF_A_UNIT if question.units else most
        body |= {"maxOutputDocuments": number, "maxOutputSizeInTokens": LARGE}
    if configuration.threshold is not None:
        body["knowledgeSourceParams"] = [
            {"knowledgeSourceName": name, "kind": kind, "rerankerThreshold": configuration.threshold}
            for name, kind in sources
        ]
    return body


def _answer_body(configuration: Configuration, question: Question) -> dict[str, JsonValue]:
    limits: dict[str, JsonValue] = {}
    if configuration.threshold is not None:
        limits["rerankerThreshold"] = configuration.threshold
    if configuration.follow_ups is not None:
        limits["maxFollowUps"] = configuration.follow_ups
    return {"messages": _messages(question.messages), **({"limits": limits} if limits else {})}


def _effort(kind: str) -> dict[str, JsonValue]:
    return {"retrievalReasoningEffort": {"kind": kind}}


def _intents(question: Question) -> dict[str, JsonValue]:
    return {"intents": [{"type": "semantic", "search": question.text}]}


def _messages(turns: Iterable[Message]) -> list[JsonValue]:
    return [{"role": one.role, "content": [{"type": "text", "text": one.text}]} for one in turns]
