"""What a file says of itself becomes fields, by which a search is filtered."""

import os
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient

from retrieval.local.corpora import load
from retrieval.local.documents.reading import read
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import InProcessTransport
from tests.local.documents.folder import docx, mixed
from tests.local.documents.outlook import msg
from tests.local.documents.test_kinds import EML

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
    assert [values[name]["modified_by"] for name in sorted(values)] == [*["document"] * 4, "file"]


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
