"""Knowledge sources whose index Azure's ingestion makes, over HTTP: in each version that has the kind, and across them.

The indexes have the shape that public code over such indexes names (`retrieval/local/ingested.py`); a scripted search
service has them, and remembers whether anything but reading was asked of it.
"""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.contracts.azure.versions import CITING, golden, since
from tests.http.test_definitions import (
    BASES,
    NEWEST,
    SOURCES,
    Send,
    _without_nulls,
    code,
    collection,
    said,
    source,
)
from tests.http.test_definitions import send as send
from tests.http.test_definitions import settings as settings
from tests.sampling import sample
from tests.scripted_azure import ScriptedAzure, answering, failing, replying

SECRET: Final = "s3cr3t-5ec2e7"
PREVIEWS: Final = since("2026-08-01-preview")
SINCE_MAY: Final = since("2026-05-01-preview", "2026-10-01")
HAVE: Final = {
    "azureBlob": SOURCES,
    "indexedOneLake": BASES,
    "indexedSharePoint": tuple(version for version in BASES if version != "2026-04-01"),
    "indexedSql": SINCE_MAY,
    "file": SINCE_MAY,
}
PAIRS: Final = [(kind, version) for kind, versions in HAVE.items() for version in versions]
LACKING: Final = [(kind, version) for kind in HAVE for version in SOURCES if version not in HAVE[kind]]

MODEL: Final = {
    "kind": "azureOpenAI",
    "azureOpenAIParameters": {"resourceUri": "https://a.openai.azure.com", "deploymentId": "e", "modelName": "m"},
}
OWN: Final[Mapping[str, Mapping[str, object]]] = {
    "azureBlob": {
        "connectionString": "ResourceId=/subscriptions/a;",
        "containerName": "docs",
        "folderPath": "2026",
        "isADLSGen2": True,
    },
    "indexedOneLake": {"fabricWorkspaceId": "w", "lakehouseId": "l", "targetPath": "docs"},
    "indexedSharePoint": {
        "connectionString": "SharePointOnlineEndpoint=https://a.sharepoint.com;ApplicationId=b;TenantId=c",
        "containerName": "useQuery",
        "query": "includeLibrary=a",
    },
    "indexedSql": {
        "connectionString": "Database=d;ResourceId=/subscriptions/a;",
        "tableOrView": "docs",
        "highWaterMarkColumnName": "v",
        "contentColumns": [{"name": "snippet", "sourceField": "body", "searchFieldType": "Edm.String"}],
        "embeddingColumns": [{"name": "snippet_vector", "sourceField": "body"}],
    },
    "file": {},
}
FLAT: Final = {
    "identity": {"@odata.type": "#Microsoft.Azure.Search.DataUserAssignedIdentity", "userAssignedIdentity": "/a/b"},
    "embeddingModel": MODEL,
    "chatCompletionModel": MODEL,
    "disableImageVerbalization": True,
    "ingestionSchedule": {"interval": "P1D", "startTime": "2026-01-01T00:00:00Z"},
}
INGESTION: Final = {
    **FLAT,
    "contentExtractionMode": "standard",
    "aiServices": {"uri": "https://a.services.ai.azure.com"},
}
PERMISSIONS: Final = {"ingestionPermissionOptions": ["userIds", "groupIds", "rbacScope"]}
LABELLED: Final = {
    "ingestionPermissionOptions": ["userIds", "sensitivityLabels"],
    "assetStore": {"connectionString": "ResourceId=/subscriptions/a;", "containerName": "images"},
    "freshnessPolicy": {"boostingDuration": "P30D"},
}
INGESTIONS: Final[Mapping[str, Mapping[str, object]]] = {
    "2025-11-01-preview": {**INGESTION, **PERMISSIONS},
    "2026-04-01": INGESTION,
    "2026-05-01-preview": {**INGESTION, **LABELLED},
    "2026-08-01-preview": {**INGESTION, **LABELLED, "networkAccessMode": "private"},
    "2026-10-01": {**INGESTION, **PERMISSIONS, "networkAccessMode": "public"},
    "2026-11-01-preview": {**INGESTION, **LABELLED, "networkAccessMode": "private"},
}
HINTS: Final = {"filters": [{"field": "page", "fieldValues": ["1"], "filterInstructions": "By page."}]}
CORS: Final = {"allowedOrigins": ["https://a.example.com"], "maxAgeInSeconds": 60}

