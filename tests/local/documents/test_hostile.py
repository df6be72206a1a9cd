"""Files that would open another, or take too much: nothing but the file itself is read, and the load ends."""

import json
import zipfile
from pathlib import Path
from typing import Final

import pytest

from retrieval.local.documents.files import LARGEST
from retrieval.local.documents.reading import read
from tests.local.documents.outlook import compound

SECRET: Final = "the secret of another file"
SHEET: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


def loaded(folder: Path) -> tuple[str, list[str]]:
    """All text of the chunks, and the reasons of what was left out."""
    (folder / "fine.txt").write_text("Fine.")
    reading = read(folder, name="x")
    return " ".join(str(line.value["text"]) for line in reading.lines), [one.reason for one in reading.summary.skipped]


def xlsx(path: Path, rows: str, *, after: str = "", doctype: str = "", **members: str) -> None:
    """A workbook of one sheet."""
    relation = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/%s" Target="%s"/>%s'
    )
    link = f'<Relationship Id="r2" Type="{OFFICE}/externalLink" Target="externalLinks/externalLink1.xml"/>'
    types = '<Default Extension="xml" ContentType="application/xml"/>'
    types += f'<Override PartName="/xl/workbook.xml" ContentType="{WORKBOOK}"/>'
    book = f'<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>{members.pop("book", "")}</workbook>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types">{types}</Types>')
        archive.writestr("_rels/.rels", relation % ("officeDocument", "xl/workbook.xml", "</Relationships>"))
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">{book}')
        of_book = relation % ("worksheet", "worksheets/sheet1.xml", f"{link if members else ''}</Relationships>")
        archive.writestr("xl/_rels/workbook.xml.rels", of_book)
        sheet = f'{doctype}<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData>{after}</worksheet>'
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        for name, content in members.items():
            archive.writestr(f"xl/externalLinks/{name}", content)


def test_directives_of_restructured_text_open_no_file_and_no_address(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(f"{SECRET},1\n")
    (tmp_path / "docs").mkdir()
    other = tmp_path / "other.csv"
    (tmp_path / "docs" / "a.rst").write_text(
        f"Fine text.\n\n.. include:: {other}\n\n.. raw:: html\n   :file: {other}\n\n"
        f".. csv-table:: T\n   :file: {other}\n\n"
        f".. csv-table:: T\n   :url: file://{other}\n\n.. raw:: html\n   :url: file://{other}\n\n"
        f".. figure:: {other}\n   :figwidth: image\n\n.. literalinclude:: {other}\n\n.. raw:: html\n\n   <b>raw</b>\n"
    )
    text, reasons = loaded(tmp_path / "docs")
    assert "Fine text." in text and SECRET not in text
    assert {f"the directive {name}, which reads a file" for name in ("include", "csv-table", "literalinclude")} <= set(
        reasons
    )


def test_a_configuration_of_docutils_beside_the_files_has_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docutils.conf").write_text("[general]\nfile_insertion_enabled: yes\nraw_enabled: yes\n")
    (tmp_path / "other.txt").write_text(SECRET)
    (tmp_path / "a.rst").write_text("Fine.\n\n.. include:: other.txt\n")
    monkeypatch.chdir(tmp_path)
    assert SECRET not in str([line.value for line in read(Path("a.rst"), name="x").lines])


def test_an_include_of_asciidoc_opens_no_file(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text(SECRET)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.adoc").write_text(
        "Text.\n\ninclude::../other.txt[]\n\n----\ninclude::../other.txt[]\n----\n"
    )
    text, reasons = loaded(tmp_path / "docs")
    assert "Text." in text and SECRET not in text
    assert "what it includes of ../other.txt" in reasons


def test_entities_of_xml_are_refused_in_every_kind_of_archive(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text(SECRET)
    (tmp_path / "docs").mkdir()
    doctype = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{other}"><!ENTITY a "ha">]>'
    xlsx(tmp_path / "docs" / "a.xlsx", '<row><c t="inlineStr"><is><t>&e;&a;</t></is></c></row>', doctype=doctype)
    with zipfile.ZipFile(tmp_path / "docs" / "a.odt", "w") as archive:
        archive.writestr("content.xml", f"{doctype}<x>&e;&a;</x>")
    text, reasons = loaded(tmp_path / "docs")
    assert text == "Fine."
    assert reasons == ["its XML declares a document type, as none of Office does"] * 2


def test_external_links_of_a_workbook_are_not_followed(tmp_path: Path) -> None:
    link = f'<externalLink xmlns="{SHEET}" xmlns:r="{OFFICE}"><externalBook r:id="r1"/></externalLink>'
    book = '<externalReferences><externalReference r:id="r2"/></externalReferences>'
    row = '<row r="1"><c r="A1"><f>[1]S!A1</f><v>7</v></c></row>'
    xlsx(tmp_path / "a.xlsx", row, book=book, **{"externalLink1.xml": link})
    assert loaded(tmp_path) == ("7 Fine.", [])


def test_entries_of_an_archive_that_lead_out_of_it_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "docs"
    folder.mkdir(parents=True)
    names = ["../up.md", "/root.md", "a/../../b.md", "..\\win.md", "C:\\x.md", "c\x1b.md"]
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(name, SECRET)
        link = zipfile.ZipInfo("link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/hostname")
    text, reasons = loaded(folder)
    assert text == "Fine." and len(reasons) == len(names) + 1 + 1
    assert "link.md: a link" in reasons
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == []


def test_archives_in_archives_are_named_and_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.writestr("a.md", "inner")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "inner.zip")
        archive.writestr("b.md", "outer")
    (tmp_path / "inner.zip").unlink()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"a" * 40_000_000)
    text, reasons = loaded(tmp_path)
    assert text == "outer Fine."
    assert reasons[0] == "inner.zip: an archive in an archive" and "unpacks to more than" in reasons[1]


