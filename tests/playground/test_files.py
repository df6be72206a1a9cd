"""The files of the page as they are served: to everybody or to nobody, small, with nothing from elsewhere."""

import re
from pathlib import Path
from typing import Final

import pytest

from retrieval import playground
from retrieval.playground.files import POLICY, VERSIONS, names, read
from tests.access.conftest import Deploy, deploy
from tests.conftest import Post

__all__ = ["deploy"]

FOLDER: Final = Path(playground.__file__).parent
LARGEST: Final = 145_000
LARGEST_EXAMPLE: Final = 60_000
VERSION_OPTIONS: Final = b"<option>2026-10-01</option><option>2026-08-01-preview</option>"
"""The newest GA version, and the newest preview whose specification is public: our decision."""

MARKUP: Final = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|setHTML"
)


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(names()))
async def test_a_file_is_served_with_its_type_and_the_policy(name: str, post: Post) -> None:
    answer = await post(b"", f"/playground/{name}", method="GET", key=None)
    headers = {key.lower(): value for key, value in answer.headers.items()}
    file = (FOLDER / name).read_bytes()
    assert (answer.status, answer.body) == (200, file.replace(VERSIONS, VERSION_OPTIONS))
    assert headers["content-type"].split(";")[0] in {"text/html", "text/css", "text/javascript"}
    assert (headers["content-security-policy"], headers["x-content-type-options"]) == (POLICY, "nosniff")


@pytest.mark.parametrize(
    "name", ["files.py", "__init__.py", "nothing.js", "..%2Ffiles.py", "%2e%2e/compose/__init__.py"]
)
async def test_nothing_else_is_served(name: str, post: Post) -> None:
    assert (await post(b"", f"/playground/{name}", method="GET", key=None)).status == 404


@pytest.mark.parametrize(("setting", "status"), [("", 404), ("0", 404), ("1", 200)])
async def test_a_deployment_serves_it_only_where_it_is_asked_to(
    setting: str, status: int, post: Post, deploy: Deploy
) -> None:
    deploy(LOCAL="", PLAYGROUND=setting)
    for path in ("/playground", "/playground/page.js"):
        assert (await post(b"", path, method="GET", key=None)).status == status


async def test_a_slash_at_the_end_leads_to_the_address_without_one(post: Post) -> None:
    answer = await post(b"", "/playground/", method="GET", key=None)
    assert (answer.status, answer.headers["Location"]) == (308, "../playground")


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY and "http" not in POLICY and "data:" not in POLICY


def test_the_page_is_small() -> None:
    sizes = {name: len(read_bytes(name)) for name in names()}
    assert sizes.pop("example.js") < LARGEST_EXAMPLE
    assert sum(sizes.values()) < LARGEST


def read_bytes(name: str) -> bytes:
    found = read(name)
    assert found is not None
    return found.content


@pytest.mark.parametrize("name", sorted(names() - {"example.js"}))
def test_no_line_is_longer_than_a_reader_sees(name: str) -> None:
    assert [line for line in text(name).splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("name", sorted(names()))
def test_no_module_makes_markup_of_a_text(name: str) -> None:
    assert MARKUP.findall(text(name)) == []


def test_the_page_has_no_inline_script_or_style_and_nothing_of_another_origin() -> None:
    page = text("page.html")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page) == []
    assert re.findall(r'(?:src|href)="(?!playground/|/\.auth/)[^"]*"', page) == []


def test_the_docstring_names_every_file() -> None:
    assert {name for name in names() if name not in (playground.__doc__ or "")} == set()


def test_every_module_is_there_and_used() -> None:
    modules = {name for name in names() if name.endswith(".js")}
    imported = {
        found for name in modules for found in re.findall(r'(?:from |import |import\()"\./([\w.]+)"', text(name))
    }
    assert imported | {"page.js"} == modules


def test_a_module_imports_what_it_uses_of_the_others() -> None:
    """A name that is missing shows itself only when the line runs, in a browser."""
    modules = {name: text(name) for name in names() if name.endswith(".js")}
    exported = {
        one for code in modules.values() for one in re.findall(r"export (?:async )?(?:function|const) (\w+)", code)
    }
    for name, code in modules.items():
        known = set(re.findall(r"(?:function |const |let |\n  )(\w+)", code)) | _listed(code)
        used = {one for one in exported if re.search(rf"(?<![.\w]){one}\(", code)}
        assert used <= known, f"{name} uses {used - known}"


def _listed(code: str) -> set[str]:
    """What a module imports, and what its functions have as parameters."""
    lists = re.findall(r"import (\{[^}]*\})|\(([^()]*)\) (?:=>|\{)", code)
    return {word for found in lists for word in re.findall(r"\w+", " ".join(found))}
