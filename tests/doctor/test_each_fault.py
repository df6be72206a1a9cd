"""A deployment without a fault, then with each fault in turn: what is said of it, and what to do."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

import pytest

from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.model.finding import Finding, State
from retrieval.settings.settings import can_stream
from tests.doctor.conftest import ADMIN_KEY, FOUND, GIVEN, PRINCIPAL, QUERY_KEY, SECRETS, TOKEN, Stage, by_method
from tests.scripted_azure import answering, definition, document, failing, found, in_turn, replying

Spoil = Callable[[Stage], None]


def env(**settings: str) -> Spoil:
    return lambda stage: stage.environ.update(settings)


def azure(**scripts: object) -> Spoil:
    def spoil(stage: Stage) -> None:
        for name, script in scripts.items():
            setattr(stage.azure, name, script)

    return spoil


def says(status: int, code: str, message: str = "") -> WireService:
    return answering({"error": {"code": code, "message": message}}, status=status)


def both(*spoils: Spoil) -> Spoil:
    def spoil(stage: Stage) -> None:
        for one in spoils:
            one(stage)

    return spoil


def broken(stage: Stage) -> None:
    (stage.folder / "agents.json").write_text("{")


def by_token(stage: Stage) -> None:
    stage.by_token()


def denying(code: str, message: str) -> Spoil:
    """The identity's endpoint has no token, and says so as Entra ID would."""

    def spoil(stage: Stage) -> None:
        stage.by_token()
        stage.identity = answering({"error": "invalid_request", "error_description": f"{code}: {message}"}, status=400)

    return spoil


def entra(script: WireService) -> Spoil:
    def spoil(stage: Stage) -> None:
        stage.with_entra()
        stage.authority = script

    return spoil


def table(script: WireService) -> Spoil:
    return lambda stage: setattr(stage, "table", script)


def fields(**roles: object) -> Spoil:
    return env(INDEX_FIELDS=json.dumps({"atlas": {"key": "id", "title": "title", "content": ["content"], **roles}}))


def defined(**changes: object) -> WireService:
    """The usual index definition with other members."""
    usual = {
        "name": "atlas",
        "fields": [{"name": "id", "type": "Edm.String", "key": True}, {"name": "content", "type": "Edm.String"}],
        "semantic": {"configurations": [{"name": "usual", "prioritizedFields": {}}]},
    }
    return answering({**usual, **changes})


LOW: Final = {"retrievalReasoningEffort": {"kind": "low"}}