FIELD: Final = {"azureBlob": "blob_url", "file": "doc_name"}
PLACE: Final = {"file": "roads.pdf"}
DOCUMENT: Final = {"uid": "u1", "snippet": "The roads of Phoenix are lit.", "@search.rerankerScore": 3.0}


def whole(kind: str, version: str, **parameters: object) -> dict[str, Any]:
    """A definition with every member that the version has."""
    own = dict(OWN[kind])
    if version == SOURCES[0]:
        del own["isADLSGen2"]
        own |= FLAT
    else:
        own["ingestionParameters"] = golden(INGESTIONS, version)
    if version in PREVIEWS:
        own["queryHints"] = HINTS
    beside: dict[str, object] = {"resultsProcessing": "none"} if version in PREVIEWS else {}
    if kind == "file" and version >= "2026-08":
        beside["corsOptions"] = CORS
    return {"name": "docs", "description": "d", "kind": kind, f"{kind}Parameters": {**own, **parameters}, **beside}


def shown(answer: Any, kind: str) -> dict[str, Any]:
    """The definition without what is null, and without the created resources, which every answer has."""
    told = said(answer)
    assert told[f"{kind}Parameters"].pop("createdResources") == {"index": "docs-index"}
    return told


@pytest.fixture
async def made(azure: ScriptedAzure) -> AsyncIterator[ScriptedAzure]:
    """A search service that has made the indexes. Nothing but reading is asked of it."""
    azure.index = answering(definition("blob_url"))
    azure.search = answering({"value": [{**DOCUMENT, "blob_url": "https://a.example.com/roads.pdf"}]})
    yield azure
    assert azure.lost == []


def definition(origin: str) -> dict[str, object]:
    """The definition of a generated index: it has no title, and one field has the place of a document."""
    return {
        "name": "docs-index",
        "fields": [
            {"name": "uid", "type": "Edm.String", "key": True},
            {"name": "snippet_parent_id", "type": "Edm.String", "filterable": True},
            {"name": origin, "type": "Edm.String", "filterable": True},
            {"name": "snippet", "type": "Edm.String"},
            {"name": "snippet_vector", "type": "Collection(Edm.Single)", "vectorSearchProfile": "p"},
        ],
        "semantic": {
            "defaultConfiguration": "docs-semantic-configuration",
            "configurations": [
                {
                    "name": "docs-semantic-configuration",
                    "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "snippet"}]},
                }
            ],
        },
        "vectorSearch": {"profiles": [{"name": "p", "vectorizer": "docs-vectorizer"}]},
    }


def test_every_version_has_a_golden_of_what_the_ingestion_reads() -> None:
    assert set(INGESTIONS) == set(BASES)


@pytest.mark.parametrize(("kind", "version"), PAIRS)
async def test_a_source_is_defined_listed_updated_and_deleted(
    send: Send, made: ScriptedAzure, kind: str, version: str
) -> None:
    created = await send("POST", "knowledgesources", whole(kind, version), version=version)
    assert created.status == 201, created.body
    assert shown(created, kind) == _without_nulls(whole(kind, version))
    assert (await send("GET", "knowledgesources", version=version)).json == {"value": [created.json]}
    put = await send("PUT", "knowledgesources('docs')", {**created.json, "description": "e"}, version=version)
    assert (put.status, put.json["description"]) == (200, "e")
    assert shown(put, kind) == {**shown(created, kind), "description": "e"}
    assert (await send("DELETE", "knowledgesources('docs')", version=version)).status == 204


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    sample([(kind, first, second) for kind, first in PAIRS for second in HAVE[kind]], every=4),
)
async def test_what_one_version_puts_back_takes_nothing_that_another_stored(
    send: Send, made: ScriptedAzure, kind: str, first: str, second: str
) -> None:
    await send("POST", "knowledgesources", whole(kind, first), version=first)
    got = await send("GET", "knowledgesources('docs')", version=second)
    put = await send("PUT", "knowledgesources('docs')", {**got.json, "description": "e"}, version=second)
    assert put.status == 200, put.body
    now = await send("GET", "knowledgesources('docs')", version=first)
    assert shown(now, kind) == _without_nulls({**whole(kind, first), "description": "e"})


