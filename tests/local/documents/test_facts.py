"""What a file says of itself becomes fields, by which a search is filtered."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient

from retrieval import compose
from retrieval.local.corpora import load
from retrieval.local.documents.reading import read
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import InProcessTransport
from tests.conftest import Post
from tests.local.documents.folder import docx, mixed
from tests.local.documents.outlook import msg
from tests.local.documents.test_kinds import EML

Retrieve = Callable[..., Awaitable[list[str]]]

PAGE = """---
title: "Moorings"
date: 2023-04-05
author: Anna
tags: [north, "south wall"]
categories:
  - fees
  - 'rules'
draft: true
source: survey
nested:
  deep: not seen
---
# Moorings

Moor early.
"""


def first(path: Path) -> dict[str, Any]:
    return dict(read(path, name="x").lines[0].value)


def test_members_of_front_matter_are_fields_and_the_date_is_when_it_was_modified(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    value = first(tmp_path)
    assert {
        name: value.get(name) for name in value if name not in {"_id", "title", "text", "heading_path", "page"}
    } == {
        "source": "a.md",
        "path": "a.md",
        "modified": "2023-04-05T00:00:00Z",
        "modified_by": "document",
        "date": "2023-04-05T00:00:00Z",
        "author": ["Anna"],
        "tags": ["north", "south wall"],
        "categories": ["fees", "rules"],
        "draft": "true",
        "m_source": "survey",
    }


def test_front_matter_in_toml_is_read_as_one_in_yaml(tmp_path: Path) -> None:
    head = 'title = "Moorings"\ndate = 2023-04-05\ntags = ["north", "south wall"]\ndraft = true\n[menu]\nweight = 1\n'
    (tmp_path / "a.md").write_text(f"+++\n{head}+++\n\n# Moor {{#moor .wide}}\n\nMoor early {{#x}}.\n")
    (tmp_path / "b.md").write_text("+++\nno toml\n+++\n\nwords\n")
    value, broken = (line.value for line in read(tmp_path, name="x").lines)
    assert {
        name: value.get(name) for name in ("title", "heading_path", "text", "modified", "date", "tags", "draft")
    } == {
        "title": "Moorings",
        "heading_path": "Moor",
        "text": "Moor early {#x}.",
        "modified": "2023-04-05T00:00:00Z",
        "date": "2023-04-05T00:00:00Z",
        "tags": ["north", "south wall"],
        "draft": "true",
    }
    assert (broken["text"], broken["modified_by"]) == ("words", "file")


@pytest.mark.parametrize("written", ["2023-04-05 10:00:00 +0200", "2023-04-05T08:00:00Z", "2023-04-05 08:00"])
def test_a_date_of_front_matter_has_its_time_and_zone_as_yaml_writes_them(written: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\ndate: {written}\n---\nwords\n")
    assert first(tmp_path)["modified"] == first(tmp_path)["date"] == "2023-04-05T08:00:00Z"


def test_members_of_several_lines_and_names_of_persons_are_read_in_any_encoding(tmp_path: Path) -> None:
    head = (
        "---\ntitle: >-\n  Rules of\n  the pier\nsummary: Moor\n  early\n"
        "author:\n  email: x@example.org\n  name: Jörg\ntags:\n  - name: Höhe\n    color: red\n  - tide\n...\n"
    )
    (tmp_path / "a.md").write_bytes(f"{head}words\n".encode("cp1252"))
    value = first(tmp_path)
    assert (value["title"], value["summary"], value["author"], value["tags"], value["text"]) == (
        "Rules of the pier", "Moor early", ["Jörg"], ["Höhe", "tide"], "words",
    )  # fmt: skip


@pytest.mark.parametrize(
    "written",
    ["5 April 2023", "April 5th, 2023", "Wed, 5 Apr 2023 00:00:00 GMT", "2023/04/05", "2023.4.5", "2023-4-5",
     "20230405", "5.4.2023", "5. April 2023", "5 de abril de 2023", "5 avril 2023", "2023年4月5日",
     "Wednesday, April 5, 2023"],
)  # fmt: skip
def test_a_date_of_front_matter_is_read_however_people_write_it(written: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f'---\ndate: "{written}"\n---\nwords\n')
    assert first(tmp_path)["modified"] == first(tmp_path)["date"] == "2023-04-05T00:00:00Z"


@pytest.mark.parametrize(
    ("written", "day"),
    [("31/12/2023", "2023-12-31"), ("12/31/2023", "2023-12-31"), ("04/04/2023", "2023-04-04"), ("05/04/2023", None),
     ("31.2.2023", None), ("May 2023", None)],
)  # fmt: skip
def test_a_date_that_could_be_two_days_is_none(written: str, day: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\ndate: {written}\n---\nwords\n")
    assert first(tmp_path).get("date") == (day and f"{day}T00:00:00Z")


def test_a_file_that_says_nothing_of_itself_was_modified_when_its_file_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    os.utime(tmp_path / "a.txt", (1_714_555_800, 1_714_555_800))
    value = first(tmp_path)
    assert (value["modified"], value["modified_by"]) == ("2024-05-01T09:30:00Z", "file")


@pytest.mark.parametrize(
    "head",
    [
        "---\ndate: soon\n---\n",
        "---\ndate: 9999-99-99\n---\n",
        "---\n- a\n: b\n---\n",
        "---\n" + "a: b\n" * 9_000 + "---\n",
    ],
)
def test_front_matter_that_is_none_does_not_end_a_load(tmp_path: Path, head: str) -> None:
    (tmp_path / "a.md").write_text(f"{head}\nwords\n")
    assert first(tmp_path)["modified_by"] == "file"


def test_a_mail_was_modified_at_its_date_and_an_office_file_when_its_properties_say(tmp_path: Path) -> None:
    from openpyxl import Workbook
    from pptx import Presentation

    (tmp_path / "a.eml").write_bytes(EML)
    msg(tmp_path / "b.msg", {0x1000: "words", 0x0C1A: "Anna"}, sent=1_714_555_800, attachment="x")
    book = Workbook()
    book.active.append(["words"])
    book.properties.creator, book.properties.keywords = "Bob", "fees; north, south"
    book.save(tmp_path / "c.xlsx")
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Goals"
    deck.slides[0].shapes.add_textbox(0, 0, 9, 9).text_frame.text = "words"
    deck.save(str(tmp_path / "d.pptx"))
    docx(tmp_path / "e.docx", (None, "words"))
    values = {str(line.value["source"]): line.value for line in read(tmp_path, name="x").lines}
    assert values["a.eml"]["modified"] == "2024-05-01T07:30:00Z" and values["a.eml"]["author"] == ["Jörg"]
    assert values["b.msg"]["modified"] == "2024-05-01T09:30:00Z"
    assert values["c.xlsx"]["tags"] == ["fees; north", "south"] and values["c.xlsx"]["author"] == ["Bob"]
    assert [values[name]["modified_by"] for name in sorted(values)] == [*["document"] * 5, "file"]


def test_a_filter_and_facets_find_what_a_file_says_of_itself(tmp_path: Path) -> None:
    mixed(tmp_path)
    (tmp_path / "docs" / "hr" / "moor.md").write_text(PAGE)
    local = stand_in((("kept", str(tmp_path / "docs")),))
    credential, transport = AzureKeyCredential(local.key), InProcessTransport(local.service)
    with SearchClient(local.endpoint, "kept", credential, transport=transport) as client:
        filters = (
            "tags/any(t: t eq 'north')",
            "date ge 2023-01-01T00:00:00Z",
            "path eq 'hr/moor.md'",
            "modified eq 2023-04-05T00:00:00Z",
        )
        assert [[one["path"] for one in client.search("*", filter=one)] for one in filters] == [["hr/moor.md"]] * 4
        facets = client.search("*", facets=["tags", "date,interval:year"]).get_facets()
    assert facets is not None
    assert [one["value"] for one in facets["tags"]] == ["north", "south wall"]
    assert [str(one["value"])[:4] for one in facets["date"]] == ["2023"]


def test_the_fields_of_a_document_have_types_to_filter_by(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    fields = load("kept", tmp_path).definition["fields"]
    assert isinstance(fields, list)
    types = {one["name"]: (one["type"], one["filterable"], one["facetable"]) for one in fields if isinstance(one, dict)}
    assert types["modified"] == types["date"] == ("Edm.DateTimeOffset", True, True)
    assert types["tags"] == types["author"] == ("Collection(Edm.String)", True, True)
    assert types["path"] == ("Edm.String", True, False)


STORM = """---
date: {year}-05-01
author: {author}
tags: [weather, {tag}]
---
# The storm of the {tag}

