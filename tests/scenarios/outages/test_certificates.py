"""A certificate that is not accepted, of a search service and a model that speak TLS: the log names the cause."""

import asyncio
import os
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Final

import pytest
from aiohttp import ClientSession
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.benchmarks.deployment import KEY
from tests.benchmarks.soak.load import TARGET, settings
from tests.conftest import ask
from tests.environments import ROOT
from tests.sampling import sample

LINES: Final = (
    "plan is done without the model: BackendUnanswered (certificate), The chat model",
    "a search failed: BackendUnanswered (certificate), Azure AI Search",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The age in days at which the certificate ended, its name, and whether its authority is known to the app."""

    ended: int = -1
    name: str = "localhost"
    known: bool = True


FAULTS: Final = {
    "expired": Fault(ended=1),
    "of another name": Fault(name="search.example"),
    "of an unknown authority": Fault(known=False),
}


def issued(fault: Fault, folder: Path) -> ssl.SSLContext:
    """A server's context with a certificate of an authority of its own, which `ca.pem` holds if it is known."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("authority", fault.name)]
    end = datetime.now(UTC) - timedelta(days=fault.ended)
    made = [
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(names[0])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(end - timedelta(days=30))
        .not_valid_after(end if name is names[1] else end + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=name is names[0], path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(fault.name)]), critical=False)
        .sign(keys[0], hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
        for name, key in zip(names, keys, strict=True)
    ]
    plain = serialization.NoEncryption()
    secret = keys[1].private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.pem").write_bytes(made[1] + secret)
    (folder / "ca.pem").write_bytes(made[0] if fault.known else b"")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem")
    return context


@contextmanager
def app(environ: dict[str, str], log: Path) -> Iterator[str]:
    """The address of the functions in a process, which trusts the authorities of SSL_CERT_FILE."""
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0"]
    with (
        log.open("w") as errors,
        Popen(command, cwd=ROOT, env={**os.environ, **environ}, stdin=DEVNULL, stdout=PIPE, stderr=errors) as process,
    ):
        assert process.stdout is not None
        try:
            yield next(line for line in process.stdout if line.startswith(b"ready ")).split()[1].decode()
        finally:
            process.terminate()


async def logged(folder: Path, address: str) -> str:
    """The log after one call of an app whose search service and model are at the address."""
    environ, log = {**settings(folder, address), "SSL_CERT_FILE": str(folder / "ca.pem")}, folder / "log"
    with app(environ, log) as server:
        headers = {"api-key": KEY}
        async with ClientSession() as client, client.post(server + TARGET, json=ask("Roads"), headers=headers) as reply:
            await reply.read()
    return log.read_text()


async def served_tls(folder: Path, context: ssl.SSLContext) -> str:
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context) as server:
        return await logged(folder, f"https://localhost:{server.sockets[0].getsockname()[1]}")


@pytest.mark.parametrize("name", sample(list(FAULTS), every=3))
def test_a_certificate_that_is_not_accepted_is_named_in_the_line(name: str, tmp_path: Path) -> None:
    told = asyncio.run(served_tls(tmp_path, issued(FAULTS[name], tmp_path)))
    assert [line for line in LINES if line not in told] == [], told


@pytest.mark.slow
def test_a_connection_over_an_accepted_certificate_that_breaks_off_is_not_called_one(tmp_path: Path) -> None:
    told = asyncio.run(served_tls(tmp_path, issued(Fault(), tmp_path)))
    assert "BackendUnanswered (cut), Azure AI Search" in told
    assert "(certificate)" not in told
