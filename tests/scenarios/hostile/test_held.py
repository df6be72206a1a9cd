"""No request holds the event loop for more than 50 ms, whatever is sent on any route and whatever comes from behind.

What is measured is processor time: what passes between two turns of the loop, and all that a request takes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Final
from urllib.parse import quote

import pytest

from retrieval.compose.rooms import TABLE
from retrieval.filters.odata import writer
from tests.rooms import NEEDS_MODEL_STUDIO
from tests.sampling import sample
from tests.scenarios.hostile.deployment import ADMIN, SOURCES, TRIES, Deployment, Held, Sent, deployed
from tests.scenarios.hostile.texts import (
    FILTERS,
    HEADERS,
    LARGEST,
    LONG,
    SEARCH_FILTERS,
    TEXTS,
    VALUES,
    contents,
    filled,
)
from tests.scenarios.hostile.upstream import ANSWERS, PARTS, documents, judgements, model
from tests.scripted_azure import failing, found, queries
from tests.scripted_azure.scripts import document
from tests.working import calls

LOOP: Final = 0.05
"""Seconds at once."""

PROCESS: Final = 1.5
"""Seconds together, the loop's and those of the threads beside it. Most requests take a hundredth of it."""

VERSION: Final = "api-version=2025-05-01-preview"
NEWEST: Final = "api-version=2026-08-01-preview"
DEFINED: Final = {"knowledgebases": "plain", "knowledgesources": "atlas"}
MCP: Final = {"accept": "application/json, text/event-stream"}
USUAL: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Where do Roads of Rome go?"}]}]}


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Every route was called before: what a first call loads is the matter of another test."""
    with pytest.MonkeyPatch.context() as patch, deployed(tmp_path_factory.mktemp("app"), patch.setenv) as deployment:
        usual(deployment)
        for sent in FIRST.values():
            deployment.held(sent)
        deployment.settle()
        yield deployment


def usual(deployment: Deployment) -> None:
    texts = [f"Roads follow rivers number {place}. They go to harbours." for place in range(50)]
    deployment.azure.search = found(*(document(f"k{n}", 3.0, title="T", content=text) for n, text in enumerate(texts)))
    deployment.azure.chat = failing(500)


def check(deployment: Deployment, sent: Sent, *statuses: int) -> Held:
    held = deployment.least(sent, loop=LOOP, process=PROCESS)
    assert held.response.status in (statuses or (200, 202, 400, 403, 404, 413)), held.response.body[:300]
    assert held.loop <= LOOP, f"{sent.target} held the loop for {held.loop * 1000:.0f} ms: {sent.body(0)[:80]!r}"
    assert held.process <= PROCESS, f"{sent.target} took {held.process * 1000:.0f} ms: {sent.body(0)[:80]!r}"
    return held


def always(target: str, body: bytes) -> Sent:
    """A call that is the same at every try."""
    return Sent(target=target, body=lambda number: body)


def as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def tool(arguments: object, name: str = "knowledge_base_retrieve") -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def agent(action: str, name: str = "plain") -> str:
    return f"/agents/{name}/{action}?{VERSION}"


def managing(noun: str) -> Iterator[tuple[str, Sent]]:
    """The routes of definitions of a kind, each with a call."""
    for method, path, name, body in (
        ("GET", noun, "", b""),
        ("POST", noun, "", b"{}"),
        *(
            (method, f"{noun}{form}", name, body)
            for form in ("/{name}", "('{name}')")
            for method, name, body in (
                ("GET", DEFINED[noun], b""),
                ("PUT", DEFINED[noun], b"{}"),
                ("DELETE", "none", b""),
            )
        ),
    ):
        target = f"/{path.format(name=name)}?{NEWEST}"
        yield f"{method} {path}", Sent(target=target, body=partial(_same, body), method=method, key=ADMIN)


def _same(body: bytes, number: int) -> bytes:
    return body


BASE: Final = f"/knowledgebases/plain/retrieve?{NEWEST}"
BASE_WITH_MODEL: Final = BASE.replace("plain", "planner")
MEDIUM: Final = {**USUAL, "retrievalReasoningEffort": {"kind": "medium"}}
BASE_OF_2026_04: Final = "/knowledgebases/plain/retrieve?api-version=2026-04-01"
WORKSPACE: Final = "/llm-x/index/retrieve"
FIRST: Final[Mapping[str, Sent]] = {
    "POST agents/{name}/retrieve": Sent(target=agent("retrieve"), body=lambda n: as_json(USUAL)),
    "POST agents('{name}')/retrieve": Sent(
        target=f"/agents('planner')/retrieve?{VERSION}",
        body=lambda n: as_json({**USUAL, "targetIndexParams": [{"filterAddOn": "a eq 1"}]}),
    ),
    "POST agents/{name}/answer": Sent(target=agent("answer", "planner"), body=lambda n: as_json(USUAL)),
    "POST agents/{name}/mcp": Sent(
        target=agent("mcp"), body=lambda n: as_json(tool({"queries": ["roads"]})), headers=MCP
    ),
    "GET agents/{name}/mcp": Sent(target=agent("mcp"), body=lambda n: b"", method="GET", headers=MCP),
    "DELETE agents/{name}/mcp": Sent(target=agent("mcp"), body=lambda n: b"", method="DELETE", headers=MCP),
    "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve": Sent(
        target=WORKSPACE,
        body=lambda n: as_json({"IndexId": "kb", "Query": "roads", "SearchFilters": [{"name": {"like": "a%"}}]}),
    ),
    "GET agents": Sent(target=f"/agents?{VERSION}", body=lambda n: b"", method="GET", key=ADMIN),
    "POST agents": Sent(target=f"/agents?{VERSION}", body=lambda n: b"{}", key=ADMIN),
    "GET agents/{name}": Sent(target=f"/agents/plain?{VERSION}", body=lambda n: b"", method="GET", key=ADMIN),
    "GET agents('{name}')": Sent(target=f"/agents('plain')?{VERSION}", body=lambda n: b"", method="GET", key=ADMIN),
    "PUT agents/{name}": Sent(target=f"/agents/plain?{VERSION}", body=lambda n: b"{}", method="PUT", key=ADMIN),
    "PUT agents('{name}')": Sent(target=f"/agents('plain')?{VERSION}", body=lambda n: b"{}", method="PUT", key=ADMIN),
    "DELETE agents/{name}": Sent(target=f"/agents/none?{VERSION}", body=lambda n: b"", method="DELETE", key=ADMIN),
    "DELETE agents('{name}')": Sent(
        target=f"/agents('none')?{VERSION}", body=lambda n: b"", method="DELETE", key=ADMIN
    ),
    **{address: sent for noun in DEFINED for address, sent in managing(noun)},
    **{
        f"POST {path}/retrieve": Sent(
            target=f"/{path.format(name='plain')}/retrieve?{NEWEST}", body=lambda n: as_json(USUAL)
        )
        for path in ("knowledgebases/{name}", "knowledgebases('{name}')")
    },
    **{
        f"{method} {path}/mcp": Sent(target=f"/{path.format(name='plain')}/mcp", body=body, method=method, headers=MCP)
        for path in ("knowledgebases/{name}", "knowledgebases('{name}')")
        for method, body in {
            "POST": lambda n: as_json(tool({"queries": ["roads"]})),
            "GET": lambda n: b"",
            "DELETE": lambda n: b"",
        }.items()
    },
    **{
        f"GET {path}/status": Sent(
            target=f"/{path.format(name='atlas')}/status?{NEWEST}", body=lambda n: b"", method="GET", key=ADMIN
        )
        for path in ("knowledgesources/{name}", "knowledgesources('{name}')")
    },
    **{
        f"GET .well-known/oauth-protected-resource/{path}/mcp": Sent(
            target=f"/.well-known/oauth-protected-resource/{path.format(name='plain')}/mcp",
            body=lambda n: b"",
            method="GET",
        )
        for path in ("agents/{name}", "knowledgebases/{name}", "knowledgebases('{name}')")
    },
    "GET doctor": Sent(target="/doctor", body=lambda n: b"", method="GET", key=ADMIN),
    "GET health": Sent(target="/health", body=lambda n: b"", method="GET"),
    "GET ready": Sent(target="/ready", body=lambda n: b"", method="GET"),
    "GET openapi.json": Sent(target="/openapi.json", body=lambda n: b"", method="GET"),
    "GET playground": Sent(target="/playground", body=lambda n: b"", method="GET"),
    "GET playground/{name}": Sent(target="/playground/page.js", body=lambda n: b"", method="GET"),
}


def is_served(target: str) -> bool:
    """Whether a route takes an address: a room may have been taken away, with its routes."""
    return bool(TABLE.of_path(target[1:].partition("?")[0]))


def test_the_walk_goes_over_every_route() -> None:
    assert FIRST.keys() >= TABLE.routes.keys()


@pytest.mark.parametrize("route", sample(list(TABLE.routes), every=3))
def test_no_header_holds_the_loop(deployment: Deployment, route: str) -> None:
    usual(deployment)
    for header in ("api-key", "authorization", "x-ms-query-source-authorization", "origin", "if-match"):
        for value in HEADERS.values():
            sent = FIRST[route]
            check(deployment, replace(sent, headers={**sent.headers, header: value}), *range(200, 600))


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize(
    "target",
    [f"/agents('%s')/retrieve?{VERSION}", f"/agents/%s/answer?{VERSION}", "/llm-%s/index/retrieve", "/%s", "/health?%s",
     f"{WORKSPACE}?%s", f"{WORKSPACE}?Query=%s", "/agents?%s"],
)  # fmt: skip
def test_no_address_holds_the_loop(deployment: Deployment, target: str, kind: str) -> None:
    usual(deployment)
    check(deployment, Sent(target=target % LONG[kind], body=lambda n: b"{}"), *range(200, 600))


def _spoken(way: str, text: str, number: int) -> bytes:
    """A body in which a caller says a text in one of the ways to do so."""
    turn = {"role": "user", "content": [{"type": "text", "text": text}]}
    short = text[:1_990]
    asked = {"IndexId": "kb", "Query": f"And it? {number}", "EnableRewrite": True}
    body: Any = {
        "messages": {"messages": [turn]},
        "intents": {"intents": [{"type": "semantic", "search": f"{number}{text}"}] * 10},
        "turns": {"messages": [{"role": "user", "content": [{"type": "text", "text": text[:150]}]}] * 1_000},
        "mcp messages": tool({"messages": [{"role": "user", "content": text}]}),
        "mcp queries": tool({"queries": [f"{number}{short}"] * 5}),
        "mcp rag": tool({"query": f"{number}{short}", "goal": short}, "rag_retrieve"),
        "Query": {"IndexId": "kb", "Query": text},
        "QueryHistory": {**asked, "QueryHistory": [{"role": "user", "content": text}]},
    }[way]
    return as_json(body)


SAYING: Final = (
    ("messages", agent("retrieve")), ("messages", agent("retrieve", "planner")), ("messages", agent("answer")),
    ("messages", agent("answer", "planner")), ("turns", agent("retrieve")), ("turns", agent("answer")),
    ("mcp messages", agent("mcp")), ("mcp queries", agent("mcp")), ("mcp rag", agent("mcp")), ("Query", WORKSPACE),
    ("QueryHistory", WORKSPACE),
)  # fmt: skip
TO_BASES: Final = (("messages", BASE), ("turns", BASE), ("intents", BASE), ("intents", BASE_OF_2026_04))
OF_BASES: Final = [pytest.param(False, id="agents"), pytest.param(True, id="bases", marks=pytest.mark.slow)]


@pytest.mark.parametrize("bases", OF_BASES)
@pytest.mark.parametrize("kind", sample(list(TEXTS), every=3))
def test_no_text_of_a_caller_holds_the_loop(deployment: Deployment, kind: str, bases: bool) -> None:
    usual(deployment)
    for way, target in filter(lambda said: is_served(said[1]), TO_BASES if bases else SAYING):

        def body(number: int, way: str = way) -> bytes:
            return _spoken(way, filled(TEXTS[kind], size=LARGEST - 1_000, before=f"q{number} "), number)

        check(deployment, Sent(target=target, body=body, headers=MCP), 200, 400, 413)


@pytest.mark.slow
@pytest.mark.parametrize("bases", OF_BASES)
@pytest.mark.parametrize("kind", VALUES)
def test_no_json_holds_the_loop(deployment: Deployment, kind: str, bases: bool) -> None:
    usual(deployment)
    value = VALUES[kind][: LARGEST - 400]
    arguments = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rag_retrieve","arguments":%s}}'
    wrapped = {
        agent("retrieve"): (b'{"messages":%s}', USUAL_WITH % b"%s", b"%s"),
        agent("answer"): (b'{"messages":%s}', b"%s"),
        agent("mcp"): (arguments, arguments % b'{"queries":%s}', arguments % b'{"messages":%s}', b"%s"),
        WORKSPACE: (b"%s", *(b'{"IndexId":"kb","Query":"a","%s":%%s}' % name for name in PARAMETERS)),
        f"/agents/x?{VERSION}": (b'{"name":"x","targetIndexes":%s}', b'{"name":"x","models":%s}', b"%s"),
    }
    to_bases = {
        BASE: (b'{"intents":%s}', b'{"messages":%s}', b'{"knowledgeSourceParams":%s}', b"%s"),
        BASE_OF_2026_04: (b'{"intents":%s}', b"%s"),
        f"/knowledgebases/x?{NEWEST}": (b'{"name":"x","knowledgeSources":%s}', b'{"name":"x","tags":%s}', b"%s"),
        f"/knowledgesources/x?{NEWEST}": (b'{"name":"x","kind":%s}', SOURCE_WITH, b"%s"),
    }
    for target, bodies in (to_bases if bases else wrapped).items():
        for body in bodies if is_served(target) else ():
            sent = replace(always(target, body % value), headers=MCP)
            manages = "/x?" in target
            check(deployment, replace(sent, method="PUT", key=ADMIN) if manages else sent, 200, 400)


SOURCE_WITH: Final = b'{"name":"x","kind":"searchIndex","searchIndexParameters":%s}'
USUAL_WITH: Final = b'{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"targetIndexParams":%s}'
PARAMETERS: Final = (b"SearchFilters", b"QueryHistory", b"Rerank", b"Extra")


@pytest.mark.parametrize("parts", [1, 5, 11])
def test_no_conversation_of_many_parts_holds_the_loop(deployment: Deployment, parts: int) -> None:
    usual(deployment)
    for action in ("retrieve", "answer"):
        check(deployment, always(agent(action), b'{"messages":%s}' % contents(parts)), 200)


@pytest.mark.parametrize("kind", sample(list(FILTERS), every=3))
def test_no_filter_holds_the_loop(deployment: Deployment, kind: str) -> None:
    usual(deployment)
    deployment.azure.chat = queries("roads", "rivers", "harbours")
    text = FILTERS[kind]
    bodies = {
        agent("retrieve", "planner"): {**USUAL, "targetIndexParams": [{"filterAddOn": text}]},
        agent("answer"): {**USUAL, "filter": text},
        agent("mcp"): tool({"queries": ["a", "b", "c", "d", "e"], "filter": text[:16_384]}),
        BASE: {
            **USUAL,
            "knowledgeSourceParams": [{"knowledgeSourceName": "atlas", "kind": "searchIndex", "filterAddOn": text}],
        },
    }
    for target in filter(is_served, bodies):
        body = bodies[target]
        check(deployment, replace(always(target, as_json(body)), headers=MCP), 200, 400)


@pytest.mark.slow
def test_no_filters_of_ten_sources_hold_the_loop(deployment: Deployment) -> None:
    """Each as long as it may be and searched for five things: they are read, and their texts written, beside it."""
    usual(deployment)

    def body(number: int) -> bytes:
        filters = [" or ".join(f"s{one}/p eq '{number}{place}'" for one in range(2_900)) for place in range(10)]
        params = [
            {"knowledgeSourceName": name, "kind": "searchIndex", "filterAddOn": filter}
            for name, filter in zip(SOURCES, filters, strict=True)
        ]
        intents = [{"type": "semantic", "search": f"roads {one}"} for one in range(5)]
        return as_json({"intents": intents, "knowledgeSourceParams": params})

    sent = Sent(target=BASE.replace("plain", "wide"), body=body)
    held = deployment.least(sent, loop=LOOP, process=2 * PROCESS)
    assert (held.response.status, held.loop <= LOOP) == (200, True)
    searches = len(deployment.azure.searches)
    with calls(writer) as made:
        deployment.held(sent, TRIES)
    assert len(deployment.azure.searches) - searches == 50
    assert made["write"] == 0


@NEEDS_MODEL_STUDIO
@pytest.mark.parametrize("kind", SEARCH_FILTERS)
def test_no_search_filter_holds_the_loop(deployment: Deployment, kind: str) -> None:
    deployment.azure.search = documents("ab", 0)
    for said in (SEARCH_FILTERS[kind], json.dumps(SEARCH_FILTERS[kind])):
        body = as_json({"IndexId": "kb", "Query": "roads", "SearchFilters": said})
        check(deployment, always(WORKSPACE, body), 200, 400)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "in_title"), sample(list(product(PARTS, [False, True])), every=3))
def test_no_document_holds_the_loop(deployment: Deployment, kind: str, in_title: bool) -> None:
    deployment.azure.chat = queries("roads", "rivers", "harbours")
    asked = {
        agent("retrieve", "planner"): {**USUAL, "targetIndexParams": [{"includeReferenceSourceData": True}]},
        agent("answer"): USUAL,
        agent("mcp"): tool({"queries": ["a", "b", "c", "d"], "includeReferenceSourceData": True}),
        f"{agent('mcp')}&rag": tool({"query": "roads"}, "rag_retrieve"),
        f"{agent('mcp')}&answer": tool({"question": "Which roads?"}, "answer"),
        BASE: USUAL,
        BASE_WITH_MODEL: {**USUAL, "outputMode": "answerSynthesis"},
        f"{BASE_WITH_MODEL}&medium": MEDIUM,
        WORKSPACE: {"IndexId": "kb", "Query": "roads", "RerankTopN": 20},
    }
    for target in filter(is_served, asked):

        def prepared(number: int, body: object = asked[target]) -> bytes:
            deployment.azure.search = documents(PARTS[kind], number, in_title=in_title)
            return as_json(body)

        check(deployment, Sent(target=target, body=prepared, headers=MCP), 200)


@pytest.mark.parametrize("kind", judgements(0))
def test_no_judgement_holds_the_loop(deployment: Deployment, kind: str) -> None:
    def prepared(number: int) -> bytes:
        deployment.azure.search = documents("Roads of Rome follow rivers, said “Cicero”. ", number)
        deployment.azure.chat = model(number, judgement=judgements(number)[kind])
        return as_json(USUAL)

    check(deployment, Sent(target=agent("answer", "planner"), body=prepared), 200)
    check(deployment, Sent(target=BASE_WITH_MODEL, body=lambda number: prepared(number) and as_json(MEDIUM)), 200)


@pytest.mark.slow
@pytest.mark.parametrize("part", sample(ANSWERS, every=3))
def test_no_written_answer_holds_the_loop(deployment: Deployment, part: str) -> None:
    def prepared(number: int) -> bytes:
        deployment.azure.search = documents("Roads of Rome follow rivers, said “Cicero”. ", number)
        deployment.azure.chat = model(number, answer=part)
        return as_json(USUAL)

    for detail in ("answer", "workflow"):
        check(deployment, Sent(target=f"{agent('answer', 'planner')}&detail={detail}", body=prepared), 200)


@pytest.mark.parametrize("query", ["q", "京 ", "\u0300", "*"])
def test_no_plan_holds_the_loop(deployment: Deployment, query: str) -> None:
    usual(deployment)

    def prepared(number: int) -> bytes:
        said = [f"{number} {place} {query}" for place in range(4_000)] + [query * 10_000]
        reply = json.dumps({"queries": said, "retrieval_goals": said[:1_000], "filter": "a eq 1 or " * 150})
        deployment.azure.chat = model(number, plan=reply)
        return as_json(USUAL)

    for action in ("answer", "retrieve"):
        check(deployment, Sent(target=agent(action, "planner"), body=prepared), 200)


@NEEDS_MODEL_STUDIO
def test_a_form_as_large_as_it_may_be_does_not_hold_the_loop(deployment: Deployment) -> None:
    usual(deployment)
    form = {"content-type": "application/x-www-form-urlencoded"}
    for text in (quote("京" * 100_000), "%41a" * 250_000, "a=b&" * 200_000, "IndexId=kb&" * 90_000):
        body = f"IndexId=kb&Query={text}".encode()[:LARGEST]
        check(deployment, replace(always(WORKSPACE, body), headers=form), 200, 400)