async def test_an_update_changes_one_member_and_keeps_those_that_its_version_lacks(
    send: Send, made: ScriptedAzure
) -> None:
    await send("POST", "knowledgesources", whole("azureBlob", NEWEST))
    got = (await send("GET", "knowledgesources('docs')", version="2026-04-01")).json
    parameters = got["azureBlobParameters"]
    parameters |= {"folderPath": None, "ingestionParameters": {**parameters["ingestionParameters"], "identity": None}}
    put = await send("PUT", "knowledgesources('docs')", got, version="2026-04-01")
    assert put.status == 200, put.body
    expected = whole("azureBlob", NEWEST)
    del expected["azureBlobParameters"]["folderPath"]
    ingestion = {**expected["azureBlobParameters"]["ingestionParameters"]}
    del ingestion["identity"]
    expected["azureBlobParameters"]["ingestionParameters"] = ingestion
    assert shown(await send("GET", "knowledgesources('docs')"), "azureBlob") == _without_nulls(expected)


@pytest.mark.parametrize(("kind", "version"), LACKING)
async def test_a_version_that_lacks_a_kind_shows_the_source_without_it_and_retrieves_from_no_base_with_it(
    send: Send, made: ScriptedAzure, kind: str, version: str
) -> None:
    await send("POST", "knowledgesources", whole(kind, NEWEST))
    got = await send("GET", "knowledgesources('docs')", version=version)
    assert got.status == 200
    assert {"kind", f"{kind}Parameters"}.isdisjoint(got.json)
    assert (await send("GET", "knowledgesources", version=version)).json == {"value": [got.json]}
    put = await send("PUT", "knowledgesources('docs')", {**got.json, "kind": kind}, version=version)
    assert code(put) == (400, "InvalidRequestParameter")
    assert f"{kind!r} exists in: {', '.join(HAVE[kind])}." in put.json["error"]["message"]
    await send("POST", "knowledgebases", {"name": "mine", "knowledgeSources": [{"name": "docs"}]})
    refused = await retrieve(send, version)
    assert code(refused) == (400, "InvalidRequestParameter")
    reason = f"The knowledge source 'docs' is of the kind {kind}, which this api-version does not have."
    assert refused.json["error"]["message"] == f"{reason} It exists in: {', '.join(HAVE[kind])}."
    assert made.searches == []


async def test_the_first_version_has_no_such_kind(send: Send, made: ScriptedAzure) -> None:
    await send("POST", "knowledgesources", whole("azureBlob", NEWEST))
    await send("POST", "knowledgebases", {"name": "mine", "knowledgeSources": [{"name": "docs"}]})
    refused = await retrieve(send, "2025-05-01-preview")
    assert code(refused) == (400, "InvalidRequestParameter")
    assert "'docs' is of the kind azureBlob" in refused.json["error"]["message"]


async def retrieve(send: Send, version: str, *, headers: Mapping[str, str] | None = None, **members: object) -> Any:
    route = "agents" if version.startswith(("2025-05", "2025-08")) else "knowledgebases"
    body: dict[str, object] = {"messages": [{"role": "user", "content": [{"type": "text", "text": "lit roads"}]}]}
    if version == "2026-04-01":
        body = {"intents": [{"type": "semantic", "search": "lit roads"}]}
    return await send("POST", f"{route}/mine/retrieve", {**body, **members}, version=version, headers=headers)