CELL: Final = '<row r="{0}"><c r="A{0}"><v>7</v></c></row>'


@pytest.mark.parametrize(
    ("rows", "after", "text"),
    [
        ("".join(f'<row r="{n}"/>' for n in range(1, 110_000)) + CELL.format(120_000), "", "7 Fine."),
        (CELL.format(1) + '<row r="1048576"><c r="XFD1048576"><v>8</v></c></row>', "", "7 8 Fine."),
        (CELL.format(1), '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>', "7 Fine."),
        (CELL.format(1) + CELL.format(99_999_999_999), "", "Fine."),
        ("".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 2_000)), "", "Fine."),
    ],
    ids=["empty-rows", "far-cell", "merged", "far-row", "wide"],
)
def test_a_workbook_is_as_large_as_what_it_holds(tmp_path: Path, rows: str, after: str, text: str) -> None:
    xlsx(tmp_path / "a.xlsx", rows, after=after)
    assert loaded(tmp_path)[0] == text


def test_a_notebook_with_fifty_megabytes_of_output_is_read_without_it(tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": ["a line of output\n"] * 100 + ["x" * 50_000_000]}
    cells = [
        {"cell_type": "markdown", "source": "The heron."},
        {"cell_type": "code", "source": "x", "outputs": [output]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    assert (tmp_path / "a.ipynb").stat().st_size < LARGEST
    text, reasons = loaded(tmp_path)
    assert "The heron." in text and len(text) < 3_000
    assert reasons == ["of an output what is beyond 2,000 characters"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.ipynb", '{"cells":[' + "[" * 600_000, "more than 500,000 objects"),
        ("a.ipynb", "[" * 100_000, "it is no notebook"),
        ("a.ipynb", "[]", "it is no notebook"),
        ("a.rst", "a\n\n" * 800_000, "at most 524,288 characters"),
        ("a.eml", "no mail", "it is no mail"),
        ("a.eml", "Content-Type: multipart/mixed; boundary=x\n\n" + "--x\n\na\n" * 2_000, "more than 1,000 parts"),
        ("a.msg", "no mail", "it is no mail of Outlook"),
        ("a.zip", "PK", "it is no archive"),
        ("a.odt", "PK", "it is no archive"),
    ],
)
def test_what_is_broken_or_takes_too_much_is_skipped_with_the_reason(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / name).write_text(content)
    text, reasons = loaded(tmp_path)
    assert text == "Fine." and reason in reasons[0]


def test_streams_of_a_mail_that_share_their_bytes_are_not_read_each(tmp_path: Path) -> None:
    compound(tmp_path / "a.msg", {f"__substg1.0_{n:08X}": b"x" * 4_000 for n in range(20)}, {}, shared=True)
    text, reasons = loaded(tmp_path)
    assert text == "Fine." and "longer ones than the file" in reasons[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.adoc", f"{'[' * 9_000}\n{'<<' * 9_000}\n{'{a' * 9_000}\n{'link:' * 9_000}\n|===\n{'|' * 9_000}\n|===\n"),
        ("a.vtt", "00:00.000 --> 00:01.000\n" + "<" * 200_000),
        ("a.rst", "*a " * 20_000),
        ("a.eml", "Subject: " + "=?utf-8?q?a?= " * 50_000 + "\n\nhi"),
        ("a.eml", "".join(f"Content-Type: multipart/mixed; boundary=x{n}\n\n--x{n}\n" for n in range(100)) + "\n\nhi"),
    ],
)
def test_no_text_of_these_kinds_takes_long(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert "Fine." in loaded(tmp_path)[0]
