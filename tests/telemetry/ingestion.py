"""What Application Insights would be sent: its ingestion endpoint on loopback, remembering the envelopes.

It speaks TLS, without which the SDK sends no token; the platform's identity endpoint, which gives that, is beside it.
"""

import gzip
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from retrieval.local.certificate import certificate

PATIENCE_SECONDS: Final = 60
TOKEN: Final = "token-of-the-identity"
IDENTITY: Final = "/identity"


class Ingestion:
    """`environ` has an exporter send here, with no word to any other place."""

    def __init__(self, port: int, trusted: Path) -> None:
        address = f"https://127.0.0.1:{port}"
        key = "InstrumentationKey=00000000-0000-4000-8000-000000000000"
        self.environ: Mapping[str, str] = {
            "APPLICATIONINSIGHTS_CONNECTION_STRING": f"{key};IngestionEndpoint={address}/;LiveEndpoint={address}/",
            "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true",
            "APPLICATIONINSIGHTS_SDKSTATS_DISABLED": "true",
            "REQUESTS_CA_BUNDLE": str(trusted),
            "IDENTITY_ENDPOINT": f"{address}{IDENTITY}",
            "IDENTITY_HEADER": "from-the-platform",
        }
        self.authorized: list[str | None] = []
        self.asked: list[Mapping[str, str]] = []
        self._envelopes: list[dict[str, Any]] = []
        self._changed = threading.Condition()

    def identify(self, target: str) -> dict[str, str]:
        """The identity endpoint of App Service."""
        self.asked.append(dict(parse_qsl(urlsplit(target).query)))
        return {"access_token": TOKEN, "expires_on": "4102444800", "resource": "r", "token_type": "Bearer"}

    def take(self, body: bytes, *, authorization: str | None) -> dict[str, object]:
        """The ingestion endpoint: everything is accepted."""
        envelopes = json.loads(body)
        with self._changed:
            self.authorized.append(authorization)
            self._envelopes += envelopes
            self._changed.notify_all()
        return {"itemsReceived": len(envelopes), "itemsAccepted": len(envelopes), "errors": []}

    @property
    def envelopes(self) -> Sequence[Mapping[str, Any]]:
        """All that have come: a row of a table each."""
        return tuple(self._envelopes)

    def envelope(self, name: str) -> dict[str, Any]:
        """That of the dependency of that name, as soon as it has come."""

        def found() -> list[dict[str, Any]]:
            return [
                one
                for one in self._envelopes
                if one["data"]["baseType"] == "RemoteDependencyData" and one["data"]["baseData"]["name"] == name
            ]

        with self._changed:
            assert self._changed.wait_for(found, timeout=PATIENCE_SECONDS), f"no dependency {name!r} has come"
            return found()[0]

    def dependency(self, name: str) -> dict[str, Any]:
        """The data of its envelope."""
        data: dict[str, Any] = self.envelope(name)["data"]["baseData"]
        return data


@contextmanager
def ingestion() -> Iterator[Ingestion]:
    """An endpoint that takes everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(seen.identify(self.path) if self.path.startswith(IDENTITY) else {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            text = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
            track = self.path.startswith("/v2")
            self._answer(seen.take(text, authorization=self.headers.get("authorization")) if track else {})

        def _answer(self, content: Mapping[str, object]) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    own = certificate("127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, NamedTemporaryFile() as trusted:
        trusted.write(own.pem)
        trusted.flush()
        server.socket = own.context.wrap_socket(server.socket, server_side=True)
        seen = Ingestion(server.server_address[1], Path(trusted.name))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield seen
        finally:
            server.shutdown()
            thread.join()
