"""docs/calling/agents.md tells the truth: its Python runs against `make run TLS=1`."""

import re
import subprocess
from pathlib import Path

from tests.running import served_over_tls
from tests.third_parties import microsoft_client

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "calling" / "agents.md").read_text(encoding="utf-8")


def test_the_python_of_the_page_runs_over_tls() -> None:
    found = re.search(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    python = microsoft_client()
    with served_over_tls() as (address, certificate):
        code = found[1].replace("https://127.0.0.1:7071", address).replace("certificate.pem", certificate)
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['earth-at-night', 'night']\n"
