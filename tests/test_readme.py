"""The README tells the truth: its Python and its commands print what it shows, and its links lead somewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import ROOT
from tests.rooms import is_of_a_room_taken_away
from tests.running import served
from tests.third_parties import knowledge_client

README = (ROOT / "README.md").read_text(encoding="utf-8")
SCREEN = README.partition("\n## ")[0]
"""What stands before the first heading."""

PAGES = [ROOT / "docs" / "first-hour.md", *sorted((ROOT / "docs").glob("*/*.md"))]


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


TIMES = re.compile(r'"(queryTime|startedAt|completedAt|elapsedMs)": ?(?:"[^"]*"|\d+)')
ADDRESS = "http://localhost:7071"


def without_times(answer: str) -> object:
    return json.loads(TIMES.sub(r'"\1": 0', answer))


def printed(command: list[str | Path], address: str) -> str:
    """What a program of the page prints, which asks the service at that address."""
    code = [str(part).replace(ADDRESS, address) for part in command]
    done = subprocess.run(code, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_prints_what_is_shown() -> None:
    [program] = blocks("python")
    with served() as address:
        assert printed([sys.executable, "-c", program], address) == blocks("text")[0]


@pytest.mark.slow
def test_the_python_prints_it_with_the_client_that_the_page_installs() -> None:
    assert "`pip install azure-search-documents==12.1.0b2`" in README
    with served() as address:
        assert printed([knowledge_client("12.1.0b2"), "-c", blocks("python")[0]], address) == blocks("text")[0]


def test_the_commands_print_what_is_shown() -> None:
    base, _, _, agent = blocks("bash")
    with served() as address:
        assert [printed(["bash", "-c", command], address) for command in (base, agent)] == blocks("text")[1:]


def test_the_raw_answer_is_the_one_that_is_given() -> None:
    shown = (ROOT / "docs" / "calling" / "first-answer.json").read_text(encoding="utf-8")
    command = blocks("bash")[0].partition("  | python3")[0].removesuffix(" \\\n")
    with served() as address:
        given = printed(["bash", "-c", command], address).replace(address, ADDRESS)
    assert without_times(given) == without_times(shown)


def test_the_configuration_of_a_tool_is_the_one_that_is_pasted_in_the_page_about_it() -> None:
    page = (ROOT / "docs" / "calling" / "mcp.md").read_text(encoding="utf-8")
    assert json.loads(blocks("json")[0]) == json.loads(blocks("json", page)[1])


def test_the_first_screen_has_what_a_reader_needs() -> None:
    needed = (
        "does **not**",
        "make run",
        "client.retrieve(",
        *blocks("text")[0].split("\n"),
        "playground.png",
        "first-hour.md",
    )
    assert [one for one in needed if one not in SCREEN] == []


def test_a_claim_beside_another_product_has_its_date_and_its_source() -> None:
    section = README.partition("\n## Beside others\n")[2].partition("\n## ")[0]
    assert re.search(r"^As read on \d{4}-\d\d-\d\d:$", section, re.MULTILINE)
    rows = re.findall(r"^\| (?!Product|-).*$", section, re.MULTILINE)
    assert len(rows) >= 4 and [row for row in rows if "](https://" not in row] == []


def test_the_words_of_its_own_are_explained_and_linked_where_they_first_stand() -> None:
    [diagram] = blocks("mermaid")
    listed = README.partition("\n## Its words\n")[2].partition("\n## ")[0]
    drawn = ("call", "base", "agent", "target", "source", "index")
    assert [word for word in drawn if not re.search(rf"\b{word}: ", diagram)] == []
    assert [word for word in ("effort", "threshold", "grounding") if f"**{word}**: " not in listed] == []
    prose = re.sub(r"```.*?```|`[^`]*`", "", SCREEN, flags=re.DOTALL)
    for word in ("base", "agent", "target", "source", "effort", "threshold", "grounding"):
        first = re.search(rf".?\b{word}s?\b(?:\]\(#its-words\))?", prose)
        assert first is None or re.fullmatch(r"\[\w+\]\(#its-words\)", first[0]), f"{word} is not linked at first"


UNCOUNTED: Final = frozenset({"first-hour.md", "runbook.md"})
"""Pages that are as long as what they must have: each step with its output, a section for each error and alert."""


def test_the_readme_and_the_pages_are_short() -> None:
    """A new word pays with an old one: a rule stands once, on the page of those who need it."""
    assert len(README.split()) <= 1_200
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split()) <= 1_200
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name not in UNCOUNTED]
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in pages}
    longest = max(words, key=words.__getitem__)
    assert words[longest] <= 2_200, longest
    assert sum(words.values()) <= 27_000, longest


def test_every_page_is_in_the_index() -> None:
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


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_to_a_section_leads_to_a_heading() -> None:
    for page in [*ROOT.glob("*.md"), ROOT / "docs" / "README.md", *PAGES]:
        for link, anchor in re.findall(r"\]\(([\w/.-]*)#([\w-]+)\)", page.read_text(encoding="utf-8")):
            file = page.parent / link if link else page
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{page.name} links to {link}#{anchor}"


def test_the_walk_through_the_code_names_functions_that_there_are() -> None:
    page = (ROOT / "docs" / "developing" / "request.md").read_text(encoding="utf-8")
    steps = re.findall(r"^- `([\w/]+\.py)` `(\w+)`: ", page, re.MULTILINE)
    assert len(steps) > 15
    for file, function in steps:
        code = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^ *(?:(?:async )?def|class) {function}\b", code, re.MULTILINE), f"{file} has no {function}"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/developing/request.md"])
def test_a_page_for_developers_names_files_that_there_are(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:retrieval|tests|infra|docs|\.github|\.ci)/[\w./-]*)`", text)
    missing = [name for name in named if not (ROOT / name).exists()]
    assert named and [name for name in missing if not is_of_a_room_taken_away(name)] == []