def based(**members: object) -> dict[str, object]:
    """A base over the index `atlas`."""
    source = {"name": "s", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
    base = {"name": "handbook", "knowledgeSources": [{"name": "s"}], **members}
    return {"knowledgeSources": [source], "knowledgeBases": [base]}


def ingested(count: WireService) -> Spoil:
    """A base over blobs that Azure puts into the index `docs-index`, and the count of what is there."""

    def spoil(stage: Stage) -> None:
        parameters = {"connectionString": "ResourceId=/subscriptions/a;", "containerName": "docs"}
        source = {"name": "docs", "kind": "azureBlob", "azureBlobParameters": parameters}
        base = {"name": "handbook", "knowledgeSources": [{"name": "docs"}], **LOW}
        stage.define({"knowledgeSources": [source], "knowledgeBases": [base]})
        stage.azure.count = count

    return spoil


def without(index: str) -> WireService:
    """Counts documents of every index but one, which is not there."""
    there, gone = answering(b"\xef\xbb\xbf2", content_type="text/plain"), failing(404)

    async def answer(request: WireRequest) -> WireResponse:
        return await (gone if f"'{index}'" in unquote(request.target) else there)(request)

    return answer


@dataclass(frozen=True, slots=True)
class Fault:
    """How it is made, whose it is, and words of what is said and of what to do."""

    spoil: Spoil
    subject: str
    said: str
    do: str
    state: State = "fault"


ONE_BODY: Final = "events cannot leave as they happen"
FAULTS: Final[Mapping[str, Fault]] = {
    # settings
    "a setting is missing": Fault(
        env(API_KEYS="", ADMIN_API_KEYS=""), "settings", "API_KEYS is missing", "settings.md"
    ),
    "an address is plain http": Fault(
        env(AZURE_SEARCH_ENDPOINT="http://contoso.search.windows.net"), "settings", "must be https", "settings.md"
    ),
    "an address is no address, with LOCAL=1": Fault(
        env(LOCAL="1", AZURE_SEARCH_ENDPOINT="nosuch.search.windows.net"),
        "settings",
        "must be an address",
        "Correct AZURE_SEARCH_ENDPOINT",
    ),
    "a file of agents is not JSON": Fault(broken, "settings", "AGENTS_FILE", "settings.md"),
    "a setting that protects is misspelt": Fault(
        env(IMPOSED_FILTER="{}"), "settings", "'IMPOSED_FILTER' is no setting", "Correct IMPOSED_FILTERS"
    ),
    "logs hold content": Fault(env(LOG_CONTENT="1"), "settings", "LOG_CONTENT=1", "Remove it", "warning"),
    "the playground is open": Fault(env(PLAYGROUND="1"), "settings", "PLAYGROUND=1", "Remove it", "warning"),
    "alerts reach nobody": Fault(
        env(ALERTS_REACH_NOBODY="1"), "settings", "Alerts reach nobody", "azd env set ALERT_EMAIL", "warning"
    ),
    ONE_BODY: Fault(env(STREAM_EVENTS="1"), "settings", "STREAM_EVENTS=1 needs", "requirements.txt"),
    "pages of every origin may call": Fault(
        env(CORS_ORIGINS="*"), "settings", "CORS_ORIGINS=*", "Remove it", "warning"
    ),
    # access
    "a key of the documentation": Fault(
        env(API_KEYS="local-dev-key"), "access", "printed in the documentation", "openssl rand -hex 24"
    ),
    "the key of the sample, with LOCAL=1, before a real search service": Fault(
        env(LOCAL="1", ADMIN_API_KEYS="local-admin-key"),
        "access",
        "Key 1 of ADMIN_API_KEYS is printed in the documentation, and a real service",
        "Set ADMIN_API_KEYS to a key of your own",
        "warning",
    ),
    "a key that can be guessed": Fault(
        env(ADMIN_API_KEYS="hunter2"), "access", "fewer than 16", "ADMIN_API_KEYS", "warning"
    ),
    "one key for both": Fault(env(API_KEYS=ADMIN_KEY), "access", "whoever may retrieve may manage", "ADMIN_API_KEYS"),
    "a bound key that is not bound": Fault(
        env(BASE_KEYS=json.dumps({"handbook": [QUERY_KEY]})), "access", "it opens every base", "Take it out"
    ),
    "a key of nobody's base": Fault(
        env(BASE_KEYS=json.dumps({"nobody": ["bound-key-0123456789"]})),
        "access",
        "nobody",
        "Correct BASE_KEYS",
        "warning",
    ),
    "a key of nobody's base, where nobody can make it": Fault(
        env(AGENTS_STORE="", BASE_KEYS=json.dumps({"nobody": ["bound-key-0123456789"]})),
        "settings",
        "BASE_KEYS names nobody",
        "Correct BASE_KEYS",
    ),
    "rules for nobody's index": Fault(
        env(IMPOSED_FILTERS=json.dumps({"*": {}, "atlass": {"tenant": {"claim": "tid", "withKey": "a"}}})),
        "access",
        "IMPOSED_FILTERS names atlass, which no agent or knowledge source searches",
        "Correct IMPOSED_FILTERS",
        "warning",
    ),
    "a vault that was not asked": Fault(
        env(API_KEYS="@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/a)"),
        "access",
        "not resolved",
        "Key Vault Secrets User",
    ),
    "no key manages": Fault(env(ADMIN_API_KEYS=""), "access", "Nobody may manage", "ADMIN_API_KEYS", "warning"),
    "an index that no rule covers": Fault(
        env(IMPOSED_FILTERS=json.dumps({"other": {"tenant": {"claim": "tid", "withKey": "a"}}})),
        "access",
        "No rule of IMPOSED_FILTERS covers atlas",
        '"atlas": {}',
    ),
    "a rule without withKey": Fault(
        env(IMPOSED_FILTERS=json.dumps({"*": {"tenant": {"claim": "tid"}}})),
        "access",
        "callers with a key are refused",
        "withKey",
        "warning",
    ),
    "there is no such tenant": Fault(
        entra(answering({"error": "x", "error_description": "AADSTS90002: Tenant not found."}, status=400)),
        "access",
        "no tenant ENTRA_TENANT_ID in this cloud (AADSTS90002)",
        "ENTRA_AUTHORITY for a tenant of another cloud",
    ),
    "the authority fails": Fault(entra(failing(500)), "access", "cannot be read (500)", "ENTRA_AUTHORITY"),
    "the authority is another's": Fault(
        entra(answering({"issuer": "https://elsewhere/"})), "access", "no authority of this tenant", "ENTRA_AUTHORITY"
    ),
    "the authority is away": Fault(
        lambda stage: stage.with_entra(ENTRA_AUTHORITY="http://127.0.0.1:9"),
        "access",
        "No keys from",
        "ENTRA_AUTHORITY",
    ),
    "tokens of another service open this one": Fault(
        lambda stage: stage.with_entra(ENTRA_AUDIENCE="https://search.azure.com"),
        "access",
        "another service's",
        "Register an app",
    ),
    "everybody's scope manages": Fault(
        lambda stage: stage.with_entra(ENTRA_MANAGE_ROLES="user_impersonation"), "access", "every user", "app role"
    ),
    "everybody's scope retrieves": Fault(
        lambda stage: stage.with_entra(ENTRA_RETRIEVE_ROLES="access_as_user"),
        "access",
        "every user",
        "app role",
        "warning",
    ),
    "one role for both": Fault(
        lambda stage: stage.with_entra(ENTRA_MANAGE_ROLES="R", ENTRA_RETRIEVE_ROLES="R"),
        "access",
        "may change agents",
        "two app roles",
    ),
    # search
    "the search key is wrong": Fault(
        azure(count=says(403, "", "Forbidden")), "index", "AZURE_SEARCH_API_KEY", "or remove it"
    ),
    "the search service takes no keys": Fault(
        azure(count=says(403, "", "Key based authentication is disabled")),
        "index",
        "takes no keys",
        "Index Data Reader",
    ),
    "the search service is behind a firewall": Fault(
        azure(count=says(403, "", "Public network access is disabled")), "index", "network rules", "PRIVATE_NETWORK"
    ),
    "nobody listens": Fault(
        env(AZURE_SEARCH_ENDPOINT="http://127.0.0.1:9"), "index", "nothing listens", "AZURE_SEARCH_ENDPOINT"
    ),
    "the role is missing": Fault(
        both(by_token, azure(count=failing(403))),
        "index",
        "may not use Azure AI Search",
        f"--assignee-object-id {PRINCIPAL} --assignee-principal-type ServicePrincipal",
    ),
    "tokens are not accepted": Fault(
        both(by_token, azure(count=failing(401))), "index", "does not accept tokens", "--auth-options aadOrApiKey"
    ),
    "there is no such index": Fault(azure(count=failing(404)), "index", "these search it: handbook", "Make it"),
    "the index of an agent is not on this machine": Fault(
        env(LOCAL="1", AZURE_SEARCH_ENDPOINT=""), "index", "these search it: handbook", "Make it: PUT indexes('atlas')"
    ),
    "an index that INDEX_FIELDS alone names": Fault(
        both(
            env(INDEX_FIELDS=json.dumps({"atlass": {"key": "id", "content": ["content"]}})),
            azure(count=without("atlass")),
        ),
        "index",
        "INDEX_FIELDS names it, and there is no such index",
        "Correct its name in INDEX_FIELDS",
        "warning",
    ),
    "the search service throttles": Fault(
        azure(count=failing(429)), "index", "throttles", "SEARCH_REPLICAS", "warning"
    ),
    "the search service fails": Fault(azure(count=failing(503)), "index", "failed: 503", "Try again"),
    "what answers is no search service": Fault(
        azure(count=answering(b"<html>", content_type="text/html")), "index", "no search service", "search.windows.net"
    ),
    "the index is empty": Fault(
        azure(count=answering(b"\xef\xbb\xbf0", content_type="text/plain")),
        "index",
        "holds no document",
        "retrieval.local index",
        "warning",
    ),
    "ingestion has not made the index": Fault(
        ingested(failing(404)), "index", "these search it: docs", "PUT knowledgesources('docs') at the address"
    ),
    "ingestion has brought nothing yet": Fault(
        ingested(answering(b"\xef\xbb\xbf0", content_type="text/plain")),
        "index",
        "holds no document",
        "GET knowledgesources('docs')/status at the address",
        "warning",
    ),
    "a field of a document's place is not there": Fault(
        fields(address="blob_url"), "index", "no field blob_url", "Correct"
    ),
    "the definition cannot be read": Fault(azure(index=failing(403)), "index", "INDEX_FIELDS", "Set INDEX_FIELDS"),
    "the definition fails": Fault(azure(index=failing(500)), "index", "definition cannot be read: 500", "INDEX_FIELDS"),
    "documents have permissions": Fault(
        azure(search=found()), "index", "finds none", "x-ms-query-source-authorization", "warning"
    ),
    "there is no semantic configuration": Fault(
        azure(index=defined(semantic=None)), "index", "no semantic configuration", "semantic-how-to-configure"
    ),
    "a named field is not there": Fault(fields(title="headline"), "index", "no field headline", "Correct INDEX_FIELDS"),
    "a named field is not retrievable": Fault(
        both(
            fields(title=None),
            azure(
                index=defined(
                    fields=[
                        {"name": "id", "type": "Edm.String", "key": True},
                        {"name": "content", "type": "Edm.String", "retrievable": False},
                    ]
                )
            ),
        ),
        "index",
        "Not retrievable: content",
        "retrievable in the index",
    ),
    "a facet that has none": Fault(
        both(
            fields(title=None, facets=["content"]),
            azure(
                index=defined(
                    fields=[
                        {"name": "id", "type": "Edm.String", "key": True},
                        {"name": "content", "type": "Edm.String", "facetable": False},
                    ]
                )
            ),
        ),
        "index",
        "Not facetable: content",
        "out of facets",
    ),
    "a date that is none": Fault(fields(dates=["title"]), "index", "No date with time and zone: title", "out of dates"),
    "the key is another field": Fault(fields(key="title"), "index", "Its key is id", "Correct key"),
    "a vector field without a vectorizer": Fault(
        fields(vectors=["embedding"]), "index", "No vectorizer", "take them out of vectors"
    ),
    "a profile of vectors whose name is no text": Fault(
        both(
            fields(title=None, vectors=["embedding"]),
            azure(
                index=defined(
                    fields=[
                        {"name": "id", "type": "Edm.String", "key": True},
                        {"name": "content", "type": "Edm.String"},
                        {"name": "embedding", "vectorSearchProfile": ["odd"]},
                    ],
                    vectorSearch={"profiles": [{"name": ["odd"], "vectorizer": "v"}]},
                )
            ),
        ),
        "index",
        "a definition of index 'atlas' that cannot be read",
        "semantic-how-to-configure",
    ),
    "a field cannot be returned": Fault(
        azure(search=says(400, "InvalidRequestParameter", "The field 'content' is not a retrievable field")),
        "index",
        "cannot be returned",
        "retrievable in the index",
    ),
    "ranking is off": Fault(
        azure(search=in_turn(FOUND, says(400, "", "Semantic search is not enabled for this service"))),
        "index",
        "off, or not in this tier",
        "--semantic-search standard",
    ),
    "ranking is used up": Fault(
        azure(search=in_turn(FOUND, says(402, "", "Semantic queries exceed the free quota"))),
        "index",
        "used up",
        "--semantic-search standard",
    ),
    "ranking gives up": Fault(
        azure(search=in_turn(FOUND, found(document("a", None), partial="capacityOverloaded"))),
        "index",
        "capacityOverloaded",
        "docs/operating/sizing.md",
        "warning",
    ),
    "nothing is ranked": Fault(
        azure(search=in_turn(FOUND, found(document("a", None)))),
        "index",
        "no reranker score",
        "docs/operating/sizing.md",
        "warning",
    ),
    "the configuration is not there": Fault(
        azure(search=in_turn(FOUND, says(400, "", "Unknown semantic configuration 'usual'"))),
        "index",
        "configuration is not there",
        "semanticConfiguration",
    ),
    "queries cannot be vectorized": Fault(
        both(
            azure(
                index=definition(vectorizable=("body_vector",)),
                search=in_turn(FOUND, says(400, "", "Could not complete vectorization action")),
            ),
        ),
        "index",
        "cannot be vectorized for body_vector",
        "SEARCH_VECTORIZES",
    ),
    # models
    "there is no such deployment": Fault(
        azure(chat=says(404, "DeploymentNotFound")), "model", "no deployment 'planner'", "deployment list"
    ),
    "the model is retired": Fault(
        azure(chat=says(410, "ModelRetired", "The model gpt-4o was retired.")), "model", "is retired", "MODEL_NAME"
    ),
    "the model is retired, as it was said in 2025": Fault(
        azure(chat=says(400, "OperationNotSupported", "The operation does not work with the specified model, gpt-35.")),
        "model",
        "is retired",
        "model-retirements",
    ),
    "the model's key is wrong": Fault(azure(chat=failing(401)), "model", "AZURE_OPENAI_API_KEY", "or remove it"),
    "the model takes no keys": Fault(
        azure(chat=says(403, "AuthenticationTypeDisabled")), "model", "takes no keys", "Cognitive Services OpenAI User"
    ),
    "the model's role is missing": Fault(
        both(by_token, azure(chat=says(401, "PermissionDenied", "lacks the required data action"))),
        "model",
        "may not use Azure OpenAI",
        'az role assignment create --role "Cognitive Services OpenAI User"',
    ),
    "the model's audience is wrong": Fault(
        both(by_token, azure(chat=says(401, "401", "Access token is missing or its audience is incorrect"))),
        "model",
        "does not accept tokens",
        "AZURE_OPENAI_AUDIENCE",
    ),
    "the model throttles": Fault(azure(chat=failing(429)), "model", "throttles", "MODEL_CAPACITY", "warning"),
    "the model's quota is used up": Fault(
        azure(chat=says(429, "insufficient_quota")), "model", "no quota left", "billing"
    ),
    "the model takes no JSON schema": Fault(
        azure(chat=says(400, "invalid_request_error", "response_format of type json_schema is not supported")),
        "model",
        "no strict JSON schema",
        "gpt-4o 2024-08-06",
    ),
    "the model is old": Fault(
        azure(chat=says(400, "", "Unrecognized request argument: max_completion_tokens")),
        "model",
        "too old",
        "MODEL_NAME",
    ),
    "the model's reply is no JSON": Fault(
        azure(chat=replying("Here you are")), "model", "not of the JSON schema", "gpt-4o"
    ),
    "the content filter stops": Fault(
        azure(chat=says(400, "content_filter")), "model", "content filter", "content-filters", "warning"
    ),
    "what answers is no model": Fault(azure(chat=answering([])), "model", "no chat model", "openai.azure.com"),
    "the model fails": Fault(azure(chat=failing(500)), "model", "failed: 500", "Try again"),
    # definitions
    "the table refuses": Fault(table(failing(403)), "definitions", "does not accept this service's identity", ""),
    "the table fails": Fault(table(failing(500)), "definitions", "cannot be read", ""),
    "the table takes no writes": Fault(
        table(by_method(GET=answering({"value": []}), DELETE=failing(403))),
        "definitions",
        "cannot be written",
        "",
    ),
    "a base states no effort": Fault(
        lambda stage: stage.define(based()),
        "definitions",
        "these bases state no effort: 'handbook'",
        "AGENT_EFFORT=auto",
        "warning",
    ),
    # identity
    "the identity is not there": Fault(
        denying("", "No managed identity was found for the client id"),
        "identity",
        "No token",
        "functionapp identity show",
    ),
    "the audience is unknown": Fault(
        denying("AADSTS500011", "The resource principal was not found in the tenant"),
        "identity",
        "(AADSTS500011)",
        "Set AZURE_SEARCH_AUDIENCE",
    ),
    "the secret has expired": Fault(denying("AADSTS7000222", "expired"), "identity", "expired", "credential reset"),
    "an unheard code": Fault(
        denying("AADSTS123456789", "Something."), "identity", "Something.", "error?code=123456789"
    ),
}


async def test_a_deployment_without_a_fault_has_none(stage: Stage) -> None:
    found = await stage.examine()
    assert [one.said for one in found if one.state in {"fault", "warning"}] == []
    assert [(one.subject, one.name, one.state) for one in found] == [
        ("settings", "", "ok"),
        ("access", "keys", "ok"),
        ("access", "Entra ID", "skipped"),
        ("identity", "", "skipped"),
        ("definitions", "", "ok"),
        ("index", "atlas", "ok"),
        ("model", "planner", "ok"),
    ]


@pytest.mark.parametrize("name", FAULTS)
async def test_the_fault_is_found_and_nothing_else_is(name: str, stage: Stage) -> None:
    if name == ONE_BODY and can_stream():
        pytest.skip("the package that streams is installed")
    fault = FAULTS[name]
    fault.spoil(stage)
    wrong = [one for one in await stage.examine() if one.state in {"fault", "warning"}]
    assert wrong, "no fault was found"
    first = wrong[0]
    assert (first.subject, first.state) == (fault.subject, fault.state), wrong
    assert fault.said in first.said
    assert fault.do in first.do
    assert {one.subject for one in wrong} == {fault.subject}, wrong
    told(wrong)


def told(findings: list[Finding]) -> None:
    """Whole sentences without secrets, and something to do."""
    for one in findings:
        assert one.said[0].isupper() or one.said[0].isdigit() or one.said.startswith(("https:", "http:", one.name))
        assert one.do, one.said
        assert not [secret for secret in (*SECRETS, TOKEN) if secret in one.said + one.do]


@pytest.mark.parametrize(
    ("members", "settings"),
    [
        (LOW, {}),
        ({}, {"AGENT_EFFORT": "low"}),
        ({}, dict.fromkeys(("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_API_KEY"), "")),
    ],
    ids=["the base states it", "the deployment states it", "there is no model"],
)
async def test_a_base_is_not_named_for_its_effort_where(
    members: dict[str, object], settings: dict[str, str], stage: Stage
) -> None:
    stage.define(based(**members))
    stage.environ |= settings
    assert [one.said for one in await stage.examine() if one.state in {"fault", "warning"}] == []


async def test_a_tenant_that_is_there_is_said_to_be(stage: Stage) -> None:
    stage.with_entra()
    found = [one for one in await stage.examine() if one.name == "Entra ID"]
    assert [(one.state, one.said) for one in found] == [("ok", "The tenant is there, and its keys are at 127.0.0.1.")]


async def test_with_an_identity_each_service_gets_its_own_token(stage: Stage) -> None:
    stage.by_token()
    found = [one for one in await stage.examine() if one.subject == "identity"]
    assert [(one.name, one.state) for one in found] == [("Azure AI Search", "ok"), ("Azure OpenAI", "ok")]
    assert "https://search.azure.com" in found[0].said and "ManagedIdentityCredential" in found[0].said
    assert PRINCIPAL in found[0].said
    assert "https://cognitiveservices.azure.com" in found[1].said
    assert stage.identity is GIVEN


async def test_a_model_at_the_address_without_versions_is_asked_there(stage: Stage) -> None:
    stage.environ["AZURE_OPENAI_ENDPOINT"] = f"{stage.azure.address}/openai/v1"
    found = await stage.examine()
    assert [(one.said, one.state) for one in found if one.state in {"fault", "warning"}] == []
    assert [one.request.target for one in stage.azure.chats] == ["/openai/v1/chat/completions"]
