"""What each own piece below azure-core and `openai` saves of the CPU of a retrieve or of a streamed reply.

A piece is switched off by the packages' own in its place, in turns with the whole, in the reverse order in every other
round, in one process: `python -m tests.benchmarks.pieces [ROUNDS [PIECE…]]`. "%" is the median of the rounds: what a
call takes more without the piece. A piece that keeps no promise pays with 5 % of a retrieve, or with 20 % of a streamed
reply, at no more than ten lines a per cent.
"""

import ast
import asyncio
import gc
import inspect
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from textwrap import dedent
from time import process_time
from typing import Any, Final

from aiohttp import ClientSession
from azure.core.pipeline.policies import AsyncRetryPolicy, AzureKeyCredentialPolicy, SansIOHTTPPolicy
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import HttpRequest
from azure.search.documents.aio import SearchClient
from openai import DefaultAioHttpClient

from retrieval.model.conversation import Prompt
from retrieval.model.definitions import IndexFields, ModelDeployment
from retrieval.model.search import Hit, Page, SearchTarget, Subquery
from retrieval.models import chat_completions, over_aiohttp
from retrieval.models.chat_completions import AzureOpenAIModel
from retrieval.outgoing.bodies import whole
from retrieval.outgoing.connections import network
from retrieval.sources.search_index import index, query
from retrieval.sources.search_index.over_aiohttp import MOST_BYTES, SearchResponse, SearchTransport
from retrieval.sources.search_index.query import date_fields, facet_fields, selected_fields
from retrieval.writing import answer_blocks
from tests.benchmarks.by_hand import KEY, SEARCH
from tests.benchmarks.served import composed, ours
from tests.benchmarks.streamed_answer.upstream import UPSTREAM
from tests.benchmarks.upstream import upstream

ROUNDS: Final = 32
CALLS: Final = 6
WARM_UP: Final = 6
REPLIES: Final = 16
SCHEMA: Final = {"type": "object"}

Call = Callable[[], Awaitable[object]]
Pairs = Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`off` are names of a module with what takes their place. `code` is the piece. It is measured beside the whole, or
    beside another piece that is off, since the packages' own need it."""

    name: str
    code: Sequence[Any]
    off: Sequence[tuple[object, str, object]]
    beside: str = ""


bare_transport: Final = partial(network, read_seconds=index.READ_SECONDS)


class TheirTransport(AsyncHttpTransport[HttpRequest, SearchResponse]):
    """azure-core's transport, whose answer is read as a stream within the bound."""

    def __init__(self) -> None:
        self._theirs = bare_transport()

    async def send(self, request: HttpRequest, **options: Any) -> SearchResponse:
        response = await self._theirs.send(request, **{**options, "stream": True})
        encoding = response.headers.get("content-encoding")
        return SearchResponse(
            request=request,
            status_code=response.status_code,
            reason=response.reason,
            headers=response.headers,
            content=await whole(response.iter_raw(), encoding=encoding, most=MOST_BYTES, service="Search"),
        )

    async def open(self) -> None:
        await self._theirs.open()

    async def close(self) -> None:
        await self._theirs.close()

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def with_policies(*policies: Any) -> Callable[..., SearchClient]:
    """A client with these policies; each is a function of the credential."""

    def make(endpoint: str, credential: Any, transport: Any, *, audience: str | None = None) -> SearchClient:
        made = [policy(credential) for policy in policies]
        return SearchClient(endpoint, "-", credential, transport=transport, **({"policies": made} if made else {}))

    return make


def key(credential: Any) -> SansIOHTTPPolicy[Any, Any]:
    return AzureKeyCredentialPolicy(credential, "api-key")


async def typed_page(self: Any, subquery: Subquery, fields: IndexFields) -> Page:
    """A page by the SDK's own `search`, over its own transport."""
    endpoint, credential = self._endpoint, self._credential
    if "typed" not in self._urls:
        policies = [key(credential), index.Retry()]
        self._urls["typed"] = SearchClient(endpoint, "atlas", credential, transport=bare_transport(), policies=policies)
    results = await self._urls["typed"].search(search_text=subquery.search, **SEARCH)
    documents: Any = [dict(result) async for result in results]
    for document in documents:
        document["@search.rerankerScore"] = document.pop("@search.reranker_score", None)
        for name in [name for name in document if name.startswith("@") and name != "@search.rerankerScore"]:
            del document[name]
    return Page(hits=tuple(query._hits(documents, fields, subquery.target)), size=1, roles=fields)