@pytest.mark.parametrize(("kind", "version"), PAIRS)
async def test_a_retrieve_has_the_records_and_the_references_of_the_kind(
    send: Send, made: ScriptedAzure, kind: str, version: str
) -> None:
    field, place = FIELD.get(kind, "doc_url"), PLACE.get(kind, "https://a.example.com/roads.pdf")
    made.index = answering(definition(field))
    made.search = answering({"value": [{**DOCUMENT, field: place}]})
    plain = {name: value for name, value in whole(kind, version).items() if name != "resultsProcessing"}
    await send("POST", "knowledgesources", plain, version=version)
    collection = "agents" if version == SOURCES[0] else "knowledgebases"
    body = {"name": "mine", "models": [], "knowledgeSources": [{"name": "docs"}]}
    await send("POST", collection, body, version=version)
    params = {"knowledgeSourceName": "docs", "kind": kind}
    if version != SOURCES[0]:
        params["includeReferenceSourceData"] = True  # type: ignore[assignment]
    answer = await retrieve(send, version, knowledgeSourceParams=[params])
    assert answer.status == 200, answer.body
    (search,) = [record for record in answer.json["activity"] if record["type"] == kind]
    assert (search["knowledgeSourceName"], search["count"]) == ("docs", 1)
    assert search[f"{kind}Arguments"] == {"search": "lit roads"}
    assert not [name for name in search if name.endswith("Arguments") and name != f"{kind}Arguments"]
    (reference,) = answer.json["references"]
    source_data = None if version == SOURCES[0] else {"uid": "u1", "snippet": DOCUMENT["snippet"], field: place}
    expected = {
        "type": kind,
        "id": "0",
        "activitySource": 0,
        "rerankerScore": 3.0,
        "sourceData": source_data,
        {"azureBlob": "blobUrl", "file": "docName"}.get(kind, "docUrl"): place,
    }
    citation = reference.pop("citationUrl", "")
    assert reference == expected
    assert ("/indexes/docs-index/docs/u1?" in citation) is (version in CITING)
    assert made.searches[0].json["semanticConfiguration"] == "docs-semantic-configuration"
    assert made.searches[0].json["vectorQueries"][0]["fields"] == "snippet_vector"


USER_TOKEN: Final = "x-ms-query-source-authorization"
ALICE: Final = "token-of-alice"
PERMISSION_FIELDS: Final = [
    {"name": "UserIds", "type": "Collection(Edm.String)", "filterable": True, "permissionFilter": "userIds"},
    {"name": "GroupIds", "type": "Collection(Edm.String)", "filterable": True, "permissionFilter": "groupIds"},
    {"name": "RbacScope", "type": "Edm.String", "filterable": True, "permissionFilter": "rbacScope"},
]
"""As the ingestion makes them with `ingestionPermissionOptions` (knowledge-sources, section 4.1)."""

KNOWS_PERMISSIONS: Final = {"2025-05-01-preview"}
"""The versions of the search service, among those used here, in which it keeps back what a user may not see."""


def permitted(index: Mapping[str, Any]) -> dict[str, Any]:
    """The definition of an index whose documents have permissions, as another version than these does not tell it."""
    return {**index, "permissionFilterOption": "enabled", "fields": [*index["fields"], *PERMISSION_FIELDS]}


def by_version(older: object, newer: object) -> WireService:
    """An answer of a version that knows of permissions, and one of any other."""

    async def answer(request: WireRequest) -> WireResponse:
        knows = any(f"api-version={version}" in request.target for version in KNOWS_PERMISSIONS)
        return await answering(newer if knows else older)(request)

    return answer


def kept_back(document: object) -> WireService:
    """A search service whose document only Alice may see."""

    async def answer(request: WireRequest) -> WireResponse:
        found = [document] if request.header(USER_TOKEN) == ALICE else []
        return await by_version({"value": [document]}, {"value": found})(request)

    return answer


@pytest.mark.parametrize("kind", ["searchIndex", *HAVE])
@pytest.mark.parametrize("vectors", [True, False])
async def test_a_document_with_permissions_comes_to_its_user_alone_in_every_version(
    send: Send, made: ScriptedAzure, kind: str, vectors: bool
) -> None:
    field = FIELD.get(kind, "doc_url")
    plain = definition(field)
    if not vectors:
        del plain["vectorSearch"]
    made.index = by_version(plain, permitted(plain))
    made.search = kept_back({**DOCUMENT, field: PLACE.get(kind, "https://a.example.com/roads.pdf")})
    for version in HAVE.get(kind, SOURCES):
        body = whole(kind, version) if kind in HAVE else source("docs", searchIndexName="docs-index")
        body.pop("resultsProcessing", None)
        assert (await send("PUT", "knowledgesources('docs')", body, version=version)).status in {200, 201}
        base = {"name": "mine", "models": [], "knowledgeSources": [{"name": "docs"}]}
        await send("PUT", f"{collection(version)}('mine')", base, version=version)
        seen = {}
        for token in (ALICE, "token-of-bob", None):
            headers = None if token is None else {USER_TOKEN: token}
            answer = await retrieve(send, version, headers=headers)
            assert answer.status == 200, answer.body
            assert ALICE not in answer.body.decode()
            seen[token] = len(answer.json["references"])
        assert seen == {ALICE: 1, "token-of-bob": 0, None: 0}, version
        selected = {name for search in made.searches for name in search.json["select"].split(",")}
        assert selected.isdisjoint({"UserIds", "GroupIds", "RbacScope"})


