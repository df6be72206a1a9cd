"""Every secret and all content has a marker, and no log, answer or span holds a marker."""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from retrieval.errors import BackendRefused, BackendUnavailable
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest, WireService
from retrieval.model.caller import Caller
from retrieval.telemetry import log_contents
from tests.access.authority import Authority
from tests.access.conftest import Deploy
from tests.access.test_header_smuggling import PLATFORM, ROLE, principal
from tests.conftest import Response, ask
from tests.scripted_azure import ScriptedAzure, answering, cutting, document, failing, found, queries, replying

SECRETS: Final = {
    "query key": "secret-1-query-key",
    "admin key": "secret-2-admin-key",
    "key of the search service": "secret-3-search-key",
    "key of the model": "secret-4-model-key",
    "user token": "secret-5-user-token",
    "wrong key": "secret-6-wrong-key",
}
CONTENT: Final = {
    "question": "content-1-question",
    "planned query": "content-2-planned",
    "document": "content-3-document",
    "filter": "content-4-filter",
    "model's reply": "content-5-reply",
    "message of the search service": "content-6-search-says",
    "message of the model": "content-7-model-says",
    "claim": "content-8-claim",
    "key document": "content-9-keys",
    "name in the address": "Content-10-name",
    "property in the body": "content-11-property",
    "parameter": "content-12-parameter",
    "header": "content-13-header",
}
SAYS: Final = " ".join(
    [CONTENT["message of the search service"], SECRETS["key of the search service"], SECRETS["user token"]]
)
MODEL_SAYS: Final = f"{CONTENT['message of the model']} {SECRETS['key of the model']}"
"""Either quotes the secrets that it was sent."""
DOCUMENTS: Final = found(document("road", 3.1, title=CONTENT["document"], content=CONTENT["document"]))
PLAN: Final = queries(f"{CONTENT['planned query']} one", f"{CONTENT['planned query']} two")

SCRIPTS: Final[Mapping[str, tuple[WireService, WireService]]] = {
    "all is well": (DOCUMENTS, PLAN),
    "ranking gave up": (found(document("road", 3.1), partial=CONTENT["message of the search service"]), PLAN),
    "both are refused": (failing(400, SAYS), failing(400, MODEL_SAYS)),
    "both are not authenticated": (failing(401, SAYS), failing(401, MODEL_SAYS)),
    "both are forbidden": (failing(403, SAYS), failing(403, MODEL_SAYS)),
    "both are not there": (failing(404, SAYS), failing(404, MODEL_SAYS)),
    "both are throttled": (failing(429, SAYS, retry_after=60), failing(429, MODEL_SAYS, retry_after=60)),
    "both fail": (failing(500, SAYS), failing(500, MODEL_SAYS)),
    "both are cut": (cutting(), cutting()),
    "both answer nonsense": (answering(SAYS.encode()), answering(MODEL_SAYS.encode())),
    "both answer other JSON": (answering({"value": [SAYS]}), answering({"choices": [MODEL_SAYS]})),
    "the model replies nonsense": (DOCUMENTS, replying(CONTENT["model's reply"])),
}


