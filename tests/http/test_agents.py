"""The definitions over HTTP: every route in both forms, the preconditions, the ranges, what is refused and why."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from retrieval import compose
from retrieval.http.template import path_segments
from retrieval.local.host import Host
from tests.conftest import Post, Response, ask
from tests.scripted_azure import ScriptedAzure, answering, failing, found, queries

VERSION: Final = "api-version=2025-05-01-preview"
ADMIN: Final = "admin-key"
MODEL_KEY: Final = "model-key-5ec2e7"
BOTH_FORMS: Final = ["/agents('{}')", "/agents/{}"]

Send: TypeAlias = Callable[..., Coroutine[Any, Any, Response]]


def definition(name: str = "mine", **members: object) -> dict[str, object]:
    return {"name": name, "models": [], "targetIndexes": [{"indexName": "atlas"}], **members}


def model(address: str, deployment: str = "planner", **parameters: object) -> dict[str, object]:
    told = {"resourceUri": address, "deploymentId": deployment, **parameters}
    return {"kind": "azureOpenAI", "azureOpenAIParameters": told}


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> dict[str, str]:
    """The environment of the deployment; a test may change it before the first call."""
    file = tmp_path / "agents.json"
    seed = definition("seed", models=[model(azure.address, apiKey=MODEL_KEY)])
    file.write_text(json.dumps([seed]))
    return {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": str(tmp_path / "store.json"),
        "ALLOWED_MODELS": json.dumps({azure.address: ["another"]}),
        "API_KEYS": "query-key",
        "ADMIN_API_KEYS": ADMIN,
        "LOCAL": "0",
    }


@pytest.fixture
async def send(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Send]:
    async def send(
        method: str, path: str, body: object = b"", *, headers: Mapping[str, str] | None = None, key: str = ADMIN
    ) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return await post(body, f"{path}?{VERSION}", method=method, headers=headers, key=key)

    compose.service.cache_clear()
    yield send
    await compose.end()


def code(answer: Response) -> tuple[int, str]:
    return answer.status, answer.json["error"]["code"]


@pytest.mark.parametrize("form", BOTH_FORMS)
async def test_an_agent_is_created_got_listed_replaced_and_deleted(send: Send, form: str) -> None:
    path = form.format("mine")
    created = await send("POST", "/agents", definition(description="first"))
    assert created.status == 201
    assert (await send("GET", path)).json == created.json
    assert [one["name"] for one in (await send("GET", "/agents")).json["value"]] == ["mine", "seed"]
    replaced = await send("PUT", path, definition(description="second"))
    assert (replaced.status, replaced.json["description"]) == (200, "second")
    assert replaced.json["@odata.etag"] != created.json["@odata.etag"]
    deleted = await send("DELETE", path)
    assert (deleted.status, deleted.body) == (204, b"")
    assert code(await send("DELETE", path)) == (404, "ResourceNotFound")
    assert code(await send("GET", path)) == (404, "ResourceNotFound")
    assert (await send("PUT", path, definition())).status == 201


async def test_a_definition_comes_back_as_it_was_sent_with_explicit_nulls(send: Send, azure: ScriptedAzure) -> None:
    sent = definition(
        description="Straßen bei Nacht",
        models=[model(azure.address, "another", modelName="gpt-4o-mini")],
        targetIndexes=[
            {
                "indexName": "atlas",
                "defaultRerankerThreshold": 2.5,
                "defaultIncludeReferenceSourceData": True,
                "defaultMaxDocsForReranker": 100,
            }
        ],
        requestLimits={"maxRuntimeInSeconds": 60, "maxOutputSize": 5_000},
    )
    got = (await send("POST", "/agents", sent)).json
    parameters = {"modelName": "gpt-4o-mini", "apiKey": None, "authIdentity": None}
    whole = {**sent, "models": [model(azure.address, "another", **parameters)], "encryptionKey": None}
    assert got == {"@odata.etag": got["@odata.etag"], **whole}
    bare = (await send("POST", "/agents", {"name": "bare", "targetIndexes": [{"indexName": "atlas"}]})).json
    assert (bare["models"], bare["requestLimits"], bare["description"]) == ([], None, None)


async def test_what_is_got_may_be_put_back(send: Send) -> None:
    got = await send("GET", "/agents('seed')")
    put = await send("PUT", "/agents('seed')", got.json, headers={"if-match": got.json["@odata.etag"]})
    assert put.status == 200
    assert {**put.json, "@odata.etag": ""} == {**got.json, "@odata.etag": ""}


async def test_the_etag_stands_in_the_body_and_in_the_header(send: Send) -> None:
    for answer in (await send("POST", "/agents", definition()), await send("GET", "/agents('mine')")):
        assert answer.headers["ETag"] == answer.json["@odata.etag"]
        assert answer.headers["ETag"].startswith('"0x')


async def test_creating_what_is_there_is_a_409_and_changes_nothing(send: Send) -> None:
    first = await send("POST", "/agents", definition(description="first"))
    again = await send("POST", "/agents", definition(description="second"))
    assert code(again) == (409, "ResourceNameAlreadyInUse")
    assert (await send("GET", "/agents('mine')")).json == first.json


@pytest.mark.parametrize("form", ["{}", "{} ", 'W/"0xOLD", {}', '"0xOLD",{}', "*"])
async def test_if_match_lets_the_holder_of_the_etag_write(send: Send, form: str) -> None:
    etag = (await send("POST", "/agents", definition())).json["@odata.etag"]
    condition = {"if-match": form.format(etag)}
    assert (await send("PUT", "/agents('mine')", definition(), headers=condition)).status == 200
    assert (await send("DELETE", "/agents('mine')", headers={"if-match": "*"})).status == 204


@pytest.mark.parametrize(
    "condition",
    [
        {"if-match": '"0xOLD"'},
        {"if-match": "0xOLD"},
        {"if-match": 'W/"{}"'},
        {"if-none-match": "*"},
        {"if-none-match": '"{}"'},
        {"if-none-match": 'W/"{}"'},
        {"if-match": '"{}"', "if-none-match": "*"},
    ],
)
async def test_a_precondition_that_does_not_hold_is_a_412_and_changes_nothing(
    send: Send, condition: dict[str, str]
) -> None:
    first = await send("POST", "/agents", definition())
    bare = first.json["@odata.etag"].strip('"')
    headers = {name: value.replace("{}", bare) for name, value in condition.items()}
    assert code(await send("PUT", "/agents('mine')", definition(), headers=headers)) == (412, "PreconditionFailed")
    assert code(await send("DELETE", "/agents('mine')", headers=headers)) == (412, "PreconditionFailed")
    assert (await send("GET", "/agents('mine')")).json == first.json


async def test_a_precondition_on_what_is_not_there(send: Send) -> None:
    assert code(await send("PUT", "/agents('mine')", definition(), headers={"if-match": "*"}))[0] == 412
    assert code(await send("DELETE", "/agents('mine')", headers={"if-match": "*"}))[0] == 412
    assert (await send("PUT", "/agents('mine')", definition(), headers={"if-none-match": "*"})).status == 201


@pytest.mark.parametrize("header", ["if-match", "if-none-match"])
@pytest.mark.parametrize("value", ['"0x1', '"*"', "0x1, *", ",", '"a" "b', '"""'])
async def test_a_precondition_that_cannot_be_read_is_a_400(send: Send, header: str, value: str) -> None:
    answer = await send("PUT", "/agents('mine')", definition(), headers={header: value})
    assert code(answer) == (400, "InvalidRequest")


