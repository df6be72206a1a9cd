"""What Application Insights would be sent: its ingestion endpoint on loopback, remembering the envelopes."""

import gzip
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

INSTRUMENTATION_KEY: Final = "00000000-0000-4000-8000-000000000000"
PATIENCE_SECONDS: Final = 60


class Ingestion:
    """`connection` is its connection string."""

    def __init__(self, port: int) -> None:
        address = f"http://127.0.0.1:{port}/"
        self.connection = f"InstrumentationKey={INSTRUMENTATION_KEY};IngestionEndpoint={address};LiveEndpoint={address}"
        self._envelopes: list[dict[str, Any]] = []
        self._changed = threading.Condition()

    def take(self, envelopes: Sequence[dict[str, Any]]) -> None:
        with self._changed:
            self._envelopes += envelopes
            self._changed.notify_all()

    def of(self, base_type: str) -> list[dict[str, Any]]:
        """The data of the envelopes of a type so far, such as RemoteDependencyData."""
        return [one["data"]["baseData"] for one in self._envelopes if one["data"]["baseType"] == base_type]

    def dependency(self, name: str) -> dict[str, Any]:
        """The dependency of that name, as soon as it has come."""

        def found() -> list[dict[str, Any]]:
            return [one for one in self.of("RemoteDependencyData") if one["name"] == name]

        with self._changed:
            assert self._changed.wait_for(found, timeout=PATIENCE_SECONDS), f"no dependency {name!r} has come"
        return found()[0]


@contextmanager
def ingestion() -> Iterator[Ingestion]:
    """An endpoint that takes everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            text = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
            envelopes = json.loads(text) if self.path.startswith("/v2") else []
            taken.take(envelopes)
            count = len(envelopes)
            answer = json.dumps({"itemsReceived": count, "itemsAccepted": count, "errors": []}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        taken = Ingestion(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield taken
        finally:
            server.shutdown()
            thread.join()