@pytest.mark.parametrize(("kind", "version"), sample(PAIRS, every=4))
async def test_a_base_over_such_an_index_may_demand_the_token(
    send: Send, made: ScriptedAzure, settings: dict[str, str], kind: str, version: str
) -> None:
    settings["USER_TOKEN_AGENTS"] = "mine"
    await send("PUT", "knowledgesources('docs')", whole(kind, version), version=version)
    base = {"name": "mine", "models": [], "knowledgeSources": [{"name": "docs"}]}
    await send("PUT", f"{collection(version)}('mine')", base, version=version)
    refused = await retrieve(send, version)
    assert (refused.status, made.searches) == (403, [])
    assert USER_TOKEN in refused.json["error"]["message"]


async def test_without_such_a_field_a_reference_says_nothing_of_the_place(send: Send, made: ScriptedAzure) -> None:
    made.index = answering(definition("row"))
    made.search = answering({"value": [DOCUMENT]})
    await send("POST", "knowledgesources", whole("indexedSql", "2026-10-01"), version="2026-10-01")
    await send("POST", "knowledgebases", {"name": "mine", "knowledgeSources": [{"name": "docs"}]})
    (reference,) = (await retrieve(send, "2026-10-01")).json["references"]
    assert "docUrl" not in reference


@pytest.mark.parametrize("kind", HAVE)
async def test_without_the_index_the_error_says_which_call_to_the_search_service_makes_it(
    send: Send, azure: ScriptedAzure, kind: str
) -> None:
    azure.count = failing(404)
    refused = await send("POST", "knowledgesources", whole(kind, NEWEST))
    assert code(refused) == (400, "InvalidRequest")
    error = refused.json["error"]
    assert error["target"] == f"{kind}Parameters.createdResources.index"
    assert "'docs-index'" in error["message"] and "PUT knowledgesources('docs')" in error["message"]


async def test_the_index_is_the_one_that_the_created_resources_name(send: Send, made: ScriptedAzure) -> None:
    resources = {"index": "other", "datasource": "docs-datasource"}
    created = await send("POST", "knowledgesources", whole("azureBlob", NEWEST, createdResources=resources))
    assert created.json["azureBlobParameters"]["createdResources"] == resources
    put = await send("PUT", "knowledgesources('docs')", whole("azureBlob", NEWEST))
    assert put.json["azureBlobParameters"]["createdResources"] == resources, "read-only to Azure's clients"
    await send("POST", "knowledgebases", {"name": "mine", "knowledgeSources": [{"name": "docs"}]})
    assert (await retrieve(send, NEWEST)).status == 200
    assert made.searches[0].request.target.startswith("/indexes('other')/")


@pytest.mark.parametrize("version", HAVE["azureBlob"])
async def test_secrets_are_neither_kept_nor_shown(
    send: Send, made: ScriptedAzure, settings: Mapping[str, str], caplog: pytest.LogCaptureFixture, version: str
) -> None:
    caplog.set_level(logging.DEBUG)
    body = whole("azureBlob", version, connectionString=f"AccountName=a;AccountKey={SECRET}")
    keyed = {**MODEL, "azureOpenAIParameters": {**MODEL["azureOpenAIParameters"], "apiKey": SECRET}}  # type: ignore[dict-item]
    parameters = body["azureBlobParameters"]
    if version == SOURCES[0]:
        parameters["embeddingModel"] = keyed
    else:
        services = {"uri": "https://a.example.com", "apiKey": SECRET}
        parameters["ingestionParameters"] = {**INGESTION, "embeddingModel": keyed, "aiServices": services}
    created = await send("POST", "knowledgesources", body, version=version)
    assert created.json["azureBlobParameters"]["connectionString"] == "<redacted>"
    put = await send("PUT", "knowledgesources('docs')", created.json, version=version)
    assert said(put) == said(created)
    stored = [file.read_text() for file in Path(settings["AGENTS_STORE"]).parent.glob("*.json")]
    assert stored and SECRET not in "".join([*stored, caplog.text, created.body.decode(), put.body.decode()])


