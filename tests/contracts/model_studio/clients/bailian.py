"""Drives Alibaba's unmodified SDK for Python and prints what it saw, as one JSON object.

Runs in an environment of its own that has alibabacloud_bailian20231229: `bailian.py calls ENDPOINT` calls this
service's Retrieve, `bailian.py answers` reads scripted answers from standard input and says what becomes of each.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from alibabacloud_bailian20231229 import models
from alibabacloud_bailian20231229.client import Client
from alibabacloud_tea_openapi.utils_models import Config

Parameters = dict[str, Any]

QUESTION = "Phoenix street grid"
BASE: Parameters = {"index_id": "earth-at-night", "query": QUESTION}
HISTORY = [("user", "What lights up the Nile delta?"), ("assistant", "Its towns do.")]
FILTERS: list[Any] = [
    {
        "_operator": "OR",
        "_conditions": [
            {"page_number": ["104", "105"]},
            {"page_number": '{"like": "10_"}', "_conditions": [{"page_number": {"neq": "106"}}]},
        ],
    },
    {"page_number": {"neq": "103"}},
]
CALLS: dict[str, Parameters] = {
    "plain": BASE,
    "rich": {
        **BASE,
        "dense_similarity_top_k": 50,
        "sparse_similarity_top_k": 60,
        "enable_reranking": True,
        "rerank": [models.RetrieveRequestRerank(model_name="gte-rerank-hybrid")],
        "rerank_min_score": 0.05,
        "rerank_top_n": 2,
        "save_retriever_history": False,
        "search_filters": [{"page_number": '["104","105"]'}],
    },
    "nested": {**BASE, "rerank_top_n": 20, "search_filters": FILTERS},
    "nothing": {**BASE, "search_filters": [{"page_number": "104"}, {"page_number": "105"}]},
    "unranked": {**BASE, "enable_reranking": False, "rerank_top_n": 3},
    "hostile": {**BASE, "query": 'What is 百炼 & "RAG" ~a*b+c d/e? %25 \u2028 😀'},
    "rewritten": {
        "index_id": "earth-at-night",
        "query": "And what about it at night?",
        "enable_rewrite": True,
        "rewrite": [models.RetrieveRequestRewrite(model_name="conv-rewrite-qwen-1.8b")],
        "query_history": HISTORY,
    },
}
FAILURES: dict[str, tuple[str, str, Parameters]] = {
    "wrong secret": ("wrong", "llm-local", BASE),
    "unknown key": ("unknown", "llm-local", BASE),
    "wrong token": ("wrong token", "llm-local", BASE),
    "unknown workspace": ("usual", "llm-other", BASE),
    "odd workspace": ("usual", "no such/workspace é", BASE),
    "unknown index": ("usual", "llm-local", {**BASE, "index_id": "nothing"}),
    "empty query": ("usual", "llm-local", {**BASE, "query": ""}),
    "nothing to search by": (
        "usual",
        "llm-local",
        {**BASE, "dense_similarity_top_k": 0, "sparse_similarity_top_k": 0},
    ),
    "unknown field": ("usual", "llm-local", {**BASE, "search_filters": [{"姓名": "张三"}]}),
    "too many": ("usual", "llm-local", {**BASE, "rerank_top_n": 21}),
}
CREDENTIALS = {
    "usual": {"access_key_id": "local-ak", "access_key_secret": "local-secret"},
    "wrong": {"access_key_id": "local-ak", "access_key_secret": "guess"},
    "unknown": {"access_key_id": "nobody", "access_key_secret": "local-secret"},
    "token": {"bearer_token": "local-dev-key"},
    "wrong token": {"bearer_token": "guess"},
}


def client(endpoint: str, credential: str) -> Client:
    return Client(Config(endpoint=endpoint, protocol="http", **CREDENTIALS[credential]))


def request(parameters: Parameters) -> models.RetrieveRequest:
    """Without the history where this version of the SDK has none."""
    made = dict(parameters)
    turns, turn = made.pop("query_history", ()), getattr(models, "RetrieveRequestQueryHistory", None)
    if turns and turn is not None:
        made["query_history"] = [turn(role=role, content=content) for role, content in turns]
    return models.RetrieveRequest(**made)


def facts(response: Any) -> dict[str, Any]:
    body = response.body
    if body is None:
        return {"body": None}
    nodes = body.data.nodes if body.data is not None else None
    return {
        "status_code": response.status_code,
        "code": body.code,
        "message": body.message,
        "status": body.status,
        "success": body.success,
        "request_id": body.request_id,
        "data": body.data is not None,
        "nodes": None if nodes is None else [[node.text, node.score, node.metadata] for node in nodes],
    }


def failure(error: Exception) -> dict[str, Any]:
    data = getattr(error, "data", None) or {}
    return {
        "class": type(error).__name__,
        "code": getattr(error, "code", None),
        "status": getattr(error, "status_code", None) or getattr(error, "statusCode", None),
        "message": getattr(error, "message", None) or str(error),
        "request_id": getattr(error, "request_id", None) or data.get("RequestId") or data.get("requestId"),
        "retry_after": getattr(error, "retry_after", None),
    }


Retrieve = Callable[[Client, str, Parameters], Awaitable[Any]]


async def sync_retrieve(client: Client, workspace: str, parameters: Parameters) -> Any:
    return client.retrieve(workspace, request(parameters))


async def async_retrieve(client: Client, workspace: str, parameters: Parameters) -> Any:
    return await client.retrieve_async(workspace, request(parameters))


async def calls(endpoint: str, retrieve: Retrieve) -> dict[str, Any]:
    usual = client(endpoint, "usual")
    seen = {name: facts(await retrieve(usual, "llm-local", parameters)) for name, parameters in CALLS.items()}
    seen["token"] = facts(await retrieve(client(endpoint, "token"), "llm-local", BASE))
    failures = {}
    for name, (credential, workspace, parameters) in FAILURES.items():
        try:
            await retrieve(client(endpoint, credential), workspace, parameters)
        except Exception as error:
            failures[name] = failure(error)
    return {**seen, "failures": failures}


@contextmanager
def answering(answer: dict[str, Any]) -> Iterator[str]:
    """A server that gives every call the same answer: `status`, `headers`, `body`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            content = answer["body"].encode()
            self.send_response(answer["status"])
            for name, value in {"Content-Type": "application/json", **answer.get("headers", {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def answers(scripted: dict[str, Any], retrieve: Retrieve) -> dict[str, Any]:
    seen = {}
    for name, answer in scripted.items():
        with answering(answer) as endpoint:
            try:
                seen[name] = facts(await retrieve(client(endpoint, "usual"), "llm-local", BASE))
            except Exception as error:
                seen[name] = failure(error)
    return seen


async def main(what: str, *arguments: str) -> dict[str, Any]:
    ways = {"sync": sync_retrieve, "async": async_retrieve}
    if what == "calls":
        return {name: await calls(arguments[0], retrieve) for name, retrieve in ways.items()}
    scripted = json.load(sys.stdin)
    return {name: await answers(scripted, retrieve) for name, retrieve in ways.items()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
