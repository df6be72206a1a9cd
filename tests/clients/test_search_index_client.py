"""Microsoft's management client of 2025-05-01-preview, unmodified, in an environment of its own: agents over https."""

import json
import ssl
import subprocess
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.running import served_over_tls
from tests.third_parties import microsoft_client, microsoft_client_in_process

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("search_index_client.py")
WAYS = ["over TLS", "in process"]
KINDS = ["sync", "async"]


def run(python: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run([python, SCRIPT, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


@pytest.fixture(scope="module")
def seen() -> Iterator[dict[str, dict[str, Any]]]:
    with served_over_tls() as (address, certificate):
        over_tls = run(microsoft_client(), address, certificate)
    in_process = run(microsoft_client_in_process())
    yield {"over TLS": over_tls, "in process": in_process}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_is_created_updated_got_and_listed(seen: dict[str, Any], way: str, kind: str) -> None:
    saw, name = seen[way][kind], f"made-{kind}"
    whole = {"models": [], "index": "earth_at_night", "threshold": 1.0, "max_runtime": 60, "etag": True}
    assert saw["created"] == {"name": name, "description": "first", **whole}
    assert saw["updated"] == {"name": name, "description": "second", **whole}
    assert saw["etags differ"] and saw["got equals updated"]
    assert saw["listed"] == ["earth-at-night", name]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_agent_retrieves_with_its_own_defaults(seen: dict[str, Any], way: str, kind: str) -> None:
    assert "earth_at_night_508_page_105_verbalized" in seen[way][kind]["references"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_match_conditions_raise_what_the_client_promises(seen: dict[str, Any], way: str, kind: str) -> None:
    failures = seen[way][kind]["failures"]
    assert failures["stale"] == {"class": "ResourceModifiedError", "status": 412}
    assert failures["not modified"] == {"class": "ResourceNotModifiedError", "status": 412}
    assert failures["missing"] == {"class": "ResourceNotFoundError", "status": 412}
    assert failures["present"] == {"class": "ResourceExistsError", "status": 412}
    assert failures["stale delete"] == {"class": "ResourceModifiedError", "status": 412}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_other_refusals_arrive_as_the_right_exceptions(seen: dict[str, Any], way: str, kind: str) -> None:
    failures = seen[way][kind]["failures"]
    assert failures["exists"] == {"class": "ResourceExistsError", "status": 409}
    assert failures["no index"] == {"class": "HttpResponseError", "status": 400}
    assert failures["foreign model"] == {"class": "HttpResponseError", "status": 400}
    assert failures["gone"] == {"class": "ResourceNotFoundError", "status": 404}


def test_tls_is_for_those_who_trust_the_certificate_that_is_printed() -> None:
    with served_over_tls() as (address, certificate):
        assert address.startswith("https://127.0.0.1:")
        pem = Path(certificate).read_text()
        assert "PRIVATE" not in pem
        for host in ("127.0.0.1", "localhost"):
            assert get(f"https://{host}:{urlsplit(address).port}", ssl.create_default_context(cadata=pem)) == 401
        with pytest.raises(ssl.SSLCertVerificationError):
            get(address, ssl.create_default_context())
    assert not Path(certificate).exists()


def get(address: str, context: ssl.SSLContext) -> int:
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    connection = HTTPSConnection(urlsplit(address).netloc, timeout=30, context=context)
    try:
        connection.request("GET", "/agents?api-version=2025-05-01-preview")
        return connection.getresponse().status
    finally:
        connection.close()