def plain_hits(documents: Sequence[query.Document], fields: IndexFields, target: SearchTarget) -> list[Hit]:
    """Each hit by the constructor of its class, with a function for each part."""
    names = selected_fields(fields, target)
    dates = date_fields(fields, target)
    hits = []
    for document in documents:
        key, score = document.get(fields.key), document.get("@search.rerankerScore")
        if not isinstance(key, str) or not (score is None or isinstance(score, int | float)):
            continue
        first = document.get("@search.score")
        hits.append(
            Hit(
                key=key,
                score=score,
                search_score=first if isinstance(first, int | float) else 0.0,
                title=query._text(document, fields.titles, between=" "),
                terms=query._text(document, fields.terms, between=", "),
                content=query._text(document, fields.content, between="\n"),
                source=query._copy(document, names=names),
                label=query._label(document, fields.labels) if fields.labels else None,
                date=query._date(document, dates[0]) if dates else None,
                facets=query._facets(document, facet_fields(fields, target)),
            )
        )
    return hits


def options_anew(self: Any, headers: Mapping[str, str]) -> Any:
    return {"headers": {**headers, "api-key": KEY}, "max_retries": 0, "timeout": chat_completions.CALL_SECONDS}


class TheirClient(DefaultAioHttpClient):
    """The client of `openai` over aiohttp."""

    def __init__(self, session: ClientSession, *, seconds: float, patient: bool = False) -> None:
        super().__init__(trust_env=False, timeout=seconds, follow_redirects=False)
        self._unused = session

    async def aclose(self) -> None:
        await self._unused.close()
        await super().aclose()


class TheirSending(TheirClient):
    """The same, for requests that are made as ours are."""

    build_request = over_aiohttp.OpenAIClient.build_request


THEIR_TRANSPORT: Final = (index, "_network", TheirTransport)
RETRIEVE: Final = (
    Piece(name="search transport", code=[SearchTransport, SearchResponse], off=[THEIR_TRANSPORT]),
    Piece(
        name="openai sending",
        code=[over_aiohttp.OpenAIClient.send, over_aiohttp.OpenAIClient._answer],
        off=[(over_aiohttp, "OpenAIClient", TheirSending)],
    ),
    Piece(
        name="openai request",
        code=[over_aiohttp.OpenAIClient.build_request],
        off=[(over_aiohttp, "OpenAIClient", TheirClient)],
        beside="openai sending",
    ),
    Piece(
        name="plain bodies",
        code=[index.AzureSearchIndex._search, query._read],
        off=[(index.AzureSearchIndex, "_page", typed_page)],
        beside="search transport",
    ),
    Piece(name="one loop over hits", code=[query._hits], off=[(query, "_hits", plain_hits)]),
    Piece(
        name="options made once",
        code=[AzureOpenAIModel._options],
        off=[(AzureOpenAIModel, "_options", options_anew)],
    ),
    Piece(
        name="short policies",
        code=[index.client, index.stamp],
        off=[(index, "_network", bare_transport), (index, "client", with_policies())],
        beside="search transport",
    ),
    Piece(
        name="own retry",
        code=[index.Retry],
        off=[(index, "client", with_policies(key, lambda _: AsyncRetryPolicy(retry_total=2)))],
    ),
)
STREAM: Final = (
    Piece(
        name="gathering",
        code=[over_aiohttp._gathered],
        off=[(over_aiohttp, "_gathered", lambda content: content.iter_any())],
    ),
    Piece(
        name="openai sending",
        code=[over_aiohttp.OpenAIClient.send, over_aiohttp.OpenAIClient._answer],
        off=[(over_aiohttp, "OpenAIClient", TheirSending)],
    ),
)