A storm broke {number} windows of the school.
"""
STORMS = ((2021, "Anna Lind", "north", "two"), (2022, "Bo Ek", "south", "four"), (2023, "Cy Falk", "east", "nine"))


@pytest.fixture
async def retrieve(tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Retrieve]:
    """The files of three years' storms are loaded; gives the paths of what a question finds, best first."""
    for year, author, tag, number in STORMS:
        (tmp_path / f"{year}.md").write_text(STORM.format(year=year, author=author, tag=tag, number=number))
    mixed(tmp_path)
    for name, value in {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"storms": str(tmp_path)})}.items():
        monkeypatch.setenv(name, value)
    await compose.end()

    async def found(question: str, **source: object) -> list[str]:
        source = {"knowledgeSourceName": "storms", "kind": "searchIndex", "includeReferenceSourceData": True} | source
        body = {
            "messages": [{"role": "user", "content": [{"type": "text", "text": question}]}],
            "knowledgeSourceParams": [source],
        }
        answer = await post(body, "/knowledgebases/storms/retrieve?api-version=2026-08-01-preview")
        assert answer.status == 200, answer.body
        references = sorted(answer.json["references"], key=lambda one: int(one["id"]))
        return [str(one["sourceData"]["source"]) for one in references]

    yield found
    await compose.end()


async def test_a_year_or_a_name_in_a_question_prefers_the_files_that_say_it_of_themselves(retrieve: Retrieve) -> None:
    for year, author, tag, _ in STORMS:
        for asked in (f"in {year}", f"says {author}"):
            assert (await retrieve(f"How many windows of the school broke a storm {asked}?"))[0] == f"{year}.md", asked
        assert (await retrieve(f"Which storm broke windows, tags {tag}?"))[0] == f"{year}.md"


async def test_a_retrieve_filters_by_members_of_front_matter(retrieve: Retrieve) -> None:
    for filtered, paths in {
        "date ge 2023-01-01T00:00:00Z": ["2023.md"],
        "modified lt 2022-01-01T00:00:00Z": ["2021.md"],
        "author/any(one: one eq 'Bo Ek')": ["2022.md"],
        "tags/any(tag: tag eq 'east' or tag eq 'south')": ["2022.md", "2023.md"],
        "path eq '2021.md'": ["2021.md"],
    }.items():
        assert sorted(await retrieve("Which storm broke windows?", filterAddOn=filtered)) == paths, filtered