@pytest.mark.parametrize(
    ("prefer", "statuses"),
    [
        ("", (201, 204)),
        ("return=representation", (201, 200)),
        ("return=minimal", (204, 204)),
        ("respond-async, return = minimal", (204, 204)),
        ('return="minimal"; x=1', (204, 204)),
        ("return=representation, return=minimal", (201, 200)),
        ("nonsense", (201, 204)),
    ],
)
async def test_prefer_decides_whether_the_object_comes_back(send: Send, prefer: str, statuses: tuple[int, int]) -> None:
    """Azure answers a PUT without `Prefer` 204 without a body; each of Microsoft's SDKs prefers the representation."""
    put = partial(send, "PUT", "/agents('mine')", definition(), headers={"prefer": prefer})
    answers = [await put() for _ in range(2)]
    assert tuple(answer.status for answer in answers) == statuses
    for answer in answers:
        assert answer.headers["ETag"]
        assert bool(answer.body) is (answer.status != 204)
        assert (answer.headers.get("Preference-Applied") == "return=minimal") is (statuses[0] == 204)


async def test_of_many_writers_at_once_with_one_etag_one_wins_and_the_others_get_412(send: Send) -> None:
    etag = (await send("POST", "/agents", definition())).json["@odata.etag"]

    async def write(number: int) -> Response:
        body = definition(description=f"version {number} " * 50)
        return await send("PUT", "/agents('mine')", body, headers={"if-match": etag})

    answers = await asyncio.gather(*(write(number) for number in range(40)))
    [won] = [answer for answer in answers if answer.status == 200]
    assert {answer.status for answer in answers} == {200, 412}
    assert (await send("GET", "/agents('mine')")).json == won.json


