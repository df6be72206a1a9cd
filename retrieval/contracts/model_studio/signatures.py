"""Checks Alibaba Cloud's signature of a call (`outgoing/acs3.py`).

This module rebuilds the signed text. Clients encode the path and the query differently, so several forms are tried. A
proxy may have changed the host, so the configured hosts are tried too. Forwarding headers are ignored, because anybody
can add them. Otherwise a signature for another host would be accepted.
"""

import hashlib
import heapq
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from retrieval.contracts.model_studio.refusals import BadSignature
from retrieval.outgoing.acs3 import ALGORITHM, canonical_request, signature

WINDOW: Final = timedelta(minutes=15)
REQUIRED: Final = (
    "host",
    "x-acs-action",
    "x-acs-version",
    "x-acs-date",
    "x-acs-signature-nonce",
    "x-acs-content-sha256",
)
BOUND: Final = ("x-ms-query-source-authorization",)
"""Headers that decide which documents a call may see. If a call has such a header, the header must be signed. Otherwise
somebody else may have added it."""

MOST_SIGNED: Final = 100
LONGEST_NONCE: Final = 256
MOST: Final = 100_000
"""The most nonces that are remembered."""

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)


class Nonces:
    """Remembers the nonces of the last `window`. Code that uses this class must refuse older calls first.

    The memory of one process holds at most `most` nonces. When there are more, the oldest nonce is forgotten. From then
    on, `is_new` is false for every call that was signed at the time of the forgotten nonce or earlier.
    """

    def __init__(self, window: timedelta, *, most: int = MOST) -> None:
        self._window = window
        self._most = most
        self._entries: set[tuple[str, str]] = set()
        self._by_date: list[tuple[datetime, tuple[str, str]]] = []
        self._floor: datetime | None = None

    def is_new(self, key: str, nonce: str, *, signed_at: datetime, now: datetime) -> bool:
        """Whether the key sends this nonce for the first time. A new nonce is remembered."""
        while self._by_date and self._by_date[0][0] < now - self._window:
            self._forget()
        entry = (key, nonce)
        if entry in self._entries or (self._floor is not None and signed_at <= self._floor):
            return False
        self._entries.add(entry)
        heapq.heappush(self._by_date, (signed_at, entry))
        if len(self._entries) > self._most:
            self._floor = self._by_date[0][0]
            self._forget()
        return True

    def _forget(self) -> None:
        self._entries.discard(heapq.heappop(self._by_date)[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedCall:
    """The parts of a call that may be signed. `paths` are the paths that the client may have signed. They are
    percent-encoded and begin with the workspace id. `query` is the unchanged query string of the call. `headers` have
    lower-case names."""

    method: str
    paths: Sequence[str]
    query: str
    headers: Mapping[str, str]
    body: bytes


def paths(workspace: str) -> tuple[str, ...]:
    """The paths that clients may have signed for this workspace. The Functions host does not decode a slash in the
    workspace, so there may be two paths."""
    spellings = dict.fromkeys((workspace, workspace.replace("%2F", "/").replace("%2f", "/")))
    return tuple(f"/{quote(spelling, safe='')}/index/retrieve" for spelling in spellings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """Admits calls that are signed with one of `secrets`. `secrets` maps an access key id to its secret. `hosts` are
    the configured host names of this service.

    A nonce is accepted once per instance, since an instance does not know the nonces of another instance.
    """

    secrets: Mapping[str, str] = field(repr=False)
    hosts: Sequence[str] = ()
    nonces: Nonces = field(default_factory=lambda: Nonces(WINDOW))

    def admit(self, call: SignedCall, *, now: datetime) -> str:
        """The access key id of a call with a valid signature. Raises BadSignature for any other call."""
        claim = _claim(call.headers)
        secret = self.secrets.get(claim.key)
        if secret is None:
            raise BadSignature("key", "Specified access key is not found.")
        signed_at = _date(call.headers["x-acs-date"])
        if abs(now - signed_at) > WINDOW:
            raise BadSignature("expired", "x-acs-date is more than 15 minutes from this service's time.")
        if not _holds(call, claim, secret, self.hosts):
            raise BadSignature("mismatch", "The signature does not match this request.")
        if not self.nonces.is_new(claim.key, call.headers["x-acs-signature-nonce"], signed_at=signed_at, now=now):
            raise BadSignature("replayed", "x-acs-signature-nonce was already used.")
        return claim.key


@dataclass(frozen=True, slots=True)
class _Claim:
    """The key, the signed headers and the signature in an Authorization header."""

    key: str
    signed_headers: tuple[str, ...]
    signature: str


def _claim(headers: Mapping[str, str]) -> _Claim:
    algorithm, _, fields = headers.get("authorization", "").partition(" ")
    if algorithm != ALGORITHM:
        raise BadSignature("incomplete", f"The call is not signed with {ALGORITHM}.")
    parts = {name: value for name, _, value in (part.strip().partition("=") for part in fields.split(","))}
    signed_headers = tuple(parts.get("SignedHeaders", "").split(";"))
    claim = _Claim(parts.get("Credential", ""), signed_headers, parts.get("Signature", ""))
    required = (*REQUIRED, *(name for name in BOUND if headers.get(name)))
    absent = [name for name in required if name not in signed_headers] + [
        name for name in signed_headers if name not in headers
    ]
    if absent or len(signed_headers) > MOST_SIGNED or not claim.key or not claim.signature:
        sentence = (
            f"The header {absent[0][:100]!r} is missing or not signed." if absent else "Authorization lacks a part."
        )
        raise BadSignature("incomplete", sentence)
    if len(headers["x-acs-signature-nonce"]) > LONGEST_NONCE:
        raise BadSignature("incomplete", f"x-acs-signature-nonce has more than {LONGEST_NONCE} characters.")
    return claim


def _date(text: str) -> datetime:
    match = _DATE.fullmatch(text.strip())
    try:
        if match is not None:
            year, month, day, hour, minute, second = map(int, match.groups())
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        pass
    raise BadSignature("date", "x-acs-date does not have the form 2026-01-31T12:30:00Z.")


def _holds(call: SignedCall, claim: _Claim, secret: str, hosts: Sequence[str]) -> bool:
    """Whether the signature matches the call. The client may have signed another form of the path, the query or the
    host, so all known forms are tried. Each comparison takes constant time."""
    body_hash = hashlib.sha256(call.body).hexdigest()
    if not hmac.compare_digest(body_hash, _ascii(call.headers["x-acs-content-sha256"].strip().lower())):
        return False
    forms = product(call.paths, _queries(call.query), dict.fromkeys((call.headers["host"], *hosts)))
    requests = [
        canonical_request(call.method, path, query, {**call.headers, "host": host}, claim.signed_headers)
        for path, query, host in forms
    ]
    comparisons = [hmac.compare_digest(signature(request, secret), _ascii(claim.signature)) for request in requests]
    return any(comparisons)


def _queries(raw: str) -> list[str]:
    """The forms of a query that a client may have signed, with the parameters sorted by name. Most clients sign a
    parameter without a value as `name=`, and some clients sign it as `name`."""
    pairs = sorted(
        tuple(map(unquote_to_bytes, pair.partition("=")[::2])) for pair in raw.replace("+", " ").split("&") if pair
    )
    escaped_pairs = [(quote(name, safe=""), quote(value, safe="")) for name, value in pairs]
    usual = "&".join(f"{name}={value}" for name, value in escaped_pairs)
    bare = "&".join(f"{name}={value}" if value else name for name, value in escaped_pairs)
    return list(dict.fromkeys((usual, bare)))


def _ascii(text: str) -> str:
    return text if text.isascii() else ""
