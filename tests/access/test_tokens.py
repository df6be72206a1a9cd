"""Bearer tokens of Entra ID: who is admitted, and every way of not being admitted."""

import base64
import json
from collections.abc import Callable
from typing import Final

import pytest

from tests.access.authority import (
    FAR_AHEAD,
    KEY_ID,
    LONG_AGO,
    TENANT,
    Authority,
    forged,
    public_pem,
)
from tests.access.conftest import Deploy
from tests.conftest import Post, Response, ask

QUESTION: Final = ask("How do fishing fleets show up at night?")

Forger = Callable[[Authority], str]


def header(answer: Response, name: str) -> str | None:
    return next((value for key, value in answer.headers.items() if key.lower() == name), None)


ADMITTED: Final[dict[str, dict[str, object]]] = {
    "an app with the role": {},
    "a user with the scope": {"roles": None, "scp": "openid Agents.Retrieve profile"},
    "a manager, who may retrieve too": {"roles": ["Agents.Manage"]},
    "a token of version 1.0": {"iss": f"https://sts.windows.net/{TENANT}/", "azp": None, "appid": "client"},
    "a token without a beginning": {"nbf": None},
    "roles among others": {"roles": ["Other", "Agents.Retrieve"]},
    "an audience in a list": {"aud": ["api://retrieval"]},
}


