"""The README tells the truth: its request gives its answer, its Python runs."""

import json
import re
import subprocess
from typing import Any

from tests.conftest import ROOT, Post
from tests.running import served
from tests.third_parties import microsoft_client

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").glob("*/*.md"))


def block(language: str, *, number: int = 0, page: str = README) -> str:
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return found[number]


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    activity = [{**record, "queryTime": "", "elapsedMs": 0} for record in answer["activity"]]
    return {**answer, "activity": activity}


async def test_the_request_gives_the_answer_that_is_shown(post: Post) -> None:
    request = block("bash").split("<<'JSON'\n")[1].split("\nJSON")[0]
    assert without_times((await post(request.encode())).json) == without_times(json.loads(block("json")))


def test_the_python_of_the_readme_runs_against_make_run() -> None:
    python = microsoft_client()
    with served() as address:
        code = block("python").replace("http://localhost:7071", address)
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "earth_at_night_508_page_" in done.stdout


def test_the_answer_is_the_one_that_is_shown() -> None:
    with served() as address:
        code = block("bash", number=1).replace("http://localhost:7071", address)
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, block("text")), done.stderr


def test_the_configuration_of_a_tool_is_the_one_that_is_pasted_in_the_page_about_it() -> None:
    page = (ROOT / "docs" / "calling" / "mcp.md").read_text(encoding="utf-8")
    assert json.loads(block("json", number=1)) == json.loads(block("json", number=1, page=page))


def test_the_first_screen_has_what_a_reader_needs() -> None:
    screen = "\n".join(README.splitlines()[:32])
    assert all(needed in screen for needed in ("does **not**", "make run", "curl", '"references"'))


def test_the_readme_is_short_and_every_page_is_in_the_index() -> None:
    assert len(README.split()) <= 1_200
    docs = ROOT / "docs"
    linked = re.findall(r"\]\(([\w/.-]+)\)", (docs / "README.md").read_text(encoding="utf-8"))
    pages = [page.relative_to(docs).as_posix() for page in PAGES] + ["openapi.json"]
    assert sorted(linked) == sorted(pages)


def test_every_picture_is_on_a_page() -> None:
    text = README + "".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = [file.name for file in (ROOT / "docs").rglob("*") if file.suffix in {".svg", ".png"}]
    assert [picture for picture in pictures if f"{picture})" not in text] == []


def test_every_link_of_the_readme_and_the_pages_leads_to_a_file() -> None:
    for page in [*ROOT.glob("*.md"), ROOT / "docs" / "README.md", *PAGES]:
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            # The page of a workflow is beside the repository's files on GitHub.
            workflow = re.match(r"\.\./\.\./actions/workflows/([\w.]+)", link)
            file = page.parent / (f".github/workflows/{workflow[1]}" if workflow else link)
            assert file.exists(), f"{page.name} links to {link}"