OUT_OF_RANGE: Final[Mapping[str, Sequence[object]]] = {
    "defaultRerankerThreshold": [-0.1, 4.1, "2"],
    "defaultMaxDocsForReranker": [0, 201, 1.5],
    "defaultIncludeReferenceSourceData": ["yes", 1],
}
OVER_LIMITS: Final[Mapping[str, Sequence[object]]] = {
    "maxRuntimeInSeconds": [9, 601, 10.5],
    "maxOutputSize": [0, -1, 2**31],
}


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"name": "Mine"}, "name"),
        ({"name": "my.own"}, "name"),
        ({"name": "münze"}, "name"),
        ({"name": "a" * 129}, "name"),
        ({"name": ""}, "name"),
        ({"name": "mine\n"}, "name"),
        ({"name": None}, "name"),
        ({"models": [{"kind": "other"}]}, "models[0].kind"),
        ({"models": [model("https://m"), model("https://m")]}, "models"),
        ({"targetIndexes": []}, "targetIndexes"),
        ({"targetIndexes": [{"indexName": "a"}, {"indexName": "b"}]}, "targetIndexes"),
        ({"targetIndexes": [{"indexName": ""}]}, "targetIndexes[0].indexName"),
        ({"targetIndexes": [{}]}, "targetIndexes[0].indexName"),
        *(
            ({"targetIndexes": [{"indexName": "atlas", name: value}]}, f"targetIndexes[0].{name}")
            for name, values in OUT_OF_RANGE.items()
            for value in values
        ),
        *(
            ({"requestLimits": {name: value}}, f"requestLimits.{name}")
            for name, values in OVER_LIMITS.items()
            for value in values
        ),
        ({"description": "x" * 4_001}, "description"),
        ({"description": "a\x00b"}, "description"),
        ({"colour": "red"}, "colour"),
        ({"encryptionKey": {"keyVaultKeyName": "k"}}, "encryptionKey"),
    ],
)
async def test_what_breaks_the_schema_is_a_400_that_names_the_place(
    send: Send, members: dict[str, object], place: str
) -> None:
    answer = await send("POST", "/agents", {**definition(), **members})
    assert code(answer) == (400, "InvalidRequest")
    assert answer.json["error"]["target"] == place
    assert (await send("GET", "/agents")).json["value"][-1]["name"] == "seed"


