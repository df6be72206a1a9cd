"""Clients that strangers' tools generate from the document compile, and call the local host through what they say."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import KEY
from tests.environments import environment, go_environ, needs_go
from tests.running import served
from tests.third_parties import go_generator
from tools.openapi import document

pytestmark = pytest.mark.slow
HERE: Final = Path(__file__).parent
PYTHON: Final = "openapi-python-client==0.29.1"
ADMIN_KEY: Final = "local-admin-key"
STRICT: Final = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--pretty", "false")
GO_MODULE: Final = "module generated\n\ngo 1.24\n"
NOTHING: Final = {"keys": [], "searches": 0}
PHOENIX: Final = "earth_at_night_508_page_105_verbalized"


def run(command: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None) -> str:
    """What it printed; it must end well."""
    usual = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**usual, **(env or {})},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def typescript(packages: Path, folder: Path) -> None:
    """Types of the document and a client with them, compiled in `folder`."""
    tools = packages / "node_modules"
    (folder / "node_modules").symlink_to(tools)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "openapi.json").write_bytes(document())
    shutil.copy(HERE / "generated.ts", folder)
    run([tools / ".bin" / "openapi-typescript", "openapi.json", "-o", "schema.d.ts"], folder)
    run([tools / ".bin" / "tsc", *STRICT, "generated.ts"], folder)


def go(folder: Path) -> Path:
    """The program of a client whose package is written into `folder`."""
    needs_go()
    generator = go_generator()
    (folder / "openapi.json").write_bytes(document())
    (folder / "service").mkdir()
    said = ["-generate", "types,client", "-package", "service", "-o", "service/service.go", "openapi.json"]
    run([generator, *said], folder)
    shutil.copy(HERE / "generated.go", folder / "main.go")
    (folder / "go.mod").write_text(GO_MODULE)
    run(["go", "mod", "tidy"], folder, go_environ())
    run(["go", "build", "-o", "generated", "."], folder, go_environ())
    return folder / "generated"


def python(folder: Path) -> Path:
    """The interpreter that runs the client whose package is written into `folder`, every operation in it."""
    interpreter = environment("openapi-python-client", [PYTHON])
    (folder / "openapi.json").write_bytes(document())
    shutil.copy(HERE / "generated_client.py", folder)
    said = ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "service", "--fail-on-warning"]
    beside = {"PATH": f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"}
    run([interpreter.parent / "openapi-python-client", *said], folder, beside)
    return interpreter


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as ready:
        yield ready


@pytest.fixture(params=["typescript", "python", "go"])
def seen(request: pytest.FixtureRequest, address: str, tmp_path: Path) -> Any:
    """What a generated client saw."""
    said = (address, KEY, ADMIN_KEY)
    if request.param == "typescript":
        typescript(request.getfixturevalue("packages"), tmp_path)
        return json.loads(run(["node", "generated.js", *said], tmp_path))
    if request.param == "go":
        return json.loads(run([go(tmp_path), *said], tmp_path))
    return json.loads(run([python(tmp_path), "generated_client.py", *said], tmp_path))


def test_a_generated_client_retrieves_manages_agents_and_reads_errors(seen: Any) -> None:
    assert seen == {
        "retrieved": {"status": 200, "keys": [PHOENIX], "searches": 2, "code": "none"},
        "missing": {"status": 404, "code": "ResourceNotFound", **NOTHING},
        "anonymous": {"status": 401, "code": "Unauthenticated", **NOTHING},
        "managed": {
            "statuses": [201, 200, 412, 204, 404],
            "description": "Made through generated types.",
            "tagged": True,
            "codes": ["PreconditionFailed", "ResourceNotFound"],
        },
        "workspace": {"status": 200, "nodes": 2},
        "refused": "Forbidden",
    }