@pytest.mark.parametrize("who", ADMITTED)
async def test_admitted_is(who: str, post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    token = authority.token(ADMITTED[who])
    answer = await post(QUESTION, headers={"authorization": f"Bearer {token}"}, key=None)
    assert answer.status == 200, answer.body


REFUSED: Final[dict[str, Forger]] = {
    "expired": lambda a: a.token(exp=LONG_AGO),
    "not yet valid": lambda a: a.token(nbf=FAR_AHEAD - 1),
    "without an end": lambda a: a.token(exp=None),
    "with an end that is no number": lambda a: a.token(exp="4102444800"),
    "with an end that is true": lambda a: a.token(exp=True),
    "with a beginning that is no number": lambda a: a.token(nbf="now"),
    "for another audience": lambda a: a.token(aud="https://search.azure.com"),
    "for no audience": lambda a: a.token(aud=None),
    "for an audience that only begins alike": lambda a: a.token(aud="api://retrieval.example"),
    "of another issuer": lambda a: a.token(iss=f"{a.address}/{TENANT[::-1]}/v2.0"),
    "of no issuer": lambda a: a.token(iss=None),
    "of an issuer that only begins alike": lambda a: a.token(iss=f"{a.issuer}.example"),
    "an ID token": lambda a: a.token(azp=None),
    "signed with another key": lambda a: a.token(key="another"),
    "signed with a key of an unknown id": lambda a: a.token(key="another", key_id="another"),
    "naming no key": lambda a: a.token(key_id=None),
    "naming a key by a path": lambda a: a.token(key_id="../../../dev/null"),
    "of algorithm none": lambda a: forged({"alg": "none", "kid": KEY_ID}, a.claims()),
    "of algorithm None, no kid": lambda a: forged({"alg": "None"}, a.claims()),
    "HS256 over the public key": lambda a: forged({"alg": "HS256", "kid": KEY_ID}, a.claims(), secret=public_pem()),
    "RS256 by name, HS256 over the public key": lambda a: forged(
        {"alg": "RS256", "kid": KEY_ID}, a.claims(), secret=public_pem()
    ),
    "with an unknown critical extension": lambda a: forged(
        {"alg": "RS256", "kid": KEY_ID, "crit": ["b64"], "b64": False}, a.claims()
    ),
    "with its key in its own header": lambda a: forged(
        {"alg": "RS256", "kid": "mine", "jku": "http://127.0.0.1:1/keys", "jwk": {"kty": "RSA"}}, a.claims()
    ),
    "with other claims than were signed": lambda a: _with_claims(a.token(), a.claims(roles=["Agents.Manage"])),
    "without its signature": lambda a: a.token().rpartition(".")[0] + ".",
    "with half of its signature": lambda a: a.token()[:-170],
    "without its claims": lambda a: a.token().partition(".")[0],
    "with a fourth part": lambda a: a.token() + ".more",
    "with a header that is no object": lambda a: forged(["RS256"], a.claims()),
    "with a key id that is no text": lambda a: forged({"alg": "RS256", "kid": 7}, a.claims()),
    "with an algorithm that is no text": lambda a: forged({"alg": ["RS256"], "kid": KEY_ID}, a.claims()),
    "with a header nested ten thousand deep": lambda a: f"{_text('[' * 10_000)}.e30.e30",
    "of many characters": lambda a: a.token(padding="x" * 16_384),
    "that is no token": lambda a: "abc",
    "that is empty": lambda a: "",
    "that are two": lambda a: f"{a.token()},{a.token()}",
    "that are two with their schemes": lambda a: f"{a.token()},Bearer {a.token()}",
    "with a blank in it": lambda a: f"{a.token()} {a.token()}",
    "of other letters": lambda a: a.token().replace("e", "é", 1),
}


@pytest.mark.parametrize("way", REFUSED)
async def test_refused_is_a_token(way: str, post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings)
    token = REFUSED[way](authority)
    answer = await post(QUESTION, headers={"authorization": f"Bearer {token}"}, key=None)
    assert answer.status == 401
    error = answer.json["error"]
    assert error["code"] == "Unauthenticated"
    assert error["message"].startswith("The bearer token is not accepted: ")
    challenge = f'Bearer authorization_uri="{authority.address}/{TENANT}", error="invalid_token"'
    assert header(answer, "www-authenticate") == challenge


async def test_without_a_credential_the_challenge_names_the_authority(
    post: Post, deploy: Deploy, authority: Authority
) -> None:
    deploy(authority.settings)
    answer = await post(QUESTION, key=None)
    assert answer.status == 401
    assert header(answer, "www-authenticate") == f'Bearer authorization_uri="{authority.address}/{TENANT}"'


async def test_where_no_tokens_are_taken_there_is_no_challenge(
    post: Post, deploy: Deploy, authority: Authority
) -> None:
    deploy()
    answer = await post(QUESTION, headers={"authorization": f"Bearer {authority.token()}"}, key=None)
    assert answer.status == 401
    assert header(answer, "www-authenticate") is None
    assert authority.asked == []


@pytest.mark.parametrize(
    "changed",
    [
        {"roles": None},
        {"roles": []},
        {"roles": ["agents.retrieve"]},
        {"roles": "Agents.RetrieveMore"},
        {"roles": ["Agents.Retrieve", 7]},
        {"roles": {"Agents.Retrieve": True}},
        {"roles": None, "scp": "user_impersonation"},
        {"roles": None, "scp": ["Agents", "Retrieve"]},
    ],
)
async def test_a_token_without_the_right_is_a_403(
    changed: dict[str, object], post: Post, deploy: Deploy, authority: Authority
) -> None:
    deploy(authority.settings)
    answer = await post(QUESTION, headers={"authorization": f"Bearer {authority.token(changed)}"}, key=None)
    assert answer.status == 403
    assert answer.json["error"]["code"] == "Forbidden"


async def test_roles_have_the_names_that_are_configured(post: Post, deploy: Deploy, authority: Authority) -> None:
    deploy(authority.settings, ENTRA_RETRIEVE_ROLES="Reader, Lecteur", ENTRA_MANAGE_ROLES="Boss")
    seen = [
        (await post(QUESTION, headers={"authorization": f"bearer {authority.token(roles=[role])}"}, key=None)).status
        for role in ("Reader", "Lecteur", "Boss", "Agents.Retrieve")
    ]
    assert seen == [200, 200, 200, 403]


def _with_claims(token: str, claims: object) -> str:
    header, _, signature = token.split(".")
    return f"{header}.{_text(json.dumps(claims))}.{signature}"


def _text(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