@pytest.mark.parametrize(
    "members",
    [
        {"name": "a"},
        {"name": "0-a-9"},
        {"name": "a" * 128},
        {"name": "-_"},
        {"requestLimits": {"maxRuntimeInSeconds": 10, "maxOutputSize": 1}},
        {"requestLimits": {"maxRuntimeInSeconds": 600}},
        {"requestLimits": None},
        {"targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 0, "defaultMaxDocsForReranker": 1}]},
        {"targetIndexes": [{"IndexName": "atlas", "defaultRerankerThreshold": 4, "defaultMaxDocsForReranker": 200}]},
        {"encryptionKey": None, "@odata.etag": '"0x1"', "@odata.context": "https://x/$metadata#agents/$entity"},
    ],
)
async def test_the_ends_of_every_range_are_in_it(send: Send, members: dict[str, object]) -> None:
    assert (await send("POST", "/agents", {**definition(), **members})).status == 201


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"mine"', b"[" * 100_000, b'{"name": NaN}'])
async def test_a_body_that_is_no_definition_is_a_400(send: Send, body: bytes) -> None:
    assert (await send("POST", "/agents", body)).status == 400
    assert (await send("PUT", "/agents('mine')", body)).status == 400


async def test_a_body_over_the_limit_is_a_413(send: Send) -> None:
    assert code(await send("POST", "/agents", definition(description="x" * 1_048_577)))[0] == 413


async def test_the_name_in_the_body_is_the_one_in_the_address(send: Send) -> None:
    answer = await send("PUT", "/agents('other')", definition("mine"))
    assert (code(answer), answer.json["error"]["target"]) == ((400, "InvalidRequest"), "name")


@pytest.mark.parametrize("name", ["o%27b%20r%2Fx", "'", "%00x", "..", "a%2Fretrieve", "%23", "ä"])
async def test_a_name_that_no_agent_can_have_is_not_found(send: Send, name: str) -> None:
    for method in ("GET", "DELETE"):
        assert (await send(method, f"/agents('{name}')")).status in {400, 404}


async def test_an_index_that_does_not_exist_is_a_400_that_says_what_to_do(send: Send, azure: ScriptedAzure) -> None:
    azure.count = failing(404)
    answer = await send("POST", "/agents", definition())
    assert code(answer) == (400, "InvalidRequest")
    assert answer.json["error"]["target"] == "targetIndexes[0].indexName"
    assert "Create it first" in answer.json["error"]["message"]
    assert (await send("GET", "/agents('mine')")).status == 404


@pytest.mark.parametrize("status", [401, 403])
async def test_an_index_that_the_role_may_not_look_for_is_taken_at_its_word(
    send: Send, azure: ScriptedAzure, status: int
) -> None:
    azure.count = failing(status)
    assert (await send("POST", "/agents", definition())).status == 201


async def test_while_the_search_service_is_away_nothing_is_stored(send: Send, azure: ScriptedAzure) -> None:
    azure.count = failing(429, retry_after=60)
    assert (await send("POST", "/agents", definition())).status == 429
    azure.count = answering(b"\xef\xbb\xbf7", content_type="text/plain")
    assert (await send("GET", "/agents('mine')")).status == 404
    assert (await send("POST", "/agents", definition())).status == 201


async def test_an_agent_is_usable_with_its_defaults_as_soon_as_it_is_there_and_no_longer_than_that(
    send: Send, azure: ScriptedAzure
) -> None:
    path, question = "/agents('mine')/retrieve", ask("Which roads follow rivers?")
    assert (await send("POST", path, question, key="query-key")).status == 404
    await send("POST", "/agents", definition())
    azure.search = found({"@search.score": 1.0, "@search.rerankerScore": 2.0, "id": "a", "title": "t", "content": "c"})
    assert (await send("POST", path, question, key="query-key")).json["references"] == []
    low = [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}]
    await send("PUT", "/agents('mine')", definition(targetIndexes=low))
    answer = await send("POST", path, question, key="query-key")
    assert [one["docKey"] for one in answer.json["references"]] == ["a"]
    await send("DELETE", "/agents('mine')")
    assert (await send("POST", path, question, key="query-key")).status == 404


async def test_a_model_must_be_one_that_the_configuration_names(send: Send, azure: ScriptedAzure) -> None:
    elsewhere = [
        model("https://elsewhere.example", "another"),
        model(azure.address, "unknown"),
        model(f"{azure.address}@elsewhere.example", "another"),
        model(f"{azure.address}/path", "another"),
        model(azure.address.replace("http://", "http://user@"), "another"),
        model("https://[::1", "another"),
    ]
    for one in elsewhere:
        answer = await send("POST", "/agents", definition(models=[one]))
        assert code(answer) == (400, "InvalidRequest")
        assert answer.json["error"]["target"] == "models[0].azureOpenAIParameters.resourceUri"
        assert "ALLOWED_MODELS" in answer.json["error"]["message"]
    for one in (model(azure.address, "another"), model(f"{azure.address}/"), model(azure.address.upper())):
        assert (await send("PUT", "/agents('mine')", definition(models=[one]))).status in {200, 201}


async def test_the_model_of_an_agent_plans_with_the_key_of_the_configuration(send: Send, azure: ScriptedAzure) -> None:
    azure.chat = queries("rivers", "harbours")
    await send("POST", "/agents", definition(models=[model(azure.address, apiKey="<redacted>")]))
    answer = await send("POST", "/agents('mine')/retrieve", ask("Which roads follow rivers?"), key="query-key")
    assert [one["type"] for one in answer.json["activity"]][:1] == ["ModelQueryPlanning"]
    [chat] = azure.chats
    assert chat.request.header("api-key") == MODEL_KEY
    assert "/deployments/planner/" in chat.request.target


