"""Microsoft's own client with a token credential: the audience that it is given, its exceptions, the challenge."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.third_parties import microsoft_client_in_process

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("token_credential.py")


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    python = microsoft_client_in_process()
    done = subprocess.run([python, SCRIPT], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_token_with_the_role_retrieves(seen: dict[str, Any], kind: str) -> None:
    assert seen[kind]["with the role"]["references"] > 0


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_token_without_a_role_is_forbidden(seen: dict[str, Any], kind: str) -> None:
    assert seen[kind]["without a role"] == {"class": "HttpResponseError", "status": 403, "challenge": None}


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("who", ["expired", "for Azure AI Search", "of a stranger"])
def test_a_token_that_proves_nothing_is_an_authentication_error(seen: dict[str, Any], kind: str, who: str) -> None:
    challenge = f'Bearer authorization_uri="{seen["authority"]}", error="invalid_token"'
    assert seen[kind][who] == {"class": "ClientAuthenticationError", "status": 401, "challenge": challenge}
