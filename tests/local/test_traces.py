"""The spans of a call are a tree on the terminal, under the id that the caller sent."""

import re
import signal
import subprocess
import sys
from typing import Final

import httpx

from tests.conftest import ROOT, ask

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
PATH: Final = "/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview"


def test_a_call_is_a_tree_under_the_id_of_its_trace() -> None:
    headers = {"api-key": "local-dev-key", "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    command = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0", "--trace"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = next(line.split()[1] for line in process.stdout if line.startswith("ready "))
        assert httpx.post(address + PATH, json=ask("gas flares"), headers=headers, timeout=30).status_code == 200
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    tree = said[said.index(f"trace {TRACE}") :].splitlines()
    assert re.match(r"retrieve \d+ ms .*agent=earth-at-night", tree[1]), said
    assert [re.sub(r" \d+ ms.*", "", line) for line in tree[2:]].count("├─ search earth_at_night") <= 1
    assert any("search earth_at_night" in line for line in tree[2:]), said
    assert tree[-1].startswith(("└─ ", "   "))