@pytest.mark.parametrize("version", BASES)
async def test_a_status_has_the_documents_of_the_index_and_says_who_keeps_it(
    send: Send, made: ScriptedAzure, version: str
) -> None:
    await send("POST", "knowledgesources", whole("azureBlob", version), version=version)
    status = (await send("GET", "knowledgesources('docs')/status", version=version)).json
    assert (status["synchronizationStatus"], status["documentCount"]) == ("active", 7)
    assert status["synchronizedBy"] == "searchService"
    made.count = failing(404)
    status = (await send("GET", "knowledgesources('docs')/status", version=version)).json
    assert (status["synchronizationStatus"], "documentCount" in status) == ("creating", False)


async def test_a_source_of_another_kind_takes_the_place_of_one(send: Send, made: ScriptedAzure) -> None:
    await send("POST", "knowledgesources", whole("azureBlob", NEWEST))
    put = await send("PUT", "knowledgesources('docs')", whole("file", NEWEST))
    assert shown(put, "file") == _without_nulls(whole("file", NEWEST))
    plain = {"name": "docs", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
    put = await send("PUT", "knowledgesources('docs')", plain, version="2026-04-01")
    assert said(put) == plain


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"createdResources": {"index": ""}}, "azureBlobParameters.createdResources.index"),
        ({"createdResources": {"index": "i" * 129}}, "azureBlobParameters.createdResources.index"),
        ({"folderPath": "f" * 4_001}, "azureBlobParameters.folderPath"),
        ({"ingestionParameters": {"identity": {"a": "b" * 30_000}}}, None),
        ({"containerName": None}, "azureBlobParameters.containerName"),
    ],
)
async def test_what_no_definition_can_have_is_refused(
    send: Send, made: ScriptedAzure, parameters: Mapping[str, object], place: str | None
) -> None:
    refused = await send("POST", "knowledgesources", whole("azureBlob", NEWEST, **parameters))
    assert code(refused) == (400, "InvalidRequest")
    assert refused.json["error"].get("target") == place


async def test_the_plan_picks_such_a_source_by_its_name_and_description(
    send: Send, made: ScriptedAzure, settings: dict[str, str]
) -> None:
    settings |= {"AZURE_OPENAI_ENDPOINT": made.address, "AZURE_OPENAI_DEPLOYMENT": "d", "AZURE_OPENAI_API_KEY": "k"}
    made.chat = replying(json.dumps({"queries": ["lit roads"], "sources": ["docs"]}))
    plain = {"name": "roads", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
    await send("POST", "knowledgesources", plain)
    described = {**whole("azureBlob", "2026-10-01"), "description": "Plans of lamps"}
    await send("POST", "knowledgesources", described, version="2026-10-01")
    await send("POST", "knowledgebases", {"name": "mine", "knowledgeSources": [{"name": "docs"}, {"name": "roads"}]})
    answer = await retrieve(send, "2026-10-01")
    assert [record["knowledgeSourceName"] for record in answer.json["activity"] if "queryTime" in record] == ["docs"]
    assert "Plans of lamps" in made.chats[0].request.body.decode()


async def test_only_files_have_cors_options(send: Send, made: ScriptedAzure) -> None:
    refused = await send("POST", "knowledgesources", {**whole("azureBlob", NEWEST), "corsOptions": CORS})
    assert (refused.status, refused.json["error"]["target"]) == (400, "corsOptions")


@pytest.mark.parametrize(
    ("kind", "version", "member", "versions"),
    [
        ("azureBlob", "2026-10-01", {"queryHints": HINTS}, ", ".join(PREVIEWS)),
        ("azureBlob", "2026-10-01", {"ingestionParameters": LABELLED}, "2026-05-01-preview, 2026-08-01-preview"),
        ("indexedSharePoint", "2026-08-01-preview", {"containerName": "allSiteLists"}, "2026-10-01"),
        ("azureBlob", "2026-04-01", {"ingestionParameters": PERMISSIONS}, "2025-11-01-preview"),
    ],
)
async def test_a_member_of_another_version_is_refused_with_the_versions_that_have_it(
    send: Send, kind: str, version: str, member: Mapping[str, object], versions: str
) -> None:
    refused = await send("POST", "knowledgesources", whole(kind, version, **member), version=version)
    assert code(refused) == (400, "InvalidRequestParameter")
    assert versions in str(refused.json["error"])
