"""Agents, knowledge bases and knowledge sources over HTTP, in every version that has them, over one store."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from retrieval import compose
from retrieval.contracts.served_versions import VERSIONS
from retrieval.http.template import path_segments
from retrieval.local.host import Host
from tests.conftest import Post, Response, ask
from tests.contracts.azure.versions import golden, since
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.sampling import sample
from tests.scripted_azure import ScriptedAzure, failing

AGENTS: Final = ("2025-05-01-preview", "2025-08-01-preview")
BASES: Final = tuple(version for version, routes in VERSIONS.items() if "knowledgebases" in routes)
SOURCES: Final = ("2025-08-01-preview", *BASES)
OLDEST: Final = AGENTS[0]
NEWEST: Final = max(version for version in BASES if version.endswith("-preview"))
"""The newest preview, which has members that no GA version has."""
ADMIN: Final = "admin-key"
MODEL_KEY: Final = "model-key-5ec2e7"
BASE_OF_STUDIO: Final = {
    "workspace": "llm-scripted",
    "index": "index-1",
    "endpoint": "https://bailian.cn-beijing.aliyuncs.com",
    "fields": {},
    "calibration": [[0.2, 1], [0.4, 2], [0.6, 3]],
}
STUDIO: Final = {
    "MODEL_STUDIO_ACCESS_KEY_ID": "an-id",
    "MODEL_STUDIO_ACCESS_KEY_SECRET": "a-secret",
    "MODEL_STUDIO_BASES": json.dumps({"harbour-base": BASE_OF_STUDIO}),
}
OF_STUDIO: Final = {
    "name": "harbour",
    "kind": "modelStudioBase",
    "modelStudioBaseParameters": {"baseName": "harbour-base"},
}

Send: TypeAlias = Callable[..., Coroutine[Any, Any, Response]]


def collection(version: str) -> str:
    return "agents" if version in AGENTS else "knowledgebases"


def source(name: str = "roads", **parameters: object) -> dict[str, object]:
    return {"name": name, "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas", **parameters}}


def base(name: str = "mine", *sources: str, **members: object) -> dict[str, object]:
    return {"name": name, "knowledgeSources": [{"name": one} for one in sources or ("roads",)], **members}


def agent(name: str = "mine", index: str = "atlas", **members: object) -> dict[str, object]:
    return {"name": name, "models": [], "targetIndexes": [{"indexName": index}], **members}


def defined(version: str, name: str = "mine") -> dict[str, object]:
    return agent(name) if version == OLDEST else base(name)


WHOLE: Final[dict[str, Mapping[str, object]]] = {
    "2025-05-01-preview": agent(
        description="d",
        targetIndexes=[
            {
                "indexName": "atlas",
                "defaultRerankerThreshold": 1.5,
                "defaultIncludeReferenceSourceData": True,
                "defaultMaxDocsForReranker": 100,
            }
        ],
        requestLimits={"maxRuntimeInSeconds": 60, "maxOutputSize": 4_000},
    ),
    "2025-08-01-preview": {
        "name": "mine",
        "description": "d",
        "models": [],
        "knowledgeSources": [
            {
                "name": "roads",
                "includeReferences": False,
                "includeReferenceSourceData": True,
                "alwaysQuerySource": True,
                "maxSubQueries": 7,
                "rerankerThreshold": 1.5,
            }
        ],
        "outputConfiguration": {
            "modality": "answerSynthesis",
            "answerInstructions": "Be short.",
            "attemptFastPath": True,
            "includeActivity": False,
        },
        "requestLimits": {"maxRuntimeInSeconds": 60, "maxOutputSize": 4_000},
        "retrievalInstructions": "Roads first.",
    },
    "2025-11-01-preview": base(
        description="d",
        models=[],
        retrievalReasoningEffort={"kind": "medium"},
        outputMode="answerSynthesis",
        retrievalInstructions="Roads first.",
        answerInstructions="Be short.",
    ),
    "2026-04-01": base(description="d", models=[]),
    "2026-05-01-preview": base(
        description="d",
        models=[],
        knowledgeSources=[{"name": "roads", "enableImageServing": True, "enableFreshness": False}],
        retrievalReasoningEffort={"kind": "low"},
        outputMode="extractiveData",
        retrievalInstructions="Roads first.",
        answerInstructions="Be short.",
        corsOptions={"allowedOrigins": ["https://a.example.com"], "maxAgeInSeconds": 60},
    ),
    "2026-08-01-preview": base(
        description="d",
        models=[],
        knowledgeSources=[{"name": "roads", "enableImageServing": True, "enableFreshness": False}],
        retrievalReasoningEffort={"kind": "auto"},
        outputMode="extractiveData",
        retrievalInstructions="Roads first.",
        answerInstructions="Be short.",
        corsOptions={"allowedOrigins": ["*"], "maxAgeInSeconds": None},
        tags={"Team": "a", "costCenter": "7", "name": "x"},
        retrieveDefaults={"maxRuntimeInSeconds": 90, "maxOutputDocuments": 20, "maxOutputSizeInTokens": 4_000},
        groundEverything=True,
    ),
    "2026-10-01": base(
        description="d",
        models=[],
        retrievalReasoningEffort={"kind": "medium"},
        outputMode="answerSynthesis",
        retrievalInstructions="Roads first.",
        answerInstructions="Be short.",
        corsOptions={"allowedOrigins": ["https://a.example.com"], "maxAgeInSeconds": 60},
    ),
}
WHOLE["2026-11-01-preview"] = WHOLE["2026-08-01-preview"]
"""Every member of every version."""

HINTS: Final = {
    "filters": [{"field": "page", "fieldValues": ["1"], "filterInstructions": "By page."}],
    "boosts": [{"kind": "fieldValue", "field": "page", "fieldValues": ["1"], "boost": 2.0, "boostInstructions": "b"}],
}
FIELDS: Final[Mapping[str, Any]] = {
    "sourceDataFields": [{"name": "id"}, {"name": "title"}],
    "searchFields": [{"name": "title"}],
    "semanticConfigurationName": "default",
}
WHOLE_SOURCES: Final[dict[str, Mapping[str, object]]] = {
    "2025-08-01-preview": source(sourceDataSelect="id,title"),
    "2025-11-01-preview": source(**FIELDS),
    "2026-04-01": source(**FIELDS),
    "2026-05-01-preview": source(**FIELDS, baseFilter="page eq '1'"),
    "2026-08-01-preview": {
        **source(**FIELDS, baseFilter="page eq '1'", queryHints=HINTS),
        "resultsProcessing": "none",
    },
    "2026-10-01": source(**FIELDS, baseFilter="page eq '1'"),
}
WHOLE_SOURCES["2026-11-01-preview"] = WHOLE_SOURCES["2026-08-01-preview"]


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> dict[str, str]:
    return {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": "",
        "AGENTS_STORE": str(tmp_path / "store.json"),
        "API_KEYS": "query-key",
        "ADMIN_API_KEYS": ADMIN,
        "LOCAL": "0",
    }


@pytest.fixture
async def send(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Send]:
    async def send(
        method: str,
        path: str,
        body: object = b"",
        *,
        version: str = NEWEST,
        headers: Mapping[str, str] | None = None,
        key: str = ADMIN,
    ) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        target = f"/{path}?api-version={version}"
        return await post(body, target, method=method, headers=headers, key=key)

    compose.service.cache_clear()
    yield send
    await compose.end()


def code(answer: Response) -> tuple[int, str]:
    return answer.status, answer.json["error"]["code"]


def said(answer: Response) -> dict[str, Any]:
    """The definition without its etag, and without what is null."""
    told: dict[str, Any] = _without_nulls({name: value for name, value in answer.json.items() if name[0] != "@"})
    return told


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


async def _sourced(send: Send) -> None:
    """The source that definitions of these tests refer to."""
    assert (await send("POST", "knowledgesources", source())).status == 201


@pytest.mark.parametrize("kind", ["knowledgebases", "knowledgesources"])
@pytest.mark.parametrize(
    ("method", "rest", "function"),
    [
        ("GET", [""], ""),
        ("POST", [""], ""),
        ("GET", ["", "x"], "_one"),
        ("PUT", ["('x')"], "_one_odata"),
        ("DELETE", ["('it''s')"], "_one_odata"),
        ("PUT", ["", "status"], "_one"),
        ("PATCH", ["", "x"], None),
        ("POST", ["('x')"], None),
        ("GET", ["()"], None),
    ],
)
def test_the_right_function_takes_a_request(
    host: Host, kind: str, method: str, rest: list[str], function: str | None
) -> None:
    for spelled in (kind, kind.upper()):
        taken = host.table.find(method, path_segments("/".join([f"{spelled}{rest[0]}", *rest[1:]])))
        assert taken is not None
        assert taken[0].name == ("zz_unmatched" if function is None else f"{kind}{function}")


@pytest.mark.parametrize("form", ["{}/{}", "{}('{}')"])
@pytest.mark.parametrize("version", [*AGENTS, *BASES])
async def test_a_definition_is_created_got_listed_replaced_and_deleted(send: Send, version: str, form: str) -> None:
    await _sourced(send)
    kind = collection(version)
    path, body = form.format(kind, "mine"), defined(version)
    created = await send("POST", kind, {**body, "description": "first"}, version=version)
    assert (created.status, created.headers["ETag"]) == (201, created.json["@odata.etag"])
    assert created.json["models"] == []
    assert (await send("GET", path, version=version)).json == created.json
    assert (await send("GET", kind, version=version)).json == {"value": [created.json]}
    assert code(await send("POST", kind, body, version=version)) == (409, "ResourceNameAlreadyInUse")
    condition = {"if-match": created.json["@odata.etag"]}
    replaced = await send("PUT", path, body, version=version, headers=condition)
    assert (replaced.status, replaced.json["description"]) == (200, None)
    assert code(await send("PUT", path, body, version=version, headers=condition)) == (412, "PreconditionFailed")
    assert code(await send("DELETE", path, version=version, headers=condition)) == (412, "PreconditionFailed")
    minimal = await send("PUT", path, body, version=version, headers={"prefer": "return=minimal"})
    assert (minimal.status, minimal.body) == (204, b"")
    assert (await send("DELETE", path, version=version)).status == 204
    assert code(await send("DELETE", path, version=version)) == (404, "ResourceNotFound")
    assert code(await send("GET", path, version=version)) == (404, "ResourceNotFound")
    assert (await send("PUT", path, body, version=version, headers={"if-none-match": "*"})).status == 201


@pytest.mark.parametrize("form", ["{}/{}", "{}('{}')"])
@pytest.mark.parametrize("version", SOURCES)
async def test_a_source_is_created_got_listed_replaced_and_deleted(send: Send, version: str, form: str) -> None:
    path = form.format("knowledgesources", "roads")
    created = await send("POST", "knowledgesources", {**source(), "description": "first"}, version=version)
    assert (created.status, created.headers["ETag"]) == (201, created.json["@odata.etag"])
    assert "modelStudioBaseParameters" not in created.json
    assert (await send("GET", path, version=version)).json == created.json
    assert (await send("GET", "knowledgesources", version=version)).json == {"value": [created.json]}
    assert code(await send("POST", "knowledgesources", source(), version=version)) == (409, "ResourceNameAlreadyInUse")
    condition = {"if-match": created.json["@odata.etag"]}
    replaced = await send("PUT", path, source(), version=version, headers=condition)
    assert (replaced.status, replaced.json["description"]) == (200, None)
    assert code(await send("PUT", path, source(), version=version, headers=condition)) == (412, "PreconditionFailed")
    assert (await send("DELETE", path, version=version, headers={"if-match": "*"})).status == 204
    assert code(await send("DELETE", path, version=version)) == (404, "ResourceNotFound")
    assert code(await send("GET", path, version=version)) == (404, "ResourceNotFound")


def test_every_version_has_a_golden_of_each_kind_of_definition() -> None:
    assert (set(WHOLE), set(WHOLE_SOURCES)) == ({*AGENTS, *BASES}, set(SOURCES))


@pytest.mark.parametrize("version", [*AGENTS, *BASES])
async def test_every_member_of_a_version_comes_back_and_may_be_put_back(send: Send, version: str) -> None:
    await _sourced(send)
    created = await send("POST", collection(version), golden(WHOLE, version), version=version)
    assert created.status == 201, created.body
    assert said(created) == _without_nulls(golden(WHOLE, version))
    put = await send("PUT", f"{collection(version)}/mine", created.json, version=version)
    assert (put.status, said(put)) == (200, said(created))


@pytest.mark.parametrize("version", SOURCES)
async def test_every_member_of_a_source_comes_back_and_may_be_put_back(send: Send, version: str) -> None:
    created = await send("POST", "knowledgesources", golden(WHOLE_SOURCES, version), version=version)
    assert created.status == 201, created.body
    assert said(created) == _without_nulls(golden(WHOLE_SOURCES, version))
    put = await send("PUT", "knowledgesources('roads')", created.json, version=version)
    assert (put.status, said(put)) == (200, said(created))


@pytest.mark.parametrize("second", sample([*AGENTS, *BASES], every=2))
@pytest.mark.parametrize("first", [*AGENTS, *BASES])
async def test_what_one_version_puts_back_takes_nothing_that_another_stored(
    send: Send, first: str, second: str
) -> None:
    await _sourced(send)
    created = await send("POST", collection(first), golden(WHOLE, first), version=first)
    got = await send("GET", f"{collection(second)}/mine", version=second)
    assert (got.status, got.json["models"]) == (200, [])
    put = await send("PUT", f"{collection(second)}/mine", {**got.json, "description": "changed"}, version=second)
    assert put.status == 200, put.body
    now = await send("GET", f"{collection(first)}/mine", version=first)
    assert said(now) == {**said(created), "description": "changed"}


@pytest.mark.parametrize("second", sample(list(SOURCES), every=2))
@pytest.mark.parametrize("first", SOURCES)
async def test_what_one_version_puts_back_takes_nothing_of_a_source(send: Send, first: str, second: str) -> None:
    created = await send("POST", "knowledgesources", golden(WHOLE_SOURCES, first), version=first)
    got = await send("GET", "knowledgesources/roads", version=second)
    put = await send("PUT", "knowledgesources/roads", {**got.json, "description": "changed"}, version=second)
    assert put.status == 200, put.body
    now = await send("GET", "knowledgesources/roads", version=first)
    assert said(now) == {**said(created), "description": "changed"}


async def test_of_writers_in_two_versions_at_once_none_takes_what_it_cannot_say(send: Send) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    earlier = [{"description": str(number), **agent()} for number in range(15)]
    tagged = base(tags={"team": "a"}, description="tagged")
    answers = await asyncio.gather(
        *(send("PUT", "agents/mine", body, version=OLDEST) for body in earlier),
        send("PUT", "knowledgebases/mine", tagged),
        *(send("PUT", "agents/mine", body, version=OLDEST) for body in earlier),
    )
    assert {answer.status for answer in answers} == {200}
    assert (await send("GET", "knowledgebases/mine")).json["tags"] == {"team": "a"}


@pytest.mark.parametrize(
    ("path", "member"),
    [
        ("knowledgebases", {"tags": {"team": "a"}}),
        ("knowledgebases", {"retrieveDefaults": {"maxOutputDocuments": 1}}),
        ("knowledgebases", {"knowledgeSources": [{"name": "roads", "enableFreshness": True}]}),
        ("knowledgebases", {"retrievalReasoningEffort": {"kind": "auto"}}),
        ("knowledgebases", {"groundEverything": True}),
        ("knowledgesources", {"resultsProcessing": "none"}),
        ("knowledgesources", source(queryHints=HINTS)),
    ],
)
async def test_what_2026_10_01_left_behind_is_refused_with_the_previews_that_have_it(
    send: Send, path: str, member: dict[str, object]
) -> None:
    body = {**(source() if path == "knowledgesources" else base()), **member}
    refused = await send("POST", path, body, version="2026-10-01")
    assert code(refused) == (400, "InvalidRequestParameter")
    assert f"{', '.join(since('2026-08-01-preview'))}." in refused.json["error"]["message"]


@pytest.mark.parametrize("version", since("2026-11-01-preview", "2026-10-01"))
@pytest.mark.parametrize("kind", ["web", "remoteSharePoint", "workIQ", "somethingNew"])
async def test_a_kind_of_source_that_is_not_served_is_refused_by_its_name(send: Send, kind: str, version: str) -> None:
    body = {"name": "one", "kind": kind, f"{kind}Parameters": {}}
    refused = await send("POST", "knowledgesources", body, version=version)
    assert code(refused) == (400, "InvalidRequest")
    said = f"sources of the kind {kind!r} are not served here; "
    assert said in refused.json["error"]["message"]


async def test_a_kind_of_model_that_is_not_served_is_refused_by_its_name(send: Send) -> None:
    await _sourced(send)
    body = base(models=[{"kind": "microsoftFoundry", "microsoftFoundryParameters": {"modelName": "m"}}])
    refused = await send("POST", "knowledgebases", body, version="2026-11-01-preview")
    assert refused.json["error"]["target"] == "models[0].kind"
    assert "models of the kind 'microsoftFoundry' are not served; azureOpenAI is" in refused.json["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("knowledgesources", {**source(), "graphExtractionParameters": {"entities": []}}),
        ("knowledgesources", source(graphExtractionParameters={})),
        ("knowledgebases", base(graphProfile={"name": "g"})),
    ],
)
async def test_members_of_graphs_are_refused_by_their_name_and_never_stored(
    send: Send, path: str, body: dict[str, object]
) -> None:
    await _sourced(send)
    refused = await send("POST", path, {**body, "name": "graphed"}, version="2026-11-01-preview")
    assert code(refused) == (400, "InvalidRequest")
    assert "'graph" in refused.json["error"]["message"]
    assert (await send("GET", f"{path}/graphed", version="2026-11-01-preview")).status == 404


async def test_a_member_that_only_other_versions_have_is_refused_with_their_names(send: Send) -> None:
    await _sourced(send)
    refused = await send("POST", "knowledgebases", base(outputMode="extractiveData"), version="2026-04-01")
    assert code(refused) == (400, "InvalidRequestParameter")
    assert refused.json["error"]["target"] == "outputMode"
    for version in ("2025-11-01-preview", "2026-05-01-preview", "2026-08-01-preview"):
        assert version in refused.json["error"]["message"]
    assert "2026-04-01" not in refused.json["error"]["message"]
    body = base(retrievalReasoningEffort={"kind": "auto"})
    refused = await send("POST", "knowledgebases", body, version="2025-11-01-preview")
    assert "2026-08-01-preview" in refused.json["error"]["message"]
    unknown = await send("POST", "knowledgebases", base(colour="red"))
    assert unknown.json["error"]["message"] == "The property 'colour' does not exist here."


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"name": "My.Own"}, "name"),
        ({"knowledgeSources": []}, "knowledgeSources"),
        ({"knowledgeSources": [{"name": "roads"}] * 2}, "knowledgeSources"),
        ({"knowledgeSources": [{"name": f"s{i}"} for i in range(11)]}, "knowledgeSources"),
        ({"knowledgeSources": [{}]}, "knowledgeSources[0].name"),
        ({"knowledgeSources": [{"name": "nowhere"}]}, "knowledgeSources[0].name"),
        ({"knowledgeSources": [{"name": "roads"}, {"name": "nowhere"}]}, "knowledgeSources[1].name"),
        ({"retrievalReasoningEffort": {"kind": "high"}}, "retrievalReasoningEffort.kind"),
        ({"retrievalReasoningEffort": "low"}, "retrievalReasoningEffort"),
        ({"outputMode": "extractedData"}, "outputMode"),
        ({"answerInstructions": "a\x00b"}, "answerInstructions"),
        ({"tags": {"a": 1}}, "tags.a"),
        ({"retrieveDefaults": {"maxRuntimeInSeconds": 9}}, "retrieveDefaults.maxRuntimeInSeconds"),
        ({"corsOptions": {"maxAgeInSeconds": 1}}, "corsOptions.allowedOrigins"),
        ({"encryptionKey": {"keyVaultKeyName": "k"}}, "encryptionKey"),
    ],
)
async def test_what_breaks_a_rule_of_bases_is_a_400_that_names_the_place(
    send: Send, members: dict[str, object], place: str
) -> None:
    await _sourced(send)
    refused = await send("POST", "knowledgebases", {**base(), **members})
    assert (code(refused), refused.json["error"]["target"]) == ((400, "InvalidRequest"), place)
    assert (await send("GET", "knowledgebases")).json == {"value": []}


async def test_a_reference_to_a_source_that_does_not_exist_names_it(send: Send) -> None:
    refused = await send("POST", "knowledgebases", base("mine", "nowhere"))
    assert "There is no knowledge source 'nowhere'" in refused.json["error"]["message"]


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"kind": "web", "webParameters": {}}, "kind"),
        ({"kind": "azureBlob"}, "azureBlobParameters"),
        ({"searchIndexParameters": None}, "searchIndexParameters"),
        ({"searchIndexParameters": {}}, "searchIndexParameters.searchIndexName"),
        ({"modelStudioBaseParameters": {"baseName": "b"}}, "modelStudioBaseParameters"),
        ({"kind": "modelStudioBase"}, "modelStudioBaseParameters"),
        (
            {
                "kind": "modelStudioBase",
                "searchIndexParameters": None,
                "modelStudioBaseParameters": {"baseName": "nowhere"},
            },
            "modelStudioBaseParameters.baseName",
        ),
        ({"resultsProcessing": "some"}, "resultsProcessing"),
        ({"encryptionKey": {"a": "b"}}, "encryptionKey"),
    ],
)
async def test_what_breaks_a_rule_of_sources_is_a_400_that_names_the_place(
    send: Send, members: dict[str, object], place: str
) -> None:
    refused = await send("POST", "knowledgesources", {**source(), **members})
    assert (code(refused), refused.json["error"]["target"]) == ((400, "InvalidRequest"), place)


async def test_a_kind_that_is_not_served_is_named(send: Send) -> None:
    refused = await send("POST", "knowledgesources", {"name": "w", "kind": "web", "webParameters": {}})
    assert "'web'" in refused.json["error"]["message"]


async def test_a_base_filter_is_read_before_it_is_stored(send: Send) -> None:
    refused = await send("POST", "knowledgesources", source(baseFilter="page eq"))
    assert code(refused) == (400, "InvalidFilter")
    assert refused.json["error"]["target"] == "searchIndexParameters.baseFilter"


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("member", "again", "target"),
    [
        ('"baseFilter"', '"baseFilter": null, "baseFilter"', "searchIndexParameters.baseFilter"),
        ('"baseFilter"', '"base\\u0046ilter": null, "baseFilter"', "searchIndexParameters.baseFilter"),
        ('"field"', '"field": "b", "field"', "searchIndexParameters.queryHints.filters.field"),
    ],
)
async def test_a_definition_that_gives_a_member_twice_is_refused_and_not_stored(
    send: Send, member: str, again: str, target: str, bom: bytes
) -> None:
    hints = {"filters": [{"field": "a", "fieldValues": ["1"]}]}
    text = json.dumps(source(baseFilter="page eq 1", queryHints=hints))
    refused = await send("POST", "knowledgesources", bom + text.replace(member, again).encode())
    assert code(refused) == (400, "InvalidRequest")
    assert "given twice" in refused.json["error"]["message"] and refused.json["error"]["target"] == target
    assert (await send("GET", "knowledgesources('roads')")).status == 404
    assert (await send("POST", "knowledgesources", bom + text.encode())).status == 201


async def test_a_source_names_an_index_that_exists(send: Send, azure: ScriptedAzure) -> None:
    azure.count = failing(404)
    refused = await send("POST", "knowledgesources", source())
    assert refused.json["error"]["target"] == "searchIndexParameters.searchIndexName"
    assert "Create it first" in refused.json["error"]["message"]


@pytest.mark.parametrize("version", SOURCES[1:])
@pytest.mark.parametrize("path", ["knowledgesources/roads/status", "knowledgesources('roads')/status"])
async def test_a_source_is_active_at_once(send: Send, path: str, version: str) -> None:
    assert code(await send("GET", path, version=version)) == (404, "ResourceNotFound")
    await _sourced(send)
    status = (await send("GET", path, version=version)).json
    assert status["synchronizationStatus"] == "active"
    assert ("kind" in status) is (version >= "2026")


async def test_a_version_without_a_status_is_a_400_that_names_those_with_one(send: Send) -> None:
    refused = await send("GET", "knowledgesources/roads/status", version="2025-08-01-preview")
    assert code(refused) == (400, "UnsupportedApiVersion")
    assert refused.json["error"]["message"].endswith("Supported here: " + ", ".join(SOURCES[1:]) + ".")


async def test_an_agent_over_an_index_is_a_base_over_the_source_of_that_index(send: Send) -> None:
    await send("POST", "agents", agent(), version=OLDEST)
    await send("POST", "agents", agent("other"), version=OLDEST)
    for version in BASES:
        got = await send("GET", "knowledgebases/mine", version=version)
        assert [one["name"] for one in got.json["knowledgeSources"]] == ["atlas"]
    [only] = (await send("GET", "knowledgesources")).json["value"]
    assert (only["name"], only["searchIndexParameters"]["searchIndexName"]) == ("atlas", "atlas")
    for name in ("mine", "other"):
        refused = await send("DELETE", "knowledgesources/atlas")
        assert code(refused) == (409, "ResourceInUse")
        assert repr(name) in refused.json["error"]["message"]
        assert (await send("DELETE", f"agents/{name}", version=OLDEST)).status == 204
    assert (await send("GET", "knowledgesources/atlas")).status == 200
    assert (await send("DELETE", "knowledgesources/atlas")).status == 204


async def test_a_base_over_a_source_is_an_agent_over_its_index_and_follows_the_source(send: Send) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    path = "agents/mine"
    assert (await send("GET", path, version=OLDEST)).json["targetIndexes"][0]["indexName"] == "atlas"
    await send("PUT", "knowledgesources/roads", source(searchIndexName="other"))
    got = await send("GET", path, version=OLDEST)
    assert got.json["targetIndexes"][0]["indexName"] == "other"
    assert (await send("PUT", path, got.json, version=OLDEST)).status == 200
    assert (await send("GET", "knowledgebases/mine")).json["knowledgeSources"][0]["name"] == "roads"


async def test_a_source_that_is_used_is_kept(send: Send) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    assert code(await send("DELETE", "knowledgesources/roads")) == (409, "ResourceInUse")
    await send("DELETE", "knowledgebases/mine")
    assert (await send("DELETE", "knowledgesources/roads")).status == 204


async def test_the_name_of_an_agents_index_means_that_index(send: Send) -> None:
    await send("POST", "agents", agent(), version=OLDEST)
    refused = await send("PUT", "knowledgesources/atlas", source("atlas", searchIndexName="other"))
    assert (code(refused), refused.json["error"]["target"]) == ((400, "InvalidRequest"), "name")
    await send("POST", "knowledgesources", source("third", searchIndexName="other"))
    refused = await send("POST", "agents", agent("more", "third"), version=OLDEST)
    assert refused.json["error"]["target"] == "targetIndexes[0].indexName"


async def test_only_the_first_version_has_one_index_at_most(send: Send) -> None:
    await _sourced(send)
    await send("POST", "knowledgesources", source("rivers", searchIndexName="waters"))
    for version in [*AGENTS[1:], *BASES]:
        name = f"of-{version[:7]}"
        created = await send("POST", collection(version), base(name, "roads", "rivers"), version=version)
        assert created.status == 201, created.body
    got = await send("GET", "agents/of-2026-04", version=OLDEST)
    assert [one["indexName"] for one in got.json["targetIndexes"]] == ["atlas", "waters"]
    refused = await send("PUT", "agents/of-2026-04", got.json, version=OLDEST)
    assert refused.json["error"]["target"] == "targetIndexes"


async def test_definitions_need_the_right_to_manage(send: Send) -> None:
    for path in ("knowledgebases", "knowledgesources", "knowledgesources/roads/status"):
        assert (await send("GET", path, key="query-key")).status == 403


async def test_a_retrieve_is_over_what_the_source_names(send: Send, azure: ScriptedAzure) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    asked = ask("Which roads follow rivers?")
    answer = await send("POST", "agents/mine/retrieve", asked, version=OLDEST, key="query-key")
    assert answer.status == 200, answer.body
    assert "/indexes('atlas')/" in azure.searches[-1].request.target
    await send("PUT", "knowledgesources/roads", source(searchIndexName="other"))
    await send("POST", "agents/mine/retrieve", asked, version=OLDEST, key="query-key")
    assert "/indexes('other')/" in azure.searches[-1].request.target


async def test_what_agents_of_the_previous_release_imply_is_there_before_it_is_stored(
    send: Send, settings: dict[str, str]
) -> None:
    """Our decision: the etag of such a source is that of what it is, until it is stored."""
    stored = {"name": "old", "targets": [{"index": "atlas", "reranker_threshold": 2.0}]}
    file = Path(settings["AGENTS_STORE"])
    file.write_text(json.dumps({"agents": {"old": {"etag": "0x1", "agent": json.dumps(stored)}}}))
    before = file.read_bytes()
    [only] = (await send("GET", "knowledgesources")).json["value"]
    assert (await send("GET", "knowledgesources/atlas")).json == only
    assert (await send("GET", "knowledgesources/atlas/status")).status == 200
    assert [one["name"] for one in (await send("GET", "knowledgebases")).json["value"]] == ["old"]
    assert (await send("GET", "agents/old", version=OLDEST)).json["@odata.etag"] == '"0x1"'
    assert code(await send("POST", "knowledgesources", source("atlas"))) == (409, "ResourceNameAlreadyInUse")
    assert code(await send("DELETE", "knowledgesources/atlas")) == (409, "ResourceInUse")
    assert file.read_bytes() == before
    wrong = {"if-match": '"0x2"'}
    assert (await send("PUT", "knowledgesources/atlas", source("atlas"), headers=wrong)).status == 412
    described = {**only, "description": "changed"}
    put = await send("PUT", "knowledgesources/atlas", described, headers={"if-match": only["@odata.etag"]})
    assert (put.status, put.json["description"]) == (200, "changed")
    assert file.read_bytes() == before


async def test_what_refers_to_an_implied_source_keeps_it(send: Send, settings: dict[str, str]) -> None:
    """The previous release may delete its agent, and knows nothing of sources."""
    stored = {"name": "old", "targets": [{"index": "atlas"}]}
    file, entry = Path(settings["AGENTS_STORE"]), {"etag": "0x1", "agent": json.dumps(stored)}
    file.write_text(json.dumps({"agents": {"old": entry}}))
    assert (await send("POST", "knowledgebases", base("mine", "atlas"))).status == 201
    entries = json.loads(file.read_text())
    del entries["agents"]["old"]
    file.write_text(json.dumps(entries))
    await compose.end()
    assert [one["name"] for one in (await send("GET", "agents", version=OLDEST)).json["value"]] == ["mine"]
    assert (await send("GET", "knowledgesources/atlas")).status == 200


async def test_the_source_of_a_previous_releases_agent_outlives_it(send: Send, settings: dict[str, str]) -> None:
    stored = {"name": "old", "targets": [{"index": "atlas"}]}
    entry = {"etag": "0x1", "agent": json.dumps(stored)}
    Path(settings["AGENTS_STORE"]).write_text(json.dumps({"agents": {"old": entry}}))
    assert (await send("DELETE", "agents/old", version=OLDEST)).status == 204
    assert (await send("GET", "knowledgesources/atlas")).status == 200


def written(settings: dict[str, str], **members: object) -> Path:
    """AGENTS_FILE with these members."""
    file = Path(settings["AGENTS_STORE"]).with_name("configured.json")
    file.write_text(json.dumps(members))
    settings["AGENTS_FILE"] = str(file)
    return file


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", SOURCES)
async def test_a_base_of_model_studio_is_a_source_in_every_version(
    send: Send, settings: dict[str, str], version: str
) -> None:
    settings |= STUDIO
    created = await send("POST", "knowledgesources", OF_STUDIO, version=version)
    assert (created.status, said(created)) == (201, OF_STUDIO)
    await _sourced(send)
    for at in (*AGENTS[1:], *BASES):
        both = base(f"of-{at[:7]}", "roads", "harbour")
        assert (await send("POST", collection(at), both, version=at)).status == 201
    got = await send("GET", "agents/of-2025-08", version=OLDEST)
    assert [one["indexName"] for one in got.json["targetIndexes"]] == ["atlas", "harbour-base"]
    assert (await send("PUT", "agents/of-2025-08", got.json, version=OLDEST)).status == 200
    refused = await send("POST", "knowledgesources", source("other", searchIndexName="harbour-base"), version=version)
    assert refused.json["error"]["target"] == "searchIndexParameters.searchIndexName"


@NEEDS_BASES_OF_STUDIO
async def test_an_agent_over_a_base_of_model_studio_implies_a_source_of_that_kind(
    send: Send, settings: dict[str, str]
) -> None:
    settings |= STUDIO
    assert (await send("POST", "agents", agent(index="harbour-base"), version=OLDEST)).status == 201
    got = (await send("GET", "knowledgesources/harbour-base")).json
    assert (got["kind"], got["searchIndexParameters"]) == ("modelStudioBase", None)
    assert (await send("GET", "knowledgesources/harbour-base/status")).json["kind"] == "modelStudioBase"


async def test_the_file_defines_sources_bases_and_agents(
    send: Send, settings: dict[str, str], azure: ScriptedAzure
) -> None:
    model = {"resourceUri": azure.address, "deploymentId": "planner", "apiKey": MODEL_KEY}
    models = [{"kind": "azureOpenAI", "azureOpenAIParameters": model}]
    written(
        settings,
        knowledgeSources=[golden(WHOLE_SOURCES, NEWEST)],
        knowledgeBases=[{**golden(WHOLE, NEWEST), "models": models}, base("second", "waters")],
        agents=[agent("first", "waters")],
    )
    assert said(await send("GET", "knowledgesources/roads")) == _without_nulls(golden(WHOLE_SOURCES, NEWEST))
    got = await send("GET", "knowledgebases/mine")
    assert {**said(got), "models": []} == _without_nulls(golden(WHOLE, NEWEST))
    assert got.json["models"][0]["azureOpenAIParameters"]["apiKey"] == "<redacted>"
    assert (await send("PUT", "knowledgebases/mine", got.json)).status == 200
    listed = (await send("GET", "agents", version=OLDEST)).json["value"]
    assert [one["name"] for one in listed] == ["first", "mine", "second"]
    assert [one["name"] for one in (await send("GET", "knowledgesources")).json["value"]] == ["roads", "waters"]
    kept = (await send("GET", "knowledgesources")).body + got.body
    assert MODEL_KEY.encode() not in kept + Path(settings["AGENTS_STORE"]).read_bytes()


async def test_what_nobody_changed_follows_the_file_and_what_was_changed_is_told(
    send: Send, settings: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    def configure(description: str) -> None:
        sources = [{**source("roads"), "description": description}, {**source("ways"), "description": description}]
        written(settings, knowledgeSources=sources, knowledgeBases=[base(description=description)])

    async def descriptions() -> list[str]:
        paths = ("knowledgesources/roads", "knowledgesources/ways", "knowledgebases/mine")
        return [(await send("GET", path)).json["description"] for path in paths]

    async def state() -> str:
        compose.readiness.cache_clear()
        told: str = (await send("GET", "ready", key="")).json["agentStore"]
        return told

    configure("one")
    assert (await descriptions(), await state()) == (["one"] * 3, "reachable")
    await compose.end()
    configure("two")
    assert (await descriptions(), await state()) == (["two"] * 3, "reachable")
    await send("PUT", "knowledgesources/roads", {**source(), "description": "a caller's"})
    await compose.end()
    configure("three")
    assert (await descriptions(), await state()) == (["a caller's", "three", "three"], "differing")
    assert "no longer what the configuration says: roads" in caplog.text
    await send("PUT", "knowledgesources/roads", {**source(), "description": "three"})
    assert await state() == "reachable"


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"bases": []}, "'bases' is none of knowledgeSources, knowledgeBases, agents"),
        (
            {"knowledgeBases": [base()]},
            "the knowledge base 'mine' names the knowledge source 'roads', which is not there",
        ),
        ({"knowledgeSources": [source(), source()]}, "the knowledge source 'roads' is defined twice"),
        ({"knowledgeSources": [{"name": "w", "kind": "web"}]}, "'web'"),
        ({"knowledgeBases": [base("mine")], "knowledgeSources": [source()], "agents": [agent()]}, "called 'mine'"),
        ({"knowledgeSources": [OF_STUDIO]}, "is not in MODEL_STUDIO_BASES"),
        ({"knowledgeSources": [source(baseFilter="page eq")]}, "baseFilter"),
        ({"knowledgeSources": [{"name": "empty", "kind": "searchIndex"}]}, "searchIndexParameters"),
    ],
)
async def test_a_file_that_does_not_fit_is_told_in_the_log(
    send: Send,
    settings: dict[str, str],
    members: dict[str, object],
    sentence: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    written(settings, **members)
    assert code(await send("GET", "knowledgebases")) == (503, "ServiceNotConfigured")
    assert sentence in caplog.text


@pytest.mark.parametrize("version", [*AGENTS, *BASES])
async def test_the_sample_is_there_in_every_version(post: Post, version: str) -> None:
    async def got(path: str) -> Any:
        return (await post(b"", f"/{path}?api-version={version}", method="GET", key="local-admin-key")).json

    sample = await got(f"{collection(version)}/earth-at-night")
    named = sample["targetIndexes"][0]["indexName"] if version == OLDEST else sample["knowledgeSources"][0]["name"]
    assert named == "earth_at_night"
    if version != OLDEST:
        assert (await got("knowledgesources('earth_at_night')"))["kind"] == "searchIndex"


@pytest.mark.parametrize("version", [*AGENTS, *BASES])
async def test_a_key_is_refused_and_its_sign_comes_back_only_where_there_is_one(
    send: Send, settings: dict[str, str], azure: ScriptedAzure, version: str
) -> None:
    def body(name: str, deployment: str, **parameters: object) -> dict[str, object]:
        told = {"resourceUri": azure.address, "deploymentId": deployment, **parameters}
        return {**defined(version, name), "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": told}]}

    settings["ALLOWED_MODELS"] = json.dumps({azure.address: ["keyless"]})
    written(settings, agents=[{**agent("seed"), "models": body("seed", "planner", apiKey=MODEL_KEY)["models"]}])
    await _sourced(send)
    kind, place = collection(version), "models[0].azureOpenAIParameters"
    for refused, member in (
        (body("mine", "keyless", apiKey="a-key"), "apiKey"),
        (body("mine", "keyless", apiKey="<redacted>"), "apiKey"),
        (body("mine", "planner", apiKey="a-key"), "apiKey"),
        (body("mine", "keyless", authIdentity={"a": "b"}), "authIdentity"),
        (body("mine", "nowhere"), "resourceUri"),
    ):
        answer = await send("POST", kind, refused, version=version)
        assert (answer.status, answer.json["error"]["target"]) == (400, f"{place}.{member}")
        assert "a-key" not in answer.body.decode()
    redacted = await send("POST", kind, body("mine", "planner", apiKey="<redacted>"), version=version)
    assert redacted.json["models"][0]["azureOpenAIParameters"]["apiKey"] == "<redacted>"
    keyless = await send("POST", kind, body("other", "keyless"), version=version)
    assert keyless.json["models"][0]["azureOpenAIParameters"]["apiKey"] is None


async def test_what_cannot_be_read_is_named_deletable_and_may_be_put_anew(send: Send, settings: dict[str, str]) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    await send("POST", "knowledgesources", source("fine"))
    agents, sources = Path(settings["AGENTS_STORE"]), Path(settings["AGENTS_STORE"]).with_suffix(".sources.json")
    for file, kind, name in ((sources, "source", "roads"), (agents, "agent", "mine")):
        entries = json.loads(file.read_text())
        entries[f"{kind}s"][name][kind] = "{"
        file.write_text(json.dumps(entries))
    await compose.end()
    for version in SOURCES:
        listed = {one["name"]: one for one in (await send("GET", "knowledgesources", version=version)).json["value"]}
        assert set(listed) == {"fine", "roads"}
        assert "cannot be read as a knowledge source" in listed["roads"]["description"]
        assert (await send("GET", "knowledgesources/fine", version=version)).status == 200
    for version in BASES:
        [listed_base] = (await send("GET", "knowledgebases", version=version)).json["value"]
        assert "cannot be read as a knowledge base" in listed_base["description"]
        assert (listed_base["models"], listed_base["knowledgeSources"]) == ([], [])
    got = await send("GET", "knowledgesources/roads")
    assert code(got) == (502, "BackendUnavailable")
    assert "keeps definitions that are not sources: 'roads'." in got.json["error"]["message"]
    assert (await send("PUT", "knowledgesources/roads", source())).status == 200
    assert (await send("PUT", "knowledgebases/mine", base())).status == 200
    assert (await send("GET", "knowledgebases/mine")).json["knowledgeSources"][0]["name"] == "roads"


async def test_a_retrieve_says_which_source_cannot_be_read(send: Send, settings: dict[str, str]) -> None:
    await _sourced(send)
    await send("POST", "knowledgebases", base())
    sources = Path(settings["AGENTS_STORE"]).with_suffix(".sources.json")
    sources.write_text(json.dumps({"sources": {"roads": 7}}))
    await compose.end()
    answer = await send("POST", "agents/mine/retrieve", ask("Which roads?"), version=OLDEST, key="query-key")
    assert code(answer) == (502, "BackendUnavailable")
    assert "'roads'" in answer.json["error"]["message"]