@pytest.fixture(autouse=True)
def everything_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Every logger there is, at DEBUG, whatever its own level was."""
    known = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    levels = [(logger, logger.level) for logger in known]
    caplog.set_level(logging.DEBUG)
    for logger in known:
        logger.setLevel(logging.DEBUG)
    yield
    for logger, level in levels:
        logger.setLevel(level)


@pytest.fixture
def settings(azure: ScriptedAzure, authority: Authority, tmp_path: Path) -> dict[str, str]:
    parameters = {"resourceUri": azure.address, "deploymentId": "p", "apiKey": SECRETS["key of the model"]}
    agent = {
        "name": "planner",
        "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
        "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}],
    }
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([agent]))
    return {
        **PLATFORM,
        **authority.settings,
        "LOCAL": "0",
        "API_KEYS": SECRETS["query key"],
        "ADMIN_API_KEYS": SECRETS["admin key"],
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SECRETS["key of the search service"],
        "AGENTS_FILE": str(file),
        "IMPOSED_FILTERS": '{"*": {"owner": {"claim": "owner", "withKey": "all"}}}',
    }


def credentials(authority: Authority) -> dict[str, dict[str, str]]:
    """Ways to come, with every one of them a claim that is marked."""
    owner = CONTENT["claim"]
    good, bad = authority.token(owner=owner), authority.token(owner=owner, key="another")
    stranger = authority.token(owner=owner, key="another", key_id=CONTENT["header"])
    return {
        "query key": {"api-key": SECRETS["query key"]},
        "admin key": {"api-key": SECRETS["admin key"], "authorization": f"Bearer {good}"},
        "wrong key": {"api-key": SECRETS["wrong key"]},
        "two keys": {"api-key": f"{SECRETS['query key']},{SECRETS['admin key']}"},
        "token": {"authorization": f"Bearer {good}"},
        "forged token": {"authorization": f"Bearer {bad}"},
        "token of an unknown key": {"authorization": f"Bearer {stranger}"},
        "no token": {"authorization": f"Bearer {CONTENT['header']}"},
        "principal": {"x-ms-client-principal": principal((ROLE, "Agents.Retrieve"), ("owner", owner))},
        "broken principal": {"x-ms-client-principal": CONTENT["header"]},
        "nothing": {},
    }


BODIES: Final[dict[str, object]] = {
    "a question": ask(CONTENT["question"], filterAddOn=f"name eq '{CONTENT['filter']}'"),
    "a bad filter": ask(CONTENT["question"], filterAddOn=f"name eq '{CONTENT['filter']}"),
    "an unknown property": {CONTENT["property in the body"]: CONTENT["question"]},
    "another index": ask(CONTENT["question"], indexName=CONTENT["property in the body"]),
    "nonsense": CONTENT["question"].encode(),
}


async def answers(host: Host, headers: Mapping[str, str]) -> list[Response]:
    """Of calls to every kind of address with every kind of body."""
    version, name = "?api-version=2025-05-01-preview", CONTENT["name in the address"]
    targets = [
        ("POST", f"/agents('planner')/retrieve{version}"),
        ("POST", f"/agents('planner')/retrieve?api-version={CONTENT['parameter']}&key={CONTENT['parameter']}"),
        ("POST", f"/agents/{name}/retrieve{version}"),
        ("PUT", f"/agents('{name}'){version}"),
        ("GET", f"/agents('planner'){version}"),
        ("GET", f"/{name}{version}"),
    ]
    received = []
    for method, target in targets:
        for body in BODIES.values() if method == "POST" else [b"{}"]:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {
                "content-length": str(len(content)),
                "x-ms-query-source-authorization": SECRETS["user token"],
                "x-more": CONTENT["header"],
                **headers,
            }
            request = WireRequest(method=method, target=target, headers=tuple(sent.items()), body=content)
            response = await host(request)
            received.append(Response(status=response.status, headers=dict(response.headers), body=response.body))
    return received


@pytest.mark.parametrize("way", SCRIPTS)
async def test_logs_hold_neither_secrets_nor_content_and_answers_no_secrets_when(
    way: str,
    host: Host,
    deploy: Deploy,
    azure: ScriptedAzure,
    authority: Authority,
    settings: dict[str, str],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    azure.search, azure.chat = SCRIPTS[way]
    deploy(settings)
    shown = credentials(authority)
    received = [answer for headers in shown.values() for answer in await answers(host, headers)]
    logged = "\n".join([caplog.text, *capfd.readouterr(), *(str(vars(record)) for record in caplog.records)])
    tokens = [value.removeprefix("Bearer ") for one in shown.values() for value in one.values()]
    told = "\n".join(f"{answer.headers} {answer.body!r}" for answer in received)
    assert [marker for marker in (*SECRETS.values(), *CONTENT.values(), *tokens) if marker in logged] == []
    allowed = {CONTENT["header"]}
    assert [secret for secret in (*SECRETS.values(), *tokens) if secret in told and secret not in allowed] == []
    assert "retrieve agent=planner caller='query key 1' contract='agents 2025-05-01-preview' status=" in logged
    assert {answer.status for answer in received} >= {401, 403, 404, 400}
    assert azure.searches[0].request.header("x-ms-query-source-authorization") == SECRETS["user token"]


@pytest.mark.parametrize("status", [200, 500])
async def test_nothing_of_the_key_document_is_told(
    status: int,
    host: Host,
    deploy: Deploy,
    authority: Authority,
    settings: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    authority.script = answering(CONTENT["key document"].encode(), status=status)
    deploy(settings)
    received = await answers(host, credentials(authority)["token"])
    assert {answer.status for answer in received} == {404, 502}
    told = "\n".join(f"{answer.headers} {answer.body!r}" for answer in received)
    assert CONTENT["key document"] not in caplog.text + told


async def test_content_is_logged_where_a_setting_asks_for_it_and_secrets_are_not(
    host: Host,
    deploy: Deploy,
    azure: ScriptedAzure,
    authority: Authority,
    settings: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    azure.search, azure.chat = DOCUMENTS, PLAN
    deploy(settings, LOG_CONTENT="1")
    await answers(host, credentials(authority)["query key"])
    azure.search = failing(500, SAYS)
    await answers(host, credentials(authority)["token"])
    assert CONTENT["planned query"] in caplog.text
    assert [secret for secret in SECRETS.values() if secret in caplog.text] == []


async def test_the_owner_of_the_documents_is_told_to_nobody_but_the_index(
    host: Host, deploy: Deploy, azure: ScriptedAzure, authority: Authority, settings: dict[str, str]
) -> None:
    azure.search, azure.chat = DOCUMENTS, PLAN
    deploy(settings)
    received = await answers(host, credentials(authority)["token"])
    assert not any(CONTENT["claim"].encode() in answer.body for answer in received)
    assert {one.json["filter"] for one in azure.searches} == {
        f"search.in(owner, '{CONTENT['claim']}') and name eq '{CONTENT['filter']}'"
    }


def test_a_trace_says_where_and_not_what() -> None:
    def fail() -> None:
        try:
            raise ValueError(CONTENT["document"])
        except ValueError as error:
            raise ExceptionGroup(CONTENT["question"], [KeyError(CONTENT["filter"])]) from error

    with pytest.raises(ExceptionGroup) as caught:
        fail()
    quiet, full = (log_contents.trace(caught.value, content=content) for content in (False, True))
    assert "in fail" in quiet
    assert all(kind in quiet for kind in ("ExceptionGroup", "KeyError", "ValueError"))
    assert not any(marker in quiet for marker in CONTENT.values())
    assert CONTENT["document"] in full and CONTENT["filter"] in full


def test_causes_that_go_in_circles_end() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert log_contents.trace(one, content=False).count("ValueError") <= log_contents.MOST_CAUSES


def test_an_error_is_described_by_its_kind() -> None:
    error = BackendRefused("Azure AI Search", status=400, message=CONTENT["question"])
    assert log_contents.describe(error, content=False) == "BackendRefused 400, Azure AI Search"
    assert CONTENT["question"] in log_contents.describe(error, content=True)
    assert log_contents.describe(BackendUnavailable("It", SAYS), content=False) == "BackendUnavailable, It"


@pytest.mark.parametrize("allowed", [False, True])
def test_packages_that_tell_what_they_send_are_kept_quiet(allowed: bool, caplog: pytest.LogCaptureFixture) -> None:
    log_contents.keep_content_out(allowed)
    logging.getLogger("openai._base_client").debug("Request options: %s", {"json_data": CONTENT["question"]})
    assert (CONTENT["question"] in caplog.text) == allowed
    log_contents.keep_content_out(False)


def test_a_caller_shows_no_claim() -> None:
    caller = Caller(kind="token", id="one", rights=frozenset(), claims={"owner": (CONTENT["claim"],)})
    assert CONTENT["claim"] not in repr(caller)
