"""The table of agents by managed identity, over https: Azurite takes bearer tokens there."""

import json
import os
import subprocess
import sys
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from retrieval.local.certificate import NAMES, signed
from tests.azurite import azurite

SCRIPT = Path(__file__).with_name("as_in_azure.py")


def test_agents_are_kept_in_the_table_with_the_token_of_the_platforms_identity(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    secret = ec.generate_private_key(ec.SECP256R1())
    certificate.write_bytes(signed(secret, dict.fromkeys(NAMES)).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    key.write_bytes(secret.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    with azurite("--oauth", "basic", "--cert", str(certificate), "--key", str(key)) as endpoint:
        done = subprocess.run(
            [sys.executable, SCRIPT, endpoint],
            env={**os.environ, "SSL_CERT_FILE": str(certificate)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    saw, asked = map(json.loads, done.stdout.splitlines())
    assert saw == {"statuses": [201, 412, 200], "same": True}
    assert asked == ["https://storage.azure.com"]
