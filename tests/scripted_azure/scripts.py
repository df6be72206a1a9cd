"""Scripts for the routes of a scripted Azure: each a `WireService`, and ways to combine them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import unquote

from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

JSON: Final = ("content-type", "application/json; odata.metadata=none")

Document: TypeAlias = dict[str, object]


def answering(body: object, *, status: int = 200, **headers: str) -> WireService:
    """Always the same answer: bytes as they are, anything else as JSON. `headers` in snake case."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    more = [(name.replace("_", "-"), value) for name, value in headers.items()]
    kind = () if "content_type" in headers else (JSON,)
    response = WireResponse(status=status, headers=(*kind, *more), body=content)

    async def answer(request: WireRequest) -> WireResponse:
        return response

    return answer


def document(key: object, score: object, **fields: object) -> Document:
    """A document as a semantic query returns it. Without `fields` it has a title and a content of its own."""
    texts = fields or {"title": f"Title of {key}", "content": f"What {key} tells."}
    return {"@search.score": 1.0, "@search.rerankerScore": score, "id": key, **texts}


def found(*documents: Document, partial: str | None = None) -> WireService:
    """A page of documents; with `partial`, the 206 of a ranking that gave up for that reason."""
    if partial is None:
        return answering({"value": documents})
    return answering({"@search.semanticPartialResponseReason": partial, "value": documents}, status=206)


def failing(
    status: int,
    message: str = "It does not work today.",
    *,
    retry_after: float | str | None = None,
    code: str = "Scripted",
    detail: str | None = None,
) -> WireService:
    """Azure's error envelope with that status; `detail` is the code of a detail of it."""
    headers = {} if retry_after is None else {"retry_after": str(retry_after)}
    details = {} if detail is None else {"details": [{"code": detail, "message": message}]}
    return answering({"error": {"code": code, "message": message, **details}}, status=status, **headers)


def replying(text: str | None, *, usage: tuple[int, int] = (100, 20)) -> WireService:
    """A chat completion whose message is `text`. `usage` counts prompt and completion tokens."""
    return answering(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_750_000_000,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
        }
    )


def queries(*texts: str) -> WireService:
    """A chat completion that plans these queries."""
    return replying(json.dumps({"queries": texts}))


def definition(*, vectorizable: Sequence[str] = ()) -> WireService:
    """An index definition: key `id`, a semantic configuration over `title` and `content`, vector fields if named."""
    fields: list[dict[str, object]] = [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "title", "type": "Edm.String"},
        {"name": "content", "type": "Edm.String"},
        {"name": "embedding", "type": "Collection(Edm.Single)", "vectorSearchProfile": "without"},
    ]
    fields += [{"name": name, "type": "Collection(Edm.Single)", "vectorSearchProfile": "with"} for name in vectorizable]
    prioritized = {"titleField": {"fieldName": "title"}, "prioritizedContentFields": [{"fieldName": "content"}]}
    return answering(
        {
            "name": "atlas",
            "fields": fields,
            "semantic": {"configurations": [{"name": "usual", "prioritizedFields": prioritized}]},
            "vectorSearch": {"profiles": [{"name": "with", "vectorizer": "openai"}, {"name": "without"}]},
        }
    )


def by_search(scripts: Mapping[str, WireService], *, otherwise: WireService) -> WireService:
    """A script for each `search` text, and one for all other texts."""

    async def answer(request: WireRequest) -> WireResponse:
        return await scripts.get(json.loads(request.body)["search"], otherwise)(request)

    return answer


def by_index(scripts: Mapping[str, WireService], *, otherwise: WireService) -> WireService:
    """A script for each index, and one for all other indexes."""

    async def answer(request: WireRequest) -> WireResponse:
        name = unquote(request.target).partition("('")[2].partition("')")[0]
        return await scripts.get(name, otherwise)(request)

    return answer


def in_turn(*scripts: WireService) -> WireService:
    """The first request gets the first script, and so on; the last one stays."""
    waiting = list(scripts)

    async def answer(request: WireRequest) -> WireResponse:
        script = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return await script(request)

    return answer


def held(until: asyncio.Event | asyncio.Barrier, then: WireService) -> WireService:
    """Answers when the test sets the event, or when as many requests are open at once as the barrier counts."""

    async def answer(request: WireRequest) -> WireResponse:
        await until.wait()
        return await then(request)

    return answer


def delayed(seconds: float, then: WireService) -> WireService:
    """Takes its time. For benchmarks and pictures: a test holds instead."""

    async def answer(request: WireRequest) -> WireResponse:
        await asyncio.sleep(seconds)
        return await then(request)

    return answer


def stalling() -> WireService:
    """Never answers."""

    async def answer(request: WireRequest) -> WireResponse:
        await asyncio.Event().wait()
        raise ConnectionCut("scripted")

    return answer


def cutting() -> WireService:
    """Breaks the connection instead of an answer."""

    async def answer(request: WireRequest) -> WireResponse:
        raise ConnectionCut("scripted")

    return answer
