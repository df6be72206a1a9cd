"""The table of the calls: what every version, contract, error and stream is asked, and what the services behind say."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from retrieval.local.wire import WireService
from tests.answer.scripts import answered, by_step, planned, reading, routed, selected, written
from tests.conftest import ask
from tests.contracts.azure.test_goldens import CAPTURED
from tests.contracts.azure.versions import BASES, CONVERSING, LATEST, ROUTES, asked, golden
from tests.http.test_definitions import OF_STUDIO, SOURCES, WHOLE, WHOLE_SOURCES, defined, source
from tests.http.test_kinds import DOCUMENT, FIELD, HAVE, PLACE, definition, whole
from tests.mcp_messages import ACCEPT, calling, modern, request
from tests.recorder.recording import KEY, Call, Scene
from tests.scenarios.mcp_servers.conftest import VERSIONS as OF_MCP_SERVERS
from tests.scripted_azure import answering, by_search, cutting, document, failing, found, replying, stalling, streaming
from tests.scripted_azure.streams import cut, ending, pieces

QUESTION: Final = "Which country is the builder of the Rhine Bridge from?"
EVENTS: Final = {"accept": "text/event-stream"}
TEXT: Final = "The old road follows the river [c1].\n- Barges carried the grain [c2]."
ROAD: Final = document("road", 3.1, title="Roads", content="The old road follows the river. Barges carry grain.")
BRIDGE: Final = document("bridge", 3.5, title="Rhine Bridge", content="Ada Lovelace built the Rhine Bridge in 1950.")
ADA: Final = document("ada", 2.2, title="Ada Lovelace", content="Ada Lovelace was an engineer from England.")
LOW: Final = document("low", 0.2, title="Lamps", content="A lamp is lit.")
FOUND: Final = found(ROAD, BRIDGE, LOW)
PLAN: Final = planned("Rhine Bridge builder", "Rhine Bridge", next="The country of that builder")
MORE: Final = selected("c1", sufficient=False, more=({"query": "Ada Lovelace country", "guessed": True},))
SYNTHESIS: Final = answered("The bridge is old [c1].", "c1")
OF_MCP: Final = {"serverURL": "<services>/mcp", "tools": [{"name": "search"}]}

KINDS: Final = {**HAVE, "modelStudioBase": SOURCES, "mcpServer": OF_MCP_SERVERS}


def scenes() -> Iterator[Scene]:
    for version in ROUTES:
        yield from _of_version(version)
        yield _definitions(version)
    for kind, versions in KINDS.items():
        yield from (_source(kind, version) for version in versions)
    yield from _answers()
    yield from _tools()
    yield from _studio()
    yield from _beside()


def _steps(**scripts: WireService) -> WireService:
    """A model that does every step well, but for those that are given."""
    usual = {"route": routed(), "plan": PLAN, "judge": MORE, "answer": SYNTHESIS, "again": SYNTHESIS}
    return by_step({**usual, **scripts})


def _search() -> WireService:
    return by_search({"Ada Lovelace country": found(ADA)}, otherwise=FOUND)


def _of_version(version: str) -> Iterator[Scene]:
    """A retrieve of the version, with what it may ask for, in each way that it may go."""

    def retrieve(name: str, body: object, *, agent: str = "planner", **more: Any) -> Call:
        path = f"/{ROUTES[version]}('{agent}')/retrieve?api-version={version}"
        return Call(name=name, target=path, body=body, key=KEY, **more)

    def scene(name: str, *calls: Call, search: WireService | None = None, chat: WireService | None = None) -> Scene:
        return Scene(name=f"{version}/{name}", calls=calls, search=search or _search(), chat=chat or _steps())

    talk = ask(QUESTION) if version in CONVERSING or version not in BASES else asked(version)
    efforts = ("minimal", "low", "medium", "auto")[: 4 if version in LATEST else 3] if version in CONVERSING else ()
    yield scene("plain", retrieve("rules", talk, agent="plain"), retrieve("model", talk))
    yield scene(
        "events", retrieve("model", talk, headers=EVENTS), retrieve("rules", talk, agent="plain", headers=EVENTS)
    )
    if version in CAPTURED:
        yield scene("captured", retrieve("client", CAPTURED[version].replace(b'"ks"', b'"atlas"'), agent="plain"))
    for effort in efforts:
        words = asked(version) if effort == "minimal" else talk
        yield scene(f"effort-{effort}", retrieve("call", {**words, "retrievalReasoningEffort": {"kind": effort}}))
    if efforts:
        written = {**talk, "outputMode": "answerSynthesis", "includeActivity": True}
        yield scene("synthesis", retrieve("call", written), retrieve("events", written, headers=EVENTS))
    yield scene(
        "refused",
        retrieve("unknown-member", {**talk, "colour": 1}),
        retrieve("no-json", b"{"),
        retrieve("empty", {}),
        retrieve("wrong-type", {"messages": 7}),
        retrieve("no-agent", talk, agent="nobody"),
    )
    one_fails = by_search({"Rhine Bridge": failing(503)}, otherwise=FOUND)
    yield scene("one-search-fails", retrieve("call", talk), search=one_fails)
    yield scene("searches-fail", retrieve("call", talk), search=failing(503, retry_after=2))
    yield scene("forbidden", retrieve("call", talk), search=failing(403))
    yield scene("partial", retrieve("call", talk), search=found(ROAD, BRIDGE, partial="capacityOverloaded"))
    yield scene("no-plan", retrieve("call", talk), chat=failing(429, retry_after=90))


def _definitions(version: str) -> Scene:
    """The definitions of a version: made, read, listed, replaced, used and deleted."""

    def about(name: str, path: str, body: object = b"", method: str = "GET", **headers: str) -> Call:
        target = f"/{path}?api-version={version}"
        return Call(
            name=name, target=target, body=body, method=method, headers={"prefer": "return=representation", **headers}
        )

    kind = ROUTES[version]
    own, whole = f"{kind}('mine')", golden(WHOLE, version)
    of_sources = (
        about(
            "source-put",
            "knowledgesources('roads')",
            golden(WHOLE_SOURCES, version) if version in SOURCES else None,
            "PUT",
        ),
        about("source-get", "knowledgesources('roads')"),
        about("source-list", "knowledgesources"),
        about("source-status", "knowledgesources('roads')/status"),
        about("source-refused", "knowledgesources", {**source("x"), "kind": "web"}, "POST"),
    )
    calls = (
        about("post", kind, defined(version), "POST"),
        about("post-again", kind, defined(version), "POST"),
        about("put", own, whole, "PUT"),
        about("get", own),
        about("list", kind),
        about("changed", own, whole, "PUT", **{"if-match": '"0x1"'}),
        about("refused", own, {**whole, "colour": 1}, "PUT"),
        Call(name="not-allowed", target=f"/{own}?api-version={version}", method="DELETE", key=KEY),
        about("delete", own, method="DELETE"),
        about("gone", own),
    )
    last = (about("source-delete", "knowledgesources('roads')", method="DELETE"),)
    return Scene(name=f"{version}/definitions", calls=(*of_sources, *calls, *last) if version in SOURCES else calls)


def _source(kind: str, version: str) -> Scene:
    """A source of a kind, a base over it, its records and references, and what the oldest version shows of it."""
    origin, query = FIELD.get(kind, "doc_url"), f"?api-version={version}"
    own = {"modelStudioBase": OF_STUDIO, "mcpServer": {"kind": kind, "mcpServerParameters": OF_MCP}}
    body = {**(own[kind] if kind in own else whole(kind, version)), "name": "docs"}
    body.pop("resultsProcessing", None)
    base = {"name": "mine", "models": [], "knowledgeSources": [{"name": "docs"}]}
    talk = ask("lit roads") if version in CONVERSING or version not in BASES else asked(version)
    params = {"knowledgeSourceParams": [{"knowledgeSourceName": "docs", "kind": kind}]}
    return Scene(
        name=f"{version}/kind-{kind}",
        calls=(
            Call(name="source", target=f"/knowledgesources{query}", body=body),
            Call(name="base", target=f"/{ROUTES[version]}{query}", body=base),
            Call(name="retrieve", target=f"/{ROUTES[version]}('mine')/retrieve{query}", body={**talk, **params}),
            Call(name="oldest", target=f"/knowledgesources('docs')?api-version={SOURCES[0]}", method="GET"),
        ),
        search=found({**DOCUMENT, origin: PLACE.get(kind, "https://a.example.com/roads.pdf")}),
        index=answering(definition(origin)),
        settings={"LOCAL": "1"},
    )


def _answers() -> Iterator[Scene]:
    """The answer operation: its route, rounds, events, details, failures and refusals."""

    def answer(name: str, text: str = "Roads", *, agent: str = "planner", query: str = "", **more: Any) -> Call:
        headers = more.pop("headers", {})
        target = f"/agents/{agent}/answer{query}"
        return Call(name=name, target=target, body={**ask(text), **more}, key=KEY, headers=headers)

    def scene(name: str, *calls: Call, search: WireService | None = None, chat: WireService | None = None) -> Scene:
        return Scene(
            name=f"answer/{name}", calls=calls, search=search or _search(), chat=chat or _steps(answer=written(TEXT))
        )

    parts = [part for piece in pieces(reading(TEXT, "c1", "c2"), 40) for part in (piece, partial(asyncio.sleep, 2**-5))]
    again = reading("It is old [c1].", "c1", sufficient=False, more=("the toll", "Ada Lovelace country"))
    yield scene(
        "whole",
        answer("call"),
        answer("workflow", query="?detail=workflow"),
        answer("explained", query="?detail=explained"),
    )
    yield scene(
        "greeting", answer("call", "Hello!"), answer("german", "Guten Tag!"), answer("events", "Hi", headers=EVENTS)
    )
    yield scene("turned-away", answer("call"), chat=_steps(route=routed(False, message="That is not for me.")))
    yield scene("rules", answer("call", QUESTION, agent="plain"), answer("events", agent="plain", headers=EVENTS))
    yield scene("german", answer("call", "Welche Straßen folgen dem Fluss?", agent="plain"))
    yield scene("streamed", answer("call", headers=EVENTS), chat=_steps(answer=streaming(*parts, ending())))
    yield scene("cut", answer("call", headers=EVENTS), chat=_steps(answer=streaming(*parts[:8], cut)))
    yield scene("second-round", answer("call"), chat=_steps(answer=replying(again)))
    yield scene("second-round-events", answer("call", headers=EVENTS), chat=_steps(answer=replying(again)))
    yield scene("no-route", answer("call"), chat=_steps(route=failing(500)))
    yield scene("no-plan", answer("call"), chat=_steps(plan=replying("no JSON")))
    yield scene("no-writer", answer("call"), chat=_steps(answer=failing(500)))
    yield scene("writer-hangs", answer("call", limits={"maxRuntimeInSeconds": 10}), chat=_steps(answer=stalling()))
    yield scene("no-search", answer("call"), answer("events", headers=EVENTS), search=failing(503))
    yield scene("connection-cut", answer("call"), search=cutting())
    yield scene("nothing-found", answer("call"), answer("rules", agent="plain"), search=found())
    yield scene(
        "refused", answer("limit", limits={"maxChunks": 99}), answer("unknown", colour=1), answer("no-agent", agent="x")
    )


def _tools() -> Iterator[Scene]:
    """MCP, at an agent and at a base."""

    def speak(name: str, message: object, path: str = "/agents/planner/mcp", **headers: str) -> Call:
        sent = {"accept": ACCEPT, **headers}
        return Call(name=name, target=path, body=message, key=KEY, headers=sent)

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    retrieve = calling("knowledge_base_retrieve", {"queries": ["Rhine Bridge"], "includeReferenceSourceData": True})
    used = {
        "retrieve": retrieve,
        "conversation": calling("knowledge_base_retrieve", {"messages": [{"role": "user", "content": QUESTION}]}),
        "rag-retrieve": calling("rag_retrieve", {"query": "Rhine Bridge", "goal": "Its age"}),
        "answer": calling("answer", {"question": QUESTION}),
        "unknown-tool": calling("dance", {}),
        "wrong-arguments": calling("rag_retrieve", {"colour": 1}),
    }
    told = {
        "initialize": request("initialize", hello),
        "ping": request("ping"),
        "list": request("tools/list"),
        "initialized": {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "unknown-method": request("tools/dance"),
        "no-json": b"{",
        "no-message": {"id": 1},
    }
    newer, headers = modern(retrieve)
    base = "/knowledgebases/planner/mcp?api-version=2026-08-01-preview"
    calls = [speak(name, message) for name, message in {**told, **used}.items()]
    calls += [speak(f"base-{name}", message, base) for name, message in {"list": told["list"], **used}.items()]
    calls += [speak("modern", newer, **headers), speak("no-accept", retrieve, accept="text/html")]
    calls += [
        Call(name=f"{method.lower()}", target="/agents/planner/mcp", method=method) for method in ("GET", "DELETE")
    ]
    yield Scene(name="mcp", calls=tuple(calls), search=_search(), chat=_steps())
    yield Scene(
        name="mcp-fails", calls=(speak("retrieve", retrieve), speak("answer", used["answer"])), search=failing(503)
    )


def _studio() -> Iterator[Scene]:
    """Retrieve of Model Studio, and one of its bases beside an index."""

    def retrieve(name: str, **parameters: str) -> Call:
        query = urlencode({"IndexId": "kb", "Query": "Roads", **parameters})
        return Call(name=name, target=f"/llm-x/index/retrieve?{query}", key=KEY)

    history = json.dumps(
        [{"role": "user", "content": "Tell me of the Rhine."}, {"role": "assistant", "content": "A river."}]
    )
    calls = (
        retrieve("usual"),
        retrieve("few", RerankTopN="1", EnableReranking="true"),
        retrieve("rewritten", Query="How old is it?", EnableRewrite="true", QueryHistory=history),
        retrieve("unknown-index", IndexId="none"),
        retrieve("refused", DenseSimilarityTopK="x"),
        Call(name="no-credential", target="/llm-x/index/retrieve?IndexId=kb&Query=Roads", key=None),
    )
    yield Scene(name="model-studio", calls=calls, search=_search(), chat=_steps())
    yield Scene(name="model-studio-fails", calls=(retrieve("call"),), search=failing(503), chat=_steps())
    both = Call(name="both", target="/agents('both')/retrieve?api-version=2025-05-01-preview", body=ask(QUESTION))
    yield Scene(name="two-sources", calls=(both,), search=_search())


def _beside() -> Iterator[Scene]:
    """What every deployment has, the sample on a developer's machine, and a chat server in the place of Azure's."""
    path = "/agents('planner')/retrieve?api-version=2025-05-01-preview"

    def get(name: str, target: str, **more: Any) -> Call:
        return Call(name=name, target=target, method=more.pop("method", "GET"), **more)

    yield Scene(
        name="operations",
        calls=(
            *(get(name, f"/{name}") for name in ("health", "ready", "doctor", "openapi.json", "playground")),
            get("doctor-not-allowed", "/doctor", key=KEY),
            get("sign-in", "/.well-known/oauth-protected-resource/agents/planner/mcp"),
            Call(name="no-key", target=path, body=ask("Roads"), key=None),
            Call(name="wrong-key", target=path, body=ask("Roads"), key="wrong"),
            Call(name="no-version", target="/agents('planner')/retrieve", body=ask("Roads")),
            Call(name="old-version", target=path.replace("2025", "2024"), body=ask("Roads")),
            Call(name="later-version", target="/knowledgebases?api-version=2027-01-01", method="GET"),
            Call(name="no-route", target="/nowhere", key=None),
            get("wrong-method", path, method="PATCH"),
            Call(name="too-large", target=path, body=b" " * 2_000_000),
        ),
    )
    yield Scene(name="doctor", calls=(get("faults", "/doctor"),), search=failing(403), chat=failing(404))
    yield Scene(
        name="sample",
        calls=(
            Call(name="retrieve", target=path.replace("planner", "earth-at-night"), body=ask("Phoenix")),
            Call(name="answer", target="/agents/earth-at-night/answer", body=ask("Why is Phoenix so visible?")),
            get("bases", "/knowledgebases?api-version=2026-10-01"),
            get("doctor", "/doctor"),
        ),
        settings={"LOCAL": "1", "AZURE_SEARCH_ENDPOINT": "", "AGENTS_FILE": "", "WORKSPACES": ""},
    )
    yield Scene(
        name="chat-server",
        calls=(
            Call(name="retrieve", target=path.replace("planner", "plain"), body=ask(QUESTION)),
            Call(name="answer", target="/agents/plain/answer", body=ask("Roads")),
            Call(name="events", target="/agents/plain/answer", body=ask("Roads"), headers=EVENTS),
            get("doctor", "/doctor"),
        ),
        search=_search(),
        reply=_reply,
        settings={"LOCAL": "1", "CHAT_URL": "<services>/v1", "CHAT_MODEL": "qwen2.5:3b"},
    )


def _reply(body: Mapping[str, Any]) -> str:
    """The text of the chat server: a good reply to each step."""
    name = body["response_format"]["json_schema"]["name"].partition("-")[0]
    replies: dict[str, object] = {
        "route": {"should_run_rag": True, "route": "run_rag", "assistant_message": ""},
        "plan": {"queries": ["roads"], "retrieval_goals": ["Find roads."], "filter": "", "next": ""},
        "select": {"selected": ["c1"], "is_sufficient": True, "follow_ups": []},
    }
    return json.dumps(replies[name]) if name in replies else reading("The old road follows the river [c1].", "c1")
