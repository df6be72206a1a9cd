"""Azurite, Microsoft's storage emulator, as a process of its own: installed once from npm under `.cache/`."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests import third_parties
from tests.environments import needs_node
from tests.running import free_port

ACCOUNT: Final = "devstoreaccount1"


@contextmanager
def azurite(*further: str) -> Iterator[str]:
    """The endpoint of an empty table service. Without npm the test is skipped, or fails where CI=true.

    `further` flags: with `--oauth basic` it takes bearer tokens, and needs `--cert` and `--key`; then it speaks https.
    """
    needs_node()
    folder = third_parties.azurite()
    port, scheme = free_port(), "https" if "--cert" in further else "http"
    flags = ["--tablePort", str(port), "--skipApiVersionCheck", "--disableTelemetry", "--inMemoryPersistence"]
    command = ["node", str(folder / "node_modules/azurite/dist/src/table/main.js"), *flags, *further]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert any("successfully started" in line for line in process.stdout), "Azurite ended before it listened."
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield f"{scheme}://127.0.0.1:{port}/{ACCOUNT}"
        finally:
            process.terminate()
