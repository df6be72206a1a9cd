"""Credentials that come twice, together, in disguise, or from where they should not."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

import pytest

from retrieval.access.credentials import LONGEST_PRINCIPAL
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from retrieval.outgoing.acs3 import ALGORITHM, signature
from tests.access.authority import TENANT, Authority
from tests.access.conftest import ADMIN_KEYS, QUERY_KEYS, Deploy
from tests.conftest import RETRIEVE, Post, ask
from tests.rooms import NEEDS_MODEL_STUDIO

QUESTION: Final = ask("roads")
BODY: Final = json.dumps(QUESTION).encode()
KEY: Final = QUERY_KEYS[0]
WORKSPACE_PATH: Final = "/llm-local/index/retrieve"
WORKSPACE_QUERY: Final = "IndexId=earth-at-night&Query=roads"
PLATFORM: Final = {"APP_SERVICE_AUTH": "1", "WEBSITE_AUTH_ENABLED": "True", "ENTRA_TENANT_ID": TENANT}
ROLE: Final = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"
TENANT_CLAIM: Final = "http://schemas.microsoft.com/identity/claims/tenantid"
SCOPE: Final = "http://schemas.microsoft.com/identity/claims/scope"


def principal(*claims: tuple[object, object], auth_typ: object = "aad", tenant: str = TENANT) -> str:
    """The header as the platform writes it."""
    stated = [{"typ": kind, "val": value} for kind, value in ((TENANT_CLAIM, tenant), *claims)]
    return encoded({"auth_typ": auth_typ, "claims": stated, "name_typ": "name", "role_typ": ROLE})


def encoded(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


RETRIEVER: Final = principal((ROLE, "Agents.Retrieve"))


async def status(host: Host, *headers: tuple[str, str]) -> int:
    """Of a call with exactly these headers, in this order."""
    usual = (("content-type", "application/json"), ("content-length", str(len(BODY))))
    request = WireRequest(method="POST", target=RETRIEVE, headers=(*usual, *headers), body=BODY)
    return (await host(request)).status


@pytest.mark.parametrize(
    "headers",
    [
        [("api-key", KEY), ("api-key", KEY)],
        [("api-key", KEY), ("api-key", "wrong")],
        [("api-key", "wrong"), ("api-key", KEY)],
        [("api-key", "wrong"), ("API-KEY", KEY)],
        [("api-key", f"{KEY},wrong")],
        [("api-key", f"{KEY},{QUERY_KEYS[1]}")],
        [("api-key", f"{KEY}\x00")],
        [("api-key", f"{KEY}é")],
    ],
)
async def test_a_key_that_comes_with_another_is_no_key(
    headers: list[tuple[str, str]], host: Host, deploy: Deploy
) -> None:
    deploy()
    assert await status(host, *headers) == 403


@pytest.mark.parametrize("header", ["api_key", "apikey", "x-api-key", "x-functions-key", "ocp-apim-subscription-key"])
async def test_a_key_under_another_name_is_not_read(header: str, host: Host, deploy: Deploy) -> None:
    deploy()
    assert await status(host, (header, KEY)) == 401


async def test_a_key_in_the_address_is_not_read(post: Post, deploy: Deploy) -> None:
    deploy()
    for name in ("api-key", "code", "subscription-key"):
        assert (await post(QUESTION, f"{RETRIEVE}&{name}={KEY}", key=None)).status == 401


async def test_a_key_comes_before_a_token_and_is_judged_alone(host: Host, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    good, bad = f"Bearer {authority.token()}", f"Bearer {authority.token(key='another')}"
    assert await status(host, ("api-key", KEY), ("authorization", bad)) == 200
    assert await status(host, ("authorization", good), ("api-key", "wrong")) == 403
    assert await status(host, ("authorization", good), ("api-key", KEY)) == 200
    assert await status(host, ("authorization", bad), ("api-key", "")) == 401
    assert await status(host, ("authorization", good), ("api-key", "")) == 200


@pytest.mark.parametrize("scheme", ["Basic", "Token", "ApiKey", "", "Bear er"])
async def test_another_scheme_is_no_credential(scheme: str, host: Host, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    assert await status(host, ("authorization", f"{scheme} {authority.token()}")) == 401


async def test_two_tokens_are_none(host: Host, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    one = ("authorization", f"Bearer {authority.token()}")
    assert await status(host, one, one) == 401


async def test_the_principal_header_from_outside_is_not_read(host: Host, deploy: Deploy, authority: Authority) -> None:
    sent = [("x-ms-client-principal", principal((ROLE, "Agents.Manage"))), ("x-ms-client-principal-id", "admin")]
    deploy()
    assert await status(host, *sent) == 401
    deploy(authority.settings)
    assert await status(host, *sent) == 401
    deploy(authority.settings, WEBSITE_AUTH_ENABLED="True")
    assert await status(host, *sent) == 401


@pytest.mark.parametrize("platform", ["", "False", "0", "no"])
async def test_without_the_platform_the_switch_admits_nobody(platform: str, host: Host, deploy: Deploy) -> None:
    deploy({**PLATFORM, "WEBSITE_AUTH_ENABLED": platform})
    assert await status(host, ("x-ms-client-principal", RETRIEVER)) == 503


ADMITTED: Final = {
    "with the role": RETRIEVER,
    "with the role under its short name": principal(("roles", "Agents.Retrieve")),
    "with the scope": principal((SCOPE, "openid Agents.Retrieve")),
    "who may manage": principal((ROLE, "Other"), (ROLE, "Agents.Manage")),
}


@pytest.mark.parametrize("who", ADMITTED)
async def test_where_the_platform_authenticates_its_principal_is_admitted(who: str, host: Host, deploy: Deploy) -> None:
    deploy(PLATFORM)
    assert await status(host, ("x-ms-client-principal", ADMITTED[who])) == 200


REFUSED: Final = {
    "without a role": principal(),
    "with another role": principal((ROLE, "agents.retrieve")),
    "of another tenant": principal((ROLE, "Agents.Retrieve"), tenant=TENANT[::-1]),
    "of two tenants": principal((ROLE, "Agents.Retrieve"), (TENANT_CLAIM, TENANT)),
    "of no tenant": encoded({"auth_typ": "aad", "claims": [{"typ": ROLE, "val": "Agents.Retrieve"}]}),
    "of another provider": principal((ROLE, "Agents.Retrieve"), auth_typ="google"),
    "of no provider": principal((ROLE, "Agents.Retrieve"), auth_typ=None),
    "that is two": f"{RETRIEVER},{RETRIEVER}",
    "that is no base64": "{}",
    "that is no JSON": base64.b64encode(b"principal").decode(),
    "that is a list": encoded([]),
    "whose claims are no list": encoded({"auth_typ": "aad", "claims": 7}),
    "whose claims are texts": encoded({"auth_typ": "aad", "claims": ["roles"]}),
    "whose claims are numbers": principal((7, 7)),
    "nested ten thousand deep": base64.b64encode(b"[" * 10_000).decode(),
    "of many characters": "A" * (LONGEST_PRINCIPAL + 4),
    "with half a surrogate pair": principal((ROLE, "\ud800")),
}


@pytest.mark.parametrize("who", REFUSED)
async def test_refused_is_a_principal(who: str, host: Host, deploy: Deploy) -> None:
    deploy(PLATFORM)
    assert await status(host, ("x-ms-client-principal", REFUSED[who])) == 403


async def test_a_token_comes_before_the_platforms_header(host: Host, deploy: Deploy, authority: Authority) -> None:
    deploy({**PLATFORM, **authority.settings})
    bad = f"Bearer {authority.token(key='another')}"
    assert await status(host, ("authorization", bad), ("x-ms-client-principal", RETRIEVER)) == 401
    assert await status(host, ("api-key", "wrong"), ("x-ms-client-principal", RETRIEVER)) == 403
    assert await status(host, ("api-key", ADMIN_KEYS[0]), ("x-ms-client-principal", "{}")) == 200


ACCESS_KEYS: Final = json.dumps({"local-ak": "local-secret"})


def signed(host: str, **more: str) -> dict[str, str]:
    """The headers of a Retrieve that was signed for that host; `more` is signed too."""
    headers = {
        "host": host,
        "x-acs-action": "Retrieve",
        "x-acs-version": "2023-12-29",
        "x-acs-date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "x-acs-signature-nonce": uuid4().hex,
        "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    names = ";".join(sorted(headers))
    block = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    text = "\n".join(("POST", WORKSPACE_PATH, WORKSPACE_QUERY, block, names, headers["x-acs-content-sha256"]))
    claim = f"Credential=local-ak,SignedHeaders={names},Signature={signature(text, 'local-secret')}"
    return {**headers, "authorization": f"{ALGORITHM} {claim}"}


async def code(post: Post, headers: Mapping[str, str]) -> str | None:
    """Of a refusal; None when the call was answered."""
    answer = await post(b"", f"{WORKSPACE_PATH}?{WORKSPACE_QUERY}", headers=headers, key=None)
    return None if answer.status == 200 else answer.json["Code"]


@NEEDS_MODEL_STUDIO
async def test_a_call_that_was_signed_for_another_host_does_not_pass_by_an_added_header(
    post: Post, deploy: Deploy
) -> None:
    deploy(PUBLIC_HOSTS="front.example", ACCESS_KEYS=ACCESS_KEYS)
    assert await code(post, signed("here.example")) is None
    assert await code(post, {**signed("front.example"), "host": "here.example"}) is None
    for added in ("x-forwarded-host", "x-original-host", "disguised-host"):
        headers = {**signed("elsewhere.example"), "host": "here.example", added: "elsewhere.example"}
        assert await code(post, headers) == "SignatureDoesNotMatch"


@NEEDS_MODEL_STUDIO
async def test_the_published_access_key_is_off_where_a_credential_is_configured(post: Post, deploy: Deploy) -> None:
    deploy()
    assert await code(post, signed("here.example")) == "InvalidAccessKeyId.NotFound"


@NEEDS_MODEL_STUDIO
async def test_a_users_token_on_a_signed_call_must_be_signed(post: Post, deploy: Deploy) -> None:
    deploy(ACCESS_KEYS=ACCESS_KEYS)
    assert await code(post, signed("here", x_ms_query_source_authorization="token")) is None
    added = {**signed("here"), "x-ms-query-source-authorization": "token"}
    assert await code(post, added) == "IncompleteSignature"