async def test_a_model_that_is_no_longer_allowed_is_not_called(
    send: Send, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    await send("POST", "/agents", definition(models=[model(azure.address, "another")]))
    await compose.end()
    settings["ALLOWED_MODELS"] = ""
    answer = await send("POST", "/agents('mine')/retrieve", ask("Which roads follow rivers?"), key="query-key")
    planning = answer.json["activity"][0]
    assert (answer.status, planning["type"]) == (200, "ModelQueryPlanning")
    assert "ALLOWED_MODELS" in planning["error"]["message"]
    assert azure.chats == []


async def test_a_key_is_refused_and_a_configured_one_is_shown_redacted(
    send: Send, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    for one in (model(azure.address, apiKey="SECRET"), model(azure.address, "another", apiKey="<redacted>")):
        answer = await send("PUT", "/agents('mine')", definition(models=[one]))
        assert code(answer) == (400, "InvalidRequest")
        assert answer.json["error"]["target"] == "models[0].azureOpenAIParameters.apiKey"
        assert "SECRET" not in answer.body.decode()
    got = await send("GET", "/agents('seed')")
    assert got.json["models"][0]["azureOpenAIParameters"]["apiKey"] == "<redacted>"
    assert (await send("GET", "/agents")).json["value"] == [got.json]
    assert MODEL_KEY not in Path(settings["AGENTS_STORE"]).read_text()


async def test_an_identity_of_its_own_is_refused(send: Send, azure: ScriptedAzure) -> None:
    identity = {"@odata.type": "#Microsoft.Azure.Search.DataUserAssignedIdentity", "userAssignedIdentity": "/x"}
    answer = await send("POST", "/agents", definition(models=[model(azure.address, authIdentity=identity)]))
    assert answer.json["error"]["target"] == "models[0].azureOpenAIParameters.authIdentity"


async def test_the_agents_file_seeds_what_is_absent_and_never_overwrites(send: Send, settings: dict[str, str]) -> None:
    await send("PUT", "/agents('seed')", definition("seed", description="changed"))
    await compose.end()
    assert (await send("GET", "/agents('seed')")).json["description"] == "changed"
    await send("DELETE", "/agents('seed')")
    assert (await send("GET", "/agents('seed')")).status == 404
    await compose.end()
    assert (await send("GET", "/agents('seed')")).json["description"] is None


async def test_without_a_store_agents_are_those_of_the_file_and_a_change_is_refused(
    send: Send, settings: dict[str, str]
) -> None:
    settings["AGENTS_STORE"] = ""
    assert [one["name"] for one in (await send("GET", "/agents")).json["value"]] == ["seed"]
    for answer in (
        await send("POST", "/agents", definition()),
        await send("PUT", "/agents('seed')", definition("seed")),
        await send("DELETE", "/agents('seed')"),
    ):
        assert code(answer) == (501, "AgentStoreMissing")
        assert "AGENTS_STORE" in answer.json["error"]["message"]


async def test_an_unknown_version_is_a_400_in_every_route(post: Post) -> None:
    for method, path in (("GET", "/agents"), ("POST", "/agents"), ("PUT", "/agents('a')"), ("DELETE", "/agents/a")):
        for query in ("", "?api-version=2025-11-01-preview"):
            answer = await post(definition(), path + query, method=method, key="local-admin-key")
            assert code(answer) == (400, "UnsupportedApiVersion")


@pytest.mark.parametrize(
    ("method", "path", "function"),
    [
        ("GET", ["agents"], "agents"),
        ("POST", ["agents"], "agents"),
        ("POST", ["Agents"], "agents"),
        ("GET", ["agents", "x"], "agents_one"),
        ("GET", ["agents('x')"], "agents_one_odata"),
        ("DELETE", ["agents('x')"], "agents_one_odata"),
        ("PUT", ["agents('it''s')"], "agents_one_odata"),
        ("PUT", ["agents", "retrieve"], "agents_one"),
        ("POST", ["agents", "x", "retrieve"], "agents_retrieve"),
        ("POST", ["agents('x')", "retrieve"], "agents_retrieve_odata"),
        ("POST", ["agents", "x"], "zz_unmatched"),
        ("PUT", ["agents"], "zz_unmatched"),
        ("GET", ["agents('x')", "retrieve"], "zz_unmatched"),
        ("PATCH", ["agents('x')"], "zz_unmatched"),
        ("GET", ["agents()"], "zz_unmatched"),
        ("GET", ["agentsx"], "zz_unmatched"),
    ],
)
def test_the_right_function_takes_a_request(host: Host, method: str, path: list[str], function: str) -> None:
    taken = host.table.find(method, path_segments("/".join(path)))
    assert taken is not None
    assert taken[0].name == function
