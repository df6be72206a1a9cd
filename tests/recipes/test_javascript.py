"""The recipe in JavaScript prints what the README shows, by Microsoft's client. Who gives `messages` to that client is
told what to give it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import KEY
from tests.environments import needs_node
from tests.recipes.test_recipes import FOLDER, shown
from tests.running import served
from tests.test_readme import ADDRESS, SCREEN, blocks
from tests.third_parties import knowledge_client_for_node

FILE: Final = "retrieve.mjs"
PACKAGE: Final = "@azure/search-documents@13.0.0"
SECTION: Final = "docs/calling/recipes.md#javascript"
INTENTS: Final = 'intents: [{ type: "semantic", search: question }]'
MESSAGES: Final = 'messages: [{ role: "user", content: [{ type: "text", text: question }] }]'


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    needs_node()
    with served(environ={"AGENTS_STORE": "memory"}) as address:
        yield address


def run(folder: Path, address: str, *, code: str | None = None, key: str = KEY) -> subprocess.CompletedProcess[str]:
    """Runs the recipe, or other code, beside the packages of the client."""
    shutil.copy(FOLDER / FILE, folder)
    if code is not None:
        (folder / FILE).write_text(code, encoding="utf-8")
    (folder / "node_modules").symlink_to(knowledge_client_for_node("13.0.0") / "node_modules")
    environ = {**os.environ, "RETRIEVAL_ENDPOINT": address, "RETRIEVAL_API_KEY": key}
    return subprocess.run(
        ["node", FILE], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_first_screen_of_the_readme_leads_to_the_recipe_and_the_page_installs_the_client_that_is_tested() -> None:
    assert f"[JavaScript]({SECTION}) (`npm install {PACKAGE}`)" in SCREEN
    assert shown(FILE, "bash").startswith(f"npm install {PACKAGE}\n")


@pytest.mark.slow
def test_the_recipe_prints_what_the_readme_shows(address: str, tmp_path: Path) -> None:
    done = run(tmp_path, address)
    assert (done.returncode, done.stdout) == (0, blocks("text")[0]), done.stderr


@pytest.mark.slow
def test_the_javascript_of_the_readme_prints_what_its_python_prints(address: str, tmp_path: Path) -> None:
    done = run(tmp_path, address, code=blocks("js")[0].replace(ADDRESS, address))
    assert (done.returncode, done.stdout) == (0, blocks("text")[0]), done.stderr


@pytest.mark.slow
def test_a_wrong_key_is_an_error_that_is_raised(address: str, tmp_path: Path) -> None:
    done = run(tmp_path, address, key="wrong")
    assert done.returncode != 0 and "is not accepted here" in done.stderr, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2026-04-01", "2026-10-01", "2026-08-01-preview"])
def test_the_error_for_messages_has_what_the_client_sends_instead(address: str, tmp_path: Path, version: str) -> None:
    code = (FOLDER / FILE).read_text(encoding="utf-8").replace(INTENTS, MESSAGES)
    code = code.replace("const options = {", f'const options = {{ serviceVersion: "{version}",')
    done = run(tmp_path, address, code=code)
    told = re.search(r"RestError: (.+)", done.stderr)
    assert done.returncode != 0 and told, done.stderr
    assert '"intents": [{"type": "semantic", "search": "…"}]' in told[1] and "JavaScript 13.0.0" in told[1]
