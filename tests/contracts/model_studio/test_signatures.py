"""Alibaba's signature: what real clients sent, and every way in which a signature does not hold.

The captures were taken on loopback from Alibaba's SDKs with the access key testid and its secret testsecret.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.model_studio.refusals import BadSignature, SignatureFault
from retrieval.contracts.model_studio.signatures import WINDOW, Nonces, Signatures, SignedCall, paths
from retrieval.outgoing.acs3 import signature

CAPTURES: Final = sorted((Path(__file__).parent / "captures").glob("*.http"))
SECRETS: Final = {"testid": "testsecret"}


def read(path: Path) -> SignedCall:
    """A capture as the Functions host hands it over: the path decoded, but for slashes in it."""
    line, *lines = path.read_text(encoding="utf-8").split("\n\n")[0].split("\n")
    target = line.split(" ")[1]
    headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines if one)}
    raw, _, query = target.partition("?")
    workspace = {"llm-ws%201%2F%C3%A9": "llm-ws 1%2Fé"}.get(raw.split("/")[1], raw.split("/")[1])
    return SignedCall(method="POST", paths=paths(workspace), query=query, headers=headers, body=b"")


MINIMAL: Final = read(next(path for path in CAPTURES if "minimal" in path.name))
SIGNED_AT: Final = datetime(2026, 11, 20, 16, 42, 11, tzinfo=UTC)


def sign(call: SignedCall, *, secret: str = "testsecret", key: str = "testid") -> SignedCall:
    """The same call with a signature of its own, over every header but Authorization."""
    signed = sorted(name for name in call.headers if name not in {"authorization", "accept-encoding", "content-length"})
    block = "".join(f"{name}:{call.headers[name]}\n" for name in signed)
    names = ";".join(signed)
    text = "\n".join((call.method, call.paths[0], call.query, block, names, call.headers["x-acs-content-sha256"]))
    claim = f"ACS3-HMAC-SHA256 Credential={key},SignedHeaders={names},Signature={signature(text, secret)}"
    return with_headers(call, authorization=claim)


def with_headers(call: SignedCall, **changed: str) -> SignedCall:
    return replace(call, headers={**call.headers, **{name.replace("_", "-"): value for name, value in changed.items()}})


def without(call: SignedCall, name: str) -> SignedCall:
    return replace(call, headers={known: value for known, value in call.headers.items() if known != name})


def fault(
    call: SignedCall, *, now: datetime = SIGNED_AT, signatures: Signatures | None = None
) -> SignatureFault | None:
    """Why it does not pass; None when it does."""
    try:
        (signatures or Signatures(secrets=SECRETS)).admit(call, now=now)
    except BadSignature as error:
        return error.fault
    return None


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_what_a_real_client_sent_passes_and_once_only(path: Path) -> None:
    call = read(path)
    now = datetime.fromisoformat(call.headers["x-acs-date"]) + timedelta(minutes=14)
    signatures = Signatures(secrets=SECRETS)
    assert signatures.admit(call, now=now) == "testid"
    assert fault(call, now=now, signatures=signatures) == "replayed"
    assert fault(call, now=now, signatures=Signatures(secrets={"testid": "another"})) == "mismatch"


def test_there_are_captures_of_every_client() -> None:
    assert {path.stem.split("-")[0] for path in CAPTURES} == {"py", "node", "java"}
    assert len(CAPTURES) == 5


@pytest.mark.parametrize(
    "name", ["host", "x-acs-action", "x-acs-version", "x-acs-date", "x-acs-signature-nonce", "x-acs-content-sha256"]
)
def test_what_must_be_signed_is(name: str) -> None:
    assert (
        fault(sign(without(MINIMAL, name)) if name != "x-acs-content-sha256" else without(MINIMAL, name))
        == "incomplete"
    )


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "ACS3-HMAC-SHA256",
        "ACS3-HMAC-SHA256 ,,=,",
        "ACS3-HMAC-SM3 Credential=testid,SignedHeaders=host,Signature=00",
        "acs testid:c2lnbmF0dXJl",
        "Bearer token",
        "ACS3-HMAC-SHA256 Credential=testid,SignedHeaders=host,Signature=00",
        MINIMAL.headers["authorization"].rpartition(",")[0],
        MINIMAL.headers["authorization"].replace("testid", ""),
        MINIMAL.headers["authorization"].replace("accept;", "accept;x-acs-missing;"),
        MINIMAL.headers["authorization"].replace("accept;", "accept;" * 200),
    ],
)
def test_an_authorization_that_says_too_little_is_incomplete(authorization: str) -> None:
    assert fault(with_headers(MINIMAL, authorization=authorization)) == "incomplete"


CHANGED: Final[Mapping[str, SignedCall]] = {
    "query": replace(MINIMAL, query="IndexId=i&Query=r"),
    "another parameter": replace(MINIMAL, query=f"{MINIMAL.query}&RerankTopN=20"),
    "path": replace(MINIMAL, paths=paths("llm-other")),
    "method": replace(MINIMAL, method="PUT"),
    "body": replace(MINIMAL, body=b"{}"),
    "body and its hash": with_headers(replace(MINIMAL, body=b""), x_acs_content_sha256="0" * 64),
    "nonce": with_headers(MINIMAL, x_acs_signature_nonce="another"),
    "date": with_headers(MINIMAL, x_acs_date="2026-11-20T16:42:12Z"),
    "host": with_headers(MINIMAL, host="elsewhere"),
    "agent": with_headers(MINIMAL, user_agent="curl"),
    "signature": with_headers(MINIMAL, authorization=MINIMAL.headers["authorization"][:-1] + "é"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_what_was_signed_cannot_be_changed(what: str) -> None:
    assert fault(CHANGED[what]) == "mismatch"


def test_an_unknown_key_is_told_apart() -> None:
    assert fault(sign(MINIMAL, key="nobody")) == "key"
    assert fault(MINIMAL, signatures=Signatures(secrets={})) == "key"


@pytest.mark.parametrize("minutes", [-16, 16, 60 * 24 * 365])
def test_a_call_passes_fifteen_minutes_before_and_after_its_date(minutes: int) -> None:
    assert fault(MINIMAL, now=SIGNED_AT + timedelta(minutes=minutes)) == "expired"
    assert fault(MINIMAL, now=SIGNED_AT + timedelta(minutes=15 if minutes > 0 else -15)) is None


@pytest.mark.parametrize("date", ["", "now", "2026-11-20 16:42:11", "2026-13-20T16:42:11Z", "٢٠٢٦-11-20T16:42:11Z"])
def test_a_date_that_cannot_be_read_is_told_apart(date: str) -> None:
    assert fault(sign(with_headers(MINIMAL, x_acs_date=date))) == "date"


def test_behind_a_proxy_that_changes_the_host_a_configured_one_is_the_signed_one() -> None:
    arrived = with_headers(sign(with_headers(MINIMAL, host="public.example")), host="internal:8080")
    assert fault(arrived) == "mismatch"
    assert fault(arrived, signatures=Signatures(secrets=SECRETS, hosts=("other", "public.example"))) is None
    assert fault(sign(MINIMAL), signatures=Signatures(secrets=SECRETS, hosts=("public.example",))) is None


@pytest.mark.parametrize("header", ["x-forwarded-host", "x-original-host", "disguised-host", "x-host", "forwarded"])
def test_a_signature_for_another_host_does_not_pass_by_a_header_that_names_it(header: str) -> None:
    arrived = with_headers(sign(with_headers(MINIMAL, host="elsewhere.example")), host="public.example")
    for value in ("elsewhere.example", "public.example, elsewhere.example", "host=elsewhere.example"):
        added = replace(arrived, headers={**arrived.headers, header: value})
        assert fault(added) == "mismatch"
        assert fault(added, signatures=Signatures(secrets=SECRETS, hosts=("public.example",))) == "mismatch"


def test_a_users_token_that_is_not_signed_was_added_by_somebody_else() -> None:
    token = {"x_ms_query_source_authorization": "token"}
    assert fault(with_headers(MINIMAL, **token)) == "incomplete"
    assert fault(sign(with_headers(MINIMAL, **token))) is None
    assert fault(with_headers(sign(with_headers(MINIMAL, **token)), x_ms_query_source_authorization="x")) == "mismatch"
    assert fault(with_headers(MINIMAL, x_ms_query_source_authorization="")) is None


def test_a_parameter_without_a_value_is_signed_with_its_equals_sign_or_without() -> None:
    for signed in ("IndexId=i&Query=", "IndexId=i&Query"):
        assert fault(replace(sign(replace(MINIMAL, query=signed)), query="IndexId=i&Query=")) is None


def test_a_body_is_signed_by_its_hash() -> None:
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert fault(sign(with_headers(replace(MINIMAL, body=b"{}"), x_acs_content_sha256=digest))) is None


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=4))
def test_a_query_means_the_same_however_it_is_encoded(parameters: dict[str, str]) -> None:
    from urllib.parse import quote, quote_plus

    try:
        pairs = sorted((name.encode(), value.encode()) for name, value in parameters.items())
    except UnicodeEncodeError:
        return
    canonical = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
    lax = "&".join(f"{quote_plus(name, safe='/*!')}={quote_plus(value, safe='/:,*?')}" for name, value in pairs[::-1])
    assert fault(replace(sign(replace(MINIMAL, query=canonical)), query=lax)) is None


def test_a_nonce_of_another_key_is_another_nonce() -> None:
    nonces = Nonces(WINDOW)
    assert nonces.is_new("a", "n", signed_at=SIGNED_AT, now=SIGNED_AT)
    assert nonces.is_new("b", "n", signed_at=SIGNED_AT, now=SIGNED_AT)
    assert not nonces.is_new("a", "n", signed_at=SIGNED_AT, now=SIGNED_AT)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), max_size=60))
def test_no_nonce_passes_twice_however_few_are_remembered(calls: list[tuple[int, int]]) -> None:
    nonces = Nonces(WINDOW, most=3)
    passed = []
    for nonce, seconds in calls:
        signed_at = SIGNED_AT + timedelta(seconds=seconds)
        one = (nonce, seconds)
        if nonces.is_new("k", f"{nonce}-{seconds}", signed_at=signed_at, now=SIGNED_AT):
            passed.append(one)
    assert len(passed) == len(set(passed))


def test_a_nonce_is_forgotten_when_its_call_has_expired() -> None:
    nonces = Nonces(WINDOW, most=1)
    assert nonces.is_new("k", "1", signed_at=SIGNED_AT, now=SIGNED_AT)
    later = SIGNED_AT + WINDOW + timedelta(seconds=1)
    assert nonces.is_new("k", "2", signed_at=later, now=later)
    assert nonces.is_new("k", "3", signed_at=later + timedelta(seconds=1), now=later)


def test_secrets_stay_out_of_the_representation() -> None:
    assert "testsecret" not in repr(Signatures(secrets=SECRETS))
