"""Archives of Office that are small and would take seconds and gigabytes: counted, and skipped before they are read."""

import zipfile
from pathlib import Path
from time import process_time
from typing import Final

import pytest

from retrieval.local.documents.archives import LEAST_ELEMENTS
from retrieval.local.documents.reading import read
from tests.local.documents.folder import RELATIONS, TYPES, W

RUN: Final = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>"
CELL: Final = f"<w:tc>{RUN}</w:tc>"
TOO_MUCH: Final = "more than 20,000 elements, or twice as many attributes"


def docx(path: Path, body: str, *, method: int = zipfile.ZIP_DEFLATED, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        for name, content in members.items():
            archive.writestr(f"word/{name}.xml", content)
    return path


def reason(path: Path) -> str:
    """Why it is skipped; empty where it is read."""
    (path.parent / "fine.txt").write_text("Fine.")
    return "".join(one.reason for one in read(path.parent, name="x").summary.skipped)


@pytest.mark.parametrize(
    "body",
    ["<w:p/>" * 1_000_000, RUN * 10_000, f"<w:tbl>{f'<w:tr>{CELL * 100}</w:tr>' * 40}</w:tbl>", "<w:ins>" * 90_000],
    ids=["paragraphs", "runs", "cells", "nesting"],
)
def test_a_small_file_of_many_elements_is_skipped_before_it_is_parsed(body: str, tmp_path: Path) -> None:
    path, before = docx(tmp_path / "bomb.docx", body), process_time()
    assert TOO_MUCH in reason(path)
    assert path.stat().st_size < 50_000 and process_time() - before < 2


def test_elements_of_every_member_count_whatever_their_encoding(tmp_path: Path) -> None:
    paragraphs = f'<w:footnotes xmlns:w="{W}">{"<w:p/>" * LEAST_ELEMENTS}</w:footnotes>'
    path = docx(tmp_path / "notes.docx", RUN, footnotes=f'<?xml version="1.0" encoding="ISO-8859-1"?>{paragraphs}')
    assert TOO_MUCH in reason(path)
    path.unlink()
    assert "encoding" in reason(docx(tmp_path / "ebcdic.docx", RUN, styles='<?xml version="1.0" encoding="IBM037"?>'))


def test_attributes_count_too(tmp_path: Path) -> None:
    assert TOO_MUCH in reason(docx(tmp_path / "b.docx", '<w:p w:rsidR="1" w:rsidP="2" w:rsidT="3"/>' * 15_000))


def test_a_file_of_as_many_bytes_may_have_as_many_elements(tmp_path: Path) -> None:
    stored = docx(tmp_path / "large.docx", RUN * 5_000, method=zipfile.ZIP_STORED)
    assert stored.stat().st_size > 5 * 5_000
    assert reason(stored) == ""


def test_a_note_that_is_referred_to_a_thousand_times_is_not_read_a_thousand_times(tmp_path: Path) -> None:
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="7">{RUN * 1_000}</w:footnote></w:footnotes>'
    references = '<w:p><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
    assert reason(docx(tmp_path / "a.docx", references * 1_000, footnotes=notes)) == "it refers to a note twice"
    (tmp_path / "a.docx").unlink()
    assert reason(docx(tmp_path / "b.docx", references, footnotes=notes)) == ""


def test_what_is_packed_otherwise_than_office_packs_is_skipped(tmp_path: Path) -> None:
    assert "packed as no archive" in reason(docx(tmp_path / "a.docx", RUN, method=zipfile.ZIP_LZMA))


def test_a_slide_that_is_shown_a_thousand_times_is_not_read_a_thousand_times(tmp_path: Path) -> None:
    from pptx import Presentation

    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Goals"
    deck.save(str(tmp_path / "plan.pptx"))
    assert reason(tmp_path / "plan.pptx") == ""
    with zipfile.ZipFile(tmp_path / "plan.pptx") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    shown = members["ppt/presentation.xml"].decode()
    slide = shown[shown.index("<p:sldId ") : shown.index("</p:sldIdLst>")]
    again = "".join(slide.replace('id="256"', f'id="{257 + number}"') for number in range(1_000))
    members["ppt/presentation.xml"] = shown.replace("</p:sldIdLst>", f"{again}</p:sldIdLst>").encode()
    with zipfile.ZipFile(tmp_path / "plan.pptx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert "is there twice" in reason(tmp_path / "plan.pptx")