@contextmanager
def without(piece: Piece | None) -> Iterator[None]:
    """The packages' own in the place of the piece."""
    off = () if piece is None else piece.off
    kept = [(of, name, inspect.getattr_static(of, name)) for of, name, _ in off]
    for of, name, other in off:
        setattr(of, name, other)
    try:
        yield
    finally:
        for of, name, own in kept:
            setattr(of, name, own)


def lines(code: Sequence[Any]) -> int:
    """Lines without blanks, comments and texts that stand alone."""
    total = 0
    for part in code:
        text = dedent(inspect.getsource(part))
        alone = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        kept = [line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in alone]
        total += sum(bool(line) and not line.startswith("#") for line in kept)
    return total


@asynccontextmanager
async def retrieving(address: str) -> AsyncIterator[Call]:
    async with composed(address) as service:
        yield partial(ours, service)


@asynccontextmanager
async def replying(address: str) -> AsyncIterator[Call]:
    """Replies of a model that writes 60 tokens a second, some at once."""

    async def token() -> str:
        return KEY

    model = AzureOpenAIModel(ModelDeployment(endpoint=address, deployment="planner", api_key=KEY), token=token)
    prompt = Prompt(name=answer_blocks.PROMPT, instructions="Answer.", data="{}", schema=SCHEMA)

    async def call() -> None:
        await asyncio.gather(*(model.complete(prompt, hear=lambda _: None) for _ in range(REPLIES)))

    yield call
    await model.close()


async def milliseconds(call: Call, piece: Piece | None, *, calls: int) -> float:
    gc.collect()
    with without(piece):
        start = process_time()
        for _ in range(calls):
            await call()
        return (process_time() - start) * 1000 / calls


async def measured(
    pieces: Sequence[Piece], making: Callable[[], AbstractAsyncContextManager[Call]], *, rounds: int, calls: int
) -> Pairs:
    """Of each piece the CPU of a call beside it and without it, in rounds."""
    named: dict[str, Piece | None] = {"": None, **{piece.name: piece for piece in pieces}}
    async with AsyncExitStack() as stack:
        made: dict[str, Call] = {}
        for name, piece in named.items():
            with without(piece):
                made[name] = await stack.enter_async_context(making())
                for _ in range(WARM_UP if calls > 1 else 1):
                    await made[name]()
        found: dict[str, list[tuple[float, float]]] = {piece.name: [] for piece in pieces}
        for number in range(rounds):
            for piece in pieces:
                pair = (piece.beside, piece.name)
                took = [
                    await milliseconds(made[name], named[name], calls=calls) for name in pair[:: 1 - 2 * (number % 2)]
                ]
                beside, off = took[:: 1 - 2 * (number % 2)]
                found[piece.name].append((beside, off))
    return found


def show(
    title: str, pieces: Sequence[Piece], found: Mapping[str, Sequence[tuple[float, float]]], *, calls: int
) -> None:
    whole_ms = median(beside for piece in pieces if not piece.beside for beside, _ in found[piece.name])
    print(f"{title}: {whole_ms / calls:.2f} ms")
    for piece in pieces:
        per_cent = 100 * median(off - beside for beside, off in found[piece.name]) / whole_ms
        count = lines(piece.code)
        each = f"{count / per_cent:6.1f}" if per_cent >= 0.5 else "     –"
        print(f"  {piece.name:<20}{per_cent:6.1f} %{count:5} lines{each} lines a per cent", flush=True)


async def main(rounds: int, names: Sequence[str]) -> None:
    retrieve, stream = (
        [piece for piece in pieces if not names or any(piece.name in (one, "search transport") for one in names)]
        for pieces in (RETRIEVE, STREAM)
    )
    with upstream("cpu") as address:
        found = await measured(retrieve, lambda: retrieving(address), rounds=rounds, calls=CALLS)
    show("CPU of a retrieve, five sub-queries", retrieve, found, calls=1)
    with upstream("paced", module=UPSTREAM) as address:
        found = await measured(stream, lambda: replying(address), rounds=max(2, rounds // 4), calls=1)
    show("CPU of a streamed reply", stream, found, calls=REPLIES)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS, sys.argv[2:]))
