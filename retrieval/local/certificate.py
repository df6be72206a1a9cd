"""A self-signed certificate for this machine, made when a server starts: some clients speak TLS only.

The key never outlives the moment in which it is loaded. The certificate is left in a file, for clients to trust.
"""

import ipaddress
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER: Final = Path(".local")
VALID: Final = timedelta(days=30)
NAMES: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """`pem` is the certificate, without its key, as a file holds it."""

    pem: bytes
    context: ssl.SSLContext

    def write(self, port: int) -> Path:
        """Writes it for clients, to a file of this port; gives the absolute path."""
        path = (FOLDER / f"certificate-{port}.pem").resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.pem)
        return path


def certificate(host: str) -> Certificate:
    """For this machine's own names, and the address that is listened on."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = signed(key, dict.fromkeys((*NAMES, host)))
    pem = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    with NamedTemporaryFile() as file:
        file.write(pem + secret)
        file.flush()
        context.load_cert_chain(file.name)
    return Certificate(pem=pem, context=context)


def signed(key: ec.EllipticCurvePrivateKey, names: dict[str, None]) -> x509.Certificate:
    """Not an authority: a client that trusts it trusts this server, and nothing that it might sign."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "local development")])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([_alternative(one) for one in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
