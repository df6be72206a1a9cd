"""Kinds of files beyond pages and tables of text, each by what a reader of the file would find in it.

Each file is made here by hand: our decision of what is right, written before its reader.
"""

import io
import json
import zipfile
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.local.corpora import load
from retrieval.local.documents.reading import read
from tests.local.documents.folder import pdf
from tests.local.documents.outlook import msg


def chunks(path: Path) -> list[tuple[str, str, str]]:
    """The title, the headings and the text of each chunk."""
    values = [line.value for line in read(path, name="x").lines]
    return [(str(one["title"]), str(one["heading_path"]), str(one["text"])) for one in values]


def left_out(path: Path) -> list[str]:
    return [one.reason for one in read(path, name="x").summary.skipped]


def test_a_row_of_a_sheet_has_its_columns_names_over_two_rows_and_merged_cells(tmp_path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.comments import Comment

    book = Workbook()
    sheet = book.active
    sheet.title = "Fees"
    for row in (["Harbour fees"], ["Berth", "2024"], [None, "Day", "Week"], ["North", 9, 50.5]):
        sheet.append(row)
    sheet.append([None, datetime(2024, 5, 1), 0.05])
    for merged in ("A1:C1", "A2:A3", "B2:C2", "A4:A5"):
        sheet.merge_cells(merged)
    sheet["C5"].number_format = "0%"
    sheet["B4"].comment = Comment("winter only", "Anna")
    sheet.append(["Secret", 1, 2])
    sheet.row_dimensions[6].hidden = True
    secret = book.create_sheet("Draft")
    secret.append(["x", "y"])
    secret.sheet_state = "hidden"
    book.properties.title = "Fees of the harbour"
    book.save(tmp_path / "fees.xlsx")
    title = "Fees of the harbour"
    assert chunks(tmp_path / "fees.xlsx") == [
        (title, "Fees > row 1", "Harbour fees"),
        (title, "Fees > row 4", "Berth: North\n2024 Day: 9 (note: winter only)\n2024 Week: 50.5"),
        (title, "Fees > row 5", "Berth: North\n2024 Day: 2024-05-01\n2024 Week: 5 %"),
    ]
    assert left_out(tmp_path / "fees.xlsx") == ["hidden rows or columns of the sheet Fees", "the hidden sheet Draft"]


def test_a_sheet_of_one_row_and_one_of_none_are_read(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.create_sheet("Notes").append(["Call", "Anna"])
    book.save(tmp_path / "a.xlsx")
    assert chunks(tmp_path / "a.xlsx") == [("a", "Notes > row 1", "Call\nAnna")]


def sheet_of(path: Path, cells: str) -> Path:
    """A workbook with those cells in a row, or the rows, of its sheet `Fees`."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Fees"
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head, _, tail = members["xl/worksheets/sheet1.xml"].decode().partition("<sheetData")
    after = tail[tail.index("<pageMargins") :]
    members["xl/worksheets/sheet1.xml"] = f"{head}<sheetData>{cells}</sheetData>{after}".encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_rows_of_values_have_no_names_and_a_second_table_has_its_own(tmp_path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart, Reference

    book = Workbook()
    sheet = book.active
    for row in ([1, 2], [3, 4], [], ["Crew"], ["Name", "Age"], ["Bo", 33], [], ["Berth", "2024", None]):
        sheet.append(row)
    grouped = book.create_sheet("Grouped")
    for row in (["Berth", "2024", None], [None, "Day", "Week"], ["North", 9, 50]):
        grouped.append(row)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=2))
    sheet.add_chart(chart, "E5")
    book.save(tmp_path / "a.xlsx")
    assert [text for *_, text in chunks(tmp_path / "a.xlsx")] == [
        "1\n2", "3\n4", "Crew", "Name: Bo\nAge: 33", "Name: Berth\nAge: 2024",
        "Berth: North\n2024 Day: 9\n2024 Week: 50",
    ]  # fmt: skip
    assert left_out(tmp_path / "a.xlsx") == ["1 chart"]


def test_a_formula_that_nobody_calculated_stands_for_its_value_and_is_named_with_its_cell(tmp_path: Path) -> None:
    def text(reference: str, said: str) -> str:
        return f'<c r="{reference}" t="inlineStr"><is><t>{said}</t></is></c>'

    rows = (
        f"<row r='1'>{text('A1', 'Berth')}{text('B1', 'Fee')}{text('C1', 'Tax')}</row>"
        f"<row r='2'>{text('A2', 'North')}<c r='B2'><v>9</v></c><c r='C2'><f>B2*2</f><v>18</v></c></row>"
        f"<row r='3'>{text('A3', 'South')}<c r='B3'><f>B2+1</f><v></v></c><c r='C3' t='str'><f>A9</f><v/></c></row>"
        f"<row>{text('A4', 'All')}<c><f t='array' ref='B4'>SUM(B2:B3)</f></c><c r='C4'><f t='shared' si='0'/></c></row>"
    )
    path = sheet_of(tmp_path / "a.xlsx", rows)
    assert [text for *_, text in chunks(path)] == [
        "Berth: North\nFee: 9\nTax: 18", "Berth: South\nFee: =B2+1", "Berth: All\nFee: =SUM(B2:B3)",
    ]  # fmt: skip
    assert left_out(path) == ["the values of formulas on the sheet Fees: B3, row 4, C4"]


def test_a_workbook_of_many_formulas_that_nobody_calculated_names_twenty_of_them(tmp_path: Path) -> None:
    rows = "".join(f"<row r='{n}'><c r='A{n}'><v>1</v></c><c r='B{n}'><f>A{n}*{n}</f></c></row>" for n in range(1, 41))
    path = sheet_of(tmp_path / "a.xlsx", rows)
    (reason,) = left_out(path)
    assert reason.startswith("the values of formulas on the sheet Fees: B1, B2,") and reason.endswith("B20 and 20 more")
    assert chunks(path)[-1][2].endswith("=A40*40")


EML: Final = b"""From: =?utf-8?q?J=C3=B6rg?= <j@example.org>
To: b@example.org
Subject: =?iso-8859-1?q?F=E4hre?=
Date: Wed, 01 May 2024 09:30:00 +0200
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Die F=E4hre f=E4hrt.

Um neun.
--y
Content-Type: text/html

<p>other words</p>
--y--
--x
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"

JVBERi0=
--x
Content-Type: message/rfc822

Subject: inner

secret of the inner mail
--x--
"""


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (50, '"€" 0.00', "€ 50"),
        (1234.5, "#,##0.00 [$€-407]", "1234.5 €"),
        (9, '_("$"* #,##0.00_);_("$"* (#,##0.00)', "$ 9"),
        (9, "$#,##0", "$ 9"),
        (12, '0 "km"', "12 km"),
        (12, "[$-409]0.00", "12"),
        (12, '0" "', "12"),
        (0.05, "0%", "5 %"),
        (timedelta(hours=30, minutes=5), "[h]:mm:ss", "30:05:00"),
        (datetime(2024, 3, 5), "DD.MM.YYYY", "2024-03-05"),
    ],
)
def test_a_number_of_a_sheet_has_the_unit_that_is_shown_with_it(
    value: object, form: str, shown: str, tmp_path: Path
) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["Quay", "Fee"])
    book.active.append(["North", value])
    book.active["B2"].number_format = form
    book.save(tmp_path / "a.xlsx")
    assert chunks(tmp_path / "a.xlsx") == [("a", "Sheet > row 2", f"Quay: North\nFee: {shown}")]


def test_a_mail_has_its_subject_its_people_and_its_text_and_names_what_is_attached(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(EML)
    head = "From: Jörg <j@example.org>\nTo: b@example.org\nDate: Wed, 01 May 2024 09:30:00 +0200"
    assert chunks(tmp_path / "a.eml") == [
        ("Fähre", "", f"{head}\n\nDie Fähre fährt.\n\nUm neun."),
        ("inner", "", "secret of the inner mail"),
    ]
    assert left_out(tmp_path / "a.eml") == ["the attachment plan.pdf: it cannot be read (PdfStreamError)"]


def test_a_mail_that_is_html_alone_or_declares_an_unknown_charset_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(
        b"Subject: A\nContent-Type: text/html\n\n<h1>Ferry</h1><p>Sails<!-- not --> today."
    )
    (tmp_path / "b.eml").write_bytes(b"Subject: B\nContent-Type: text/plain; charset=none-such\n\nZw\xf6lf")
    assert [text for *_, text in chunks(tmp_path)] == ["Sails today.", "Zwölf"]


def test_a_mail_that_declares_no_charset_is_read_as_any_text(tmp_path: Path) -> None:
    russian = "Договор аренды причала заключён на двенадцать месяцев."
    (tmp_path / "a.eml").write_bytes(f"Subject: Привет\nFrom: Ян <y@x.org>\n\n{russian}".encode("cp1251"))
    (tmp_path / "b.eml").write_bytes(f"Subject: Привет\nContent-Type: text/plain\n\n{russian}".encode())
    (_, _, first), (subject, _, second) = chunks(tmp_path)
    assert first.endswith(russian) and (subject, second) == ("Привет", russian)


def test_every_text_of_a_mail_is_read_and_of_alternatives_one(tmp_path: Path) -> None:
    plain, html = b"Content-Type: text/plain\n\n%s\n", b"Content-Type: text/html\n\n<p>%s</p>\n"
    both = b"Content-Type: multipart/alternative; boundary=y\n\n--y\n%s--y\n%s--y--\n"
    parts = [
        plain % b"Above the picture.",
        b"Content-Type: image/png; name=plan.png\n\nAAAA\n",
        both % (plain % b"Below it.", html % b"Below it, in bold."),
        both % (plain % b"", html % b"In bold alone."),
        html % b"The footer of the list.",
        b"Content-Type: text/plain; name=log.txt\n\nstarted\n",
    ]
    mixed = b"".join(b"--x\n" + part for part in parts)
    (tmp_path / "a.eml").write_bytes(b"Subject: A\nContent-Type: multipart/mixed; boundary=x\n\n" + mixed + b"--x--\n")
    (tmp_path / "b.eml").write_bytes(b"Subject: B\nContent-Type: multipart/report;\n\nToo many hops.\n")
    texts = [
        "Above the picture.",
        "Below it.",
        "In bold alone.",
        "The footer of the list.",
        "started",
        "Too many hops.",
    ]
    assert "\n".join(text for *_, text in chunks(tmp_path)).replace("\n\n", "\n").split("\n") == texts
    assert left_out(tmp_path) == ["the attachment plan.png: nothing here reads .png"]


def test_a_mail_of_outlook_is_read_as_any_other(tmp_path: Path) -> None:
    texts = {0x0037: "Heron", 0x1000: "The heron lands.\r\n\r\nAt six.", 0x0C1A: "Anna", 0x0C1F: "a@example.org"}
    msg(tmp_path / "a.msg", texts, sent=1_714_555_800, attachment="plan.pdf")
    msg(tmp_path / "b.msg", texts, sent=1_714_555_800, attachment="fees.csv", content=b"berth,fee\nNorth,9\n")
    head = 'From: "Anna" <a@example.org>\nDate: 2024-05-01T09:30+00:00'
    mail = ("Heron", "", f"{head}\n\nThe heron lands.\n\nAt six.")
    assert chunks(tmp_path / "a.msg") == [mail]
    assert left_out(tmp_path / "a.msg") == ["the attachment plan.pdf"]
    assert chunks(tmp_path / "b.msg") == [mail, ("fees", "row 2", "berth: North\nfee: 9")]
    assert left_out(tmp_path / "b.msg") == []


def test_a_mail_of_outlook_whose_text_is_rtf_alone_is_named(tmp_path: Path) -> None:
    msg(tmp_path / "a.msg", {0x0037: "Heron"}, sent=1_714_555_800, attachment="plan.pdf", rtf=b"compressed")
    assert chunks(tmp_path / "a.msg") == [("Heron", "", "Date: 2024-05-01T09:30+00:00")]
    assert left_out(tmp_path / "a.msg") == ["its text, which it has in RTF alone", "the attachment plan.pdf"]


def test_the_files_attached_to_a_mail_are_cited_by_their_names_in_it_and_dated_by_it(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Date"] = "Jörg <j@example.org>", "Ferry", "Wed, 01 May 2024 09:30:00 +0200"
    mail.set_content("See below.")
    inner = EmailMessage()
    inner["Subject"] = "Old: fees"
    inner.set_content("Nine.")
    inner.add_attachment("deeper", filename="deep.txt")
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w") as archive:
        archive.writestr("a.txt", "packed")
    mail.add_attachment(
        "berth,fee\nN\xf6rd,9\n".encode("cp1252"), maintype="text", subtype="csv", filename="../fees.csv"
    )
    mail.add_attachment("berth;fee\nŁeba;7\n", charset="iso-8859-2", filename="fees.csv")
    mail.add_attachment(
        b"---\ndate: 2020-02-03\nauthor: Bo\n---\n# Rules\n\nMoor.", maintype="text", subtype="markdown"
    )
    mail.add_attachment(inner)
    mail.add_attachment(pack.getvalue(), maintype="application", subtype="zip", filename="a.zip")
    mail.add_attachment(b"x", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    mail.add_attachment(b"-----BEGIN PGP", maintype="application", subtype="pgp-signature", filename="signature.asc")
    (tmp_path / "a.eml").write_bytes(mail.as_bytes())
    reading = read(tmp_path, name="x")
    values = [line.value for line in reading.lines]
    assert [
        (one["source"], str(one["text"]).splitlines()[-1], one["modified"], one.get("author")) for one in values
    ] == [
        ("a.eml", "See below.", "2024-05-01T07:30:00Z", ["Jörg"]),
        ("a.eml/fees.csv", "fee: 9", "2024-05-01T07:30:00Z", None),
        ("a.eml/fees (2).csv", "fee: 7", "2024-05-01T07:30:00Z", None),
        ("a.eml/text-markdown.md", "Moor.", "2020-02-03T00:00:00Z", ["Bo"]),
        ("a.eml/Old: fees.eml", "Nine.", "2024-05-01T07:30:00Z", None),
    ]
    assert {"berth: Nörd\nfee: 9", "berth: Łeba\nfee: 7"} < {one["text"] for one in values}
    assert [one.reason for one in reading.summary.skipped] == [
        "fees.csv: its encoding is not declared, and was taken for cp1252",
        "Old: fees.eml: the attachment deep.txt",
        "the attachment a.zip: an archive in another file",
        "the attachment winmail.dat: nothing here reads .dat",
        "the attachment signature.asc",
    ]


def test_a_mail_in_an_archive_is_read_without_what_is_attached_to_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("mail.eml", EML)
    assert [one[0] for one in chunks(tmp_path / "a.zip")] == ["Fähre"]
    assert left_out(tmp_path / "a.zip") == [
        "mail.eml: the attachment plan.pdf",
        "mail.eml: the attachment inner.eml",
    ]


ICS: Final = """BEGIN:VCALENDAR\r
METHOD:REQUEST\r
BEGIN:VTIMEZONE\r
TZID:Berlin\r
BEGIN:STANDARD\r
DTSTART:19700101T000000\r
END:STANDARD\r
END:VTIMEZONE\r
BEGIN:VEVENT\r
UID:secret\r
SUMMARY:Pier meeting\\, weekly\r
DTSTART;TZID=Berlin:20240501T093000\r
DTEND:20240501T083000Z\r
RRULE:FREQ=WEEKLY;COUNT=4\r
LOCATION:Room 4\r
ORGANIZER;CN="Lee, Anna":mailto:a@example.org\r
ATTENDEE;CN=Bo;RSVP=TRUE:mailto:b@example.org\r
ATTENDEE:mailto:c@example.org\r
DESCRIPTION:Bring the plan.\\nSee\r
  you.\r
BEGIN:VALARM\r
DESCRIPTION:secret\r
END:VALARM\r
END:VEVENT\r
BEGIN:VTODO\r
SUMMARY:Paint\r
DUE;VALUE=DATE:20240503\r
STATUS:CANCELLED\r
END:VTODO\r
END:VCALENDAR\r
"""


def test_an_invitation_has_its_time_its_place_and_its_people(tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_text(ICS)
    mail = EmailMessage()
    mail["Subject"] = "Invitation"
    mail.set_content("You are invited.")
    mail.add_alternative(ICS, subtype="calendar")
    (tmp_path / "b.eml").write_bytes(mail.as_bytes())
    meeting = (
        "Pier meeting, weekly\nStart: 2024-05-01 09:30 Berlin\nEnd: 2024-05-01 08:30 UTC\n"
        "Repeats: FREQ=WEEKLY;COUNT=4\n"
        "Location: Room 4\nOrganizer: Lee, Anna\nAttendee: Bo, c@example.org\n\nBring the plan.\nSee you."
    )
    events = [
        ("Pier meeting, weekly", "Pier meeting, weekly", meeting),
        ("Paint", "Paint", "Paint\nDue: 2024-05-03\nStatus: CANCELLED"),
    ]
    assert chunks(tmp_path) == [*events, ("Invitation", "", "You are invited."), *events]
    assert left_out(tmp_path) == []


def test_a_notebook_is_its_notes_its_code_and_what_the_code_printed(tmp_path: Path) -> None:
    outputs = [
        {"output_type": "stream", "text": ["12\n", "13\n"]},
        {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": ["<Figure>"]}},
        {"output_type": "error", "ename": "KeyError", "evalue": "'ship'"},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Ships\n", "How many?"]},
        {"cell_type": "code", "source": "# no heading\nprint(count)", "outputs": outputs},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    code = "```\n# no heading\nprint(count)\n```\n\n```\n12\n13\n<Figure>\nKeyError: 'ship'\n```"
    assert chunks(tmp_path / "a.ipynb") == [("Ships", "Ships", f"How many?\n\n{code}")]
    assert left_out(tmp_path / "a.ipynb") == ["pictures of outputs"]


def test_what_a_terminal_or_a_browser_makes_of_an_output_is_its_text(tmp_path: Path) -> None:
    data = {"text/plain": "<IPython.core.display.HTML object>"}
    outputs = [
        {"output_type": "stream", "text": "\x1b[31mwarning\x1b[0m\n 10%\r100%\n"},
        {"output_type": "display_data", "data": data | {"text/html": "<table><tr><th>a<th>b<tr><td>1<td>2</table>"}},
        {"output_type": "display_data", "data": data | {"text/markdown": ["**Moor**\n", "early"]}},
    ]
    cells = [{"cell_type": "code", "source": "x", "outputs": outputs}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"metadata": {"title": "Piers"}, "cells": cells}))
    text = "warning\n100%\n| a | b |\n| --- | --- |\n| 1 | 2 |\n**Moor**\nearly"
    assert chunks(tmp_path / "a.ipynb") == [("Piers", "", f"```\nx\n```\n\n```\n{text}\n```")]


def test_a_notebook_of_format_3_has_its_cells_in_worksheets(tmp_path: Path) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["x = 1"]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}))
    assert chunks(tmp_path / "a.ipynb") == [("Old", "Old", "```\nx = 1\n```")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.vtt",
            "WEBVTT - talk\n\nSTYLE\n::cue {}\n\nNOTE not said\n\nintro\n00:00:05.000 --> 00:00:08.000 align:start\n"
            "<v.loud Anna>The <i>heron</i>\nlands.\n\n00:09.000 --> 00:10.000\n<v Anna>Soon &amp; late.\n\n"
            "00:00:11.000 --> 00:00:12.000\n<v Bob>No.\n",
        ),
        (
            "a.srt",
            "1\r\n00:00:05,000 --> 00:00:08,000\r\n{\\an8}Anna: The <i>heron</i>\r\nlands.\r\n\r\n2\r\n"
            "00:00:09,000 --> 00:00:10,000\r\nSoon & late.\r\n\r\n3\r\n00:00:11,000 --> 00:00:12,000\r\nBob: No.",
        ),
    ],
)
def test_subtitles_are_paragraphs_from_a_time_with_their_speakers(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_bytes(content.encode())
    assert chunks(tmp_path) == [("a", "00:00:05", "Anna: The heron lands. Soon & late. Bob: No.")]


def test_each_voice_of_a_cue_has_its_words_and_no_cue_has_the_time_of_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Noon?</v>\n<v Bo>No.</v>\n\n00:03.000 --> 00:04.000\n<v Bo>One.\n"
    )
    (tmp_path / "b.srt").write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nMoor.\n2\n00:00:03,000-->00:00:04,000\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\n12"
    )
    assert [text for *_, text in chunks(tmp_path)] == ["Anna: Noon? Bo: No. One.", "Moor. 12"]


def test_lines_of_json_without_keys_are_records_with_fields_by_name(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"berth": "North", "fee": 9, "open": True, "tags": ["a", "b"], "more": {"depth": 4}, "source": "survey"},
        {"berth": "South", "note": "x" * 2_000},
        {},
    ]
    (tmp_path / "a.ndjson").write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")
    for path in (tmp_path, tmp_path / "a.ndjson"):
        corpus = load("berths", path)
        first = corpus.documents[0]
        assert {name: first[name] for name in ("berth", "fee", "open", "tags", "m_source", "heading_path")} == {
            "berth": "North", "fee": 9, "open": True, "tags": ["a", "b"], "m_source": "survey",
            "heading_path": "line 1",
        }  # fmt: skip
        assert "more > depth: 4" in str(first["text"]) and first["title"] == "a"
        assert "note" not in corpus.documents[1]
        fields = corpus.definition["fields"]
        assert isinstance(fields, list)
        types = {field["name"]: (field["type"], field.get("facetable")) for field in fields if isinstance(field, dict)}
        assert (types["fee"], types["tags"]) == (("Edm.Int64", True), ("Collection(Edm.String)", True))
        assert any("line 3: it has no text" in line for line in corpus.summary)
        assert any("line 4: " in line for line in corpus.summary)


def test_members_that_cannot_be_one_field_do_not_end_a_load(tmp_path: Path) -> None:
    lines = [{"a b": 1, "a-b": 2, "A b": 3}, {f"member {n}": n for n in range(1_500)}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    documents = load("odd", tmp_path).documents
    assert documents[0]["a_b"] == 1 and "a-b: 2" in str(documents[0]["text"])
    assert "member 1499: 1499" in " ".join(str(one["text"]) for one in documents)


ADOC: Final = """= Harbour guide
:port: North
// not seen

Intro to {port}. See https://example.org[the site] and <<fees,the fees>>.

////
nor this
////
== Berths

[source,python]
----
def moor():
    # no heading
    return 1
----

NOTE: Moor early.

.Fees of 2024
[cols="1,1"]
|===
|Day |Fee

|Mon
|9
|Tue |10
|===

* one
** two
"""


def test_asciidoc_has_its_headings_its_code_and_its_tables(tmp_path: Path) -> None:
    (tmp_path / "a.adoc").write_text(ADOC)
    code = "```\ndef moor():\n    # no heading\n    return 1\n```"
    rest = (
        "NOTE: Moor early.\n\nFees of 2024\n\n| Day | Fee |\n| --- | --- |\n| Mon | 9 |\n| Tue | 10 |\n\n- one\n  - two"
    )
    assert chunks(tmp_path / "a.adoc") == [
        ("Harbour guide", "Harbour guide", "Intro to North. See the site and the fees."),
        ("Harbour guide", "Harbour guide > Berths", f"{code}\n\n{rest}"),
    ]


def test_what_asciidoc_shows_of_links_admonitions_and_code_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.adoc").write_text(
        "= Guide\n\nSee link:https://example.org/docs/[] and <<fees>>, or `+*.war+`. footnote:[Not on Sunday.]\n\n"
        "[WARNING]\n====\nMoor early.\n====\n\n[TIP]\nAsk the warden.\n\n"
        "Fender:: Keeps the hull off.\n\n* [x] paid\n* [ ] moored\n"
    )
    ((_, _, text),) = chunks(tmp_path / "a.adoc")
    assert text == (
        "See https://example.org/docs/ and fees, or `*.war`. (Not on Sunday.)\n\n"
        "WARNING:\n\nMoor early.\n\nTIP:\n\nAsk the warden.\n\nFender: Keeps the hull off.\n\n- ☒ paid\n- ☐ moored"
    )


def test_tables_of_asciidoc_have_their_spans_and_those_written_as_csv_their_rows(tmp_path: Path) -> None:
    (tmp_path / "a.adoc").write_text(
        '[cols="2*",options="header"]\n|===\n|Quay |Fee\n|North\n|9\n2+|Closed in May\n.2+|South |7\n|6 \\| 5\n|===\n\n'
        '[%header,format=csv]\n.Crew\n|===\nName,Age\n"Lee, Bo",33\n|===\n\n,===\nc,d\n3,4\n,===\n\n'
        "[quote, Anna, Logbook]\n____\nCalm.\n____\n\nkbd:[Ctrl+C] menu:File[Save] and +\nstem:[x^2].\n\n'''\n"
    )
    ((_, _, text),) = chunks(tmp_path / "a.adoc")
    assert text.split("\n\n") == [
        "| Quay | Fee |\n| --- | --- |\n| North | 9 |\n| Closed in May |\n| South | 7 |\n| South | 6 \\| 5 |",
        "Crew", "| Name | Age |\n| --- | --- |\n| Lee, Bo | 33 |", "| c | d |\n| --- | --- |\n| 3 | 4 |",
        "Anna, Logbook:", "Calm.", "Ctrl+C File > Save and\nx^2.",
    ]  # fmt: skip


def test_a_signature_is_no_text_of_asciidoc(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Fine.")
    (tmp_path / "a.tgz.asc").write_text("-----BEGIN PGP SIGNATURE-----\n\nabc\n")
    assert left_out(tmp_path) == ["a key or a signature of PGP"]


RST: Final = """Harbour guide
=============

See :ref:`the fees <fees>` and `the site <https://example.org>`_. [#note]_

.. comment not seen

Berths
------

.. warning:: Moor early.

.. code-block:: python

    def moor():
        return 1

.. versionadded:: 2.1
   The *south* wall.

.. list-table:: Fees

   * - Day
     - Fee
   * - Mon
     - 9

Bow
   The front.

* one
* two

.. [#note] Since 2020.
"""


def test_restructured_text_has_its_headings_its_code_and_what_only_sphinx_knows(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(RST)
    first, second = chunks(tmp_path / "a.rst")
    assert first == ("Harbour guide", "Harbour guide", "See the fees and the site. [1: Since 2020.]")
    assert second[:2] == ("Harbour guide", "Harbour guide > Berths")
    assert second[2].split("\n\n") == [
        "Warning: Moor early.", "```\ndef moor():\n    return 1\n```", "New in version 2.1",
        "The south wall.", "Fees",
        "| Day | Fee |\n| --- | --- |\n| Mon | 9 |", "Bow: The front.", "- one\n- two",
    ]  # fmt: skip


def test_merged_cells_numbers_and_lists_within_lists_of_restructured_text_are_as_they_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(
        "+-------+------------+\n| Quay  | Fee        |\n|       +-----+------+\n|       | Day | Week |\n"
        "+=======+=====+======+\n| North | 9   | 50   |\n|       +-----+------+\n|       | 7   | 40   |\n"
        "+-------+-----+------+\n\n3. moor\n4. pay\n\n   * in coins\n   * by card\n\n"
        ".. danger:: Deep water.\n\n   No rail.\n"
    )
    ((_, _, text),) = chunks(tmp_path / "a.rst")
    assert text.split("\n\n") == [
        "| Quay | Fee > Day | Fee > Week |\n| --- | --- | --- |\n| North | 9 | 50 |\n| North | 7 | 40 |",
        "3. moor\n4. pay\n  - in coins\n  - by card",
        "Danger: Deep water.",
        "No rail.",
    ]


def test_lists_versions_and_directives_within_others_are_as_sphinx_shows_them(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(
        "A. one\nB. two\n\n(i) three\n(ii) four\n\n.. deprecated:: 2.0 Use *oars*.\n\n.. only:: html\n\n   Seen.\n\n"
        ".. tabs::\n\n   .. tab:: Sail\n\n      .. code-block:: sh\n\n         hoist\n\n"
        "   .. tab:: Row\n\n      Pull.\n\n"
        ".. glossary::\n\n   Fender\n      Keeps off.\n\n.. mermaid::\n\n   a --> b\n\n.. index:: secret\n"
    )
    ((_, _, text),) = chunks(tmp_path / "a.rst")
    assert text.split("\n\n") == [
        "A. one\nB. two", "(i) three\n(ii) four", "Deprecated since version 2.0: Use *oars*.", "Seen.", "Sail",
        "```\nhoist\n```", "Row", "Pull.", "Fender: Keeps off.", "```\na --> b\n```",
    ]  # fmt: skip


ODF: Final = "urn:oasis:names:tc:opendocument:xmlns"
ODT: Final = f"""<office:document-content xmlns:office="{ODF}:office:1.0" xmlns:text="{ODF}:text:1.0"
 xmlns:table="{ODF}:table:1.0"><office:body><office:text>
<text:tracked-changes><text:changed-region><text:p>deleted</text:p></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Leave</text:h><text:p>Thirty<text:s text:c="2"/>days<text:note>
<text:note-citation>1</text:note-citation><text:note-body><text:p>Apprentices: 35.</text:p></text:note-body>
</text:note>.
<office:annotation><text:p>a comment</text:p></office:annotation></text:p>
<text:h text:outline-level="2">Carry over</text:h>
<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item>
</text:list></text:list-item></text:list>
<table:table><table:table-column/><table:table-header-rows><table:table-row><table:table-cell><text:p>Berth</text:p>
</table:table-cell><table:table-cell table:number-columns-spanned="2"><text:p>Fee</text:p></table:table-cell>
<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row><table:table-cell
 table:number-rows-spanned="2"><text:p>North</text:p></table:table-cell><table:table-cell><text:p>day</text:p>
</table:table-cell><table:table-cell><text:p>9</text:p></table:table-cell></table:table-row><table:table-row>
<table:covered-table-cell/><table:table-cell><text:p>week</text:p></table:table-cell><table:table-cell><text:p>50</text:p>
</table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>"""


def test_a_text_of_opendocument_has_its_outline_its_notes_and_its_spanned_cells(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("content.xml", ODT)
    table = "| Berth | Fee | Fee |\n| --- | --- | --- |\n| North | day | 9 |\n| North | week | 50 |"
    assert chunks(tmp_path / "a.odt") == [
        ("Leave", "Leave", "Thirty days [Apprentices: 35.]."),
        ("Leave", "Leave > Carry over", f"- one\n  - two\n\n{table}"),
    ]
    assert left_out(tmp_path / "a.odt") == ["comments"]


def odt(path: Path, body: str, styles: str = "") -> Path:
    names = {"office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing"}
    spaces = " ".join(f'xmlns:{name}="{ODF}:{space}:1.0"' for name, space in names.items())
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:text>{body}</office:text></office:body></office:document-content>",
        )
    return path


def test_a_text_of_opendocument_has_its_numbers_and_its_title_and_nothing_hidden(tmp_path: Path) -> None:
    def level(at: int, form: str, more: str = "") -> str:
        return (
            f'<text:list-level-style-number text:level="{at}" style:num-format="{form}" style:num-suffix=")" {more}/>'
        )

    levels = level(1, "a") + level(2, "1", 'text:display-levels="2"')
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        f'<text:list-style style:name="L">{levels}</text:list-style>'
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>'
        "</text:outline-style>"
    )

    def item(text: str, more: str = "") -> str:
        return f"<text:list-item><text:p>{text}</text:p>{more}</text:list-item>"

    inner = f"<text:list>{item('by hand')}{item('by post')}</text:list>"
    body = (
        '<text:p text:style-name="P1">Piers</text:p><text:h text:outline-level="1">Moor</text:h>'
        '<text:p>Seen <text:span text:style-name="H">secret</text:span>here.</text:p>'
        '<text:p text:style-name="H">secret</text:p>'
        '<text:section text:display="none"><text:p>secret</text:p></text:section>'
        f'<text:list text:style-name="L">{item("in writing", inner)}{item("in time")}</text:list>'
        f'<text:list text:style-name="L" text:continue-numbering="true">{item("again")}</text:list>'
        f'<text:list text:style-name="L">{item("anew")}</text:list>'
        '<text:h text:outline-level="1">Leave</text:h><text:p>Soon.<draw:frame><draw:object/></draw:frame></text:p>'
    )
    assert chunks(odt(tmp_path / "a.odt", body, styles)) == [
        (
            "Piers",
            "Moor",
            "I. Moor\n\nSeen here.\n\n- a) in writing\n  - a.1) by hand\n  - a.2) by post\n- b) in time\n\n- c) again"
            "\n\n- a) anew",
        ),
        ("Piers", "Leave", "II. Leave\n\nSoon."),
    ]
    assert left_out(tmp_path / "a.odt") == ["formulas, charts and other objects"]


def test_a_scan_is_named_and_so_are_the_pages_that_are_one(tmp_path: Path) -> None:
    pdf(tmp_path / "all.pdf", "", "")
    pdf(tmp_path / "part.pdf", "The heron.", "", "It lands.")
    summary = read(tmp_path, name="x").summary
    assert {one.source: one.reason for one in summary.skipped} == {
        "all.pdf": "a scan: none of its pages has text",
        "part.pdf": "pages without text, as scans: 2",
    }


def test_the_files_of_an_archive_are_cited_by_their_paths_in_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("hr/leave.md", "# Leave\n\nThirty days.")
        archive.writestr("hr/notes.txt", "A note.")
        archive.writestr("__MACOSX/hr/._leave.md", "x")
        archive.writestr("tool.exe", "MZ")
        archive.writestr("faq.jsonl", '{"title": "Tide", "text": "At six."}\nnot json\n')
    (tmp_path / "README").write_text("The readme.")
    values = [line.value for line in read(tmp_path, name="x").lines]
    assert [(one["source"], one["title"], one["text"]) for one in values] == [
        ("README", "README", "The readme."),
        ("a.zip/hr/leave.md", "Leave", "Thirty days."),
        ("a.zip/hr/notes.txt", "notes", "A note."),
        ("a.zip/faq.jsonl", "Tide", "title: Tide\ntext: At six."),
    ]
    assert len({one["_id"] for one in values}) == 4
    assert left_out(tmp_path) == ["tool.exe: nothing here reads .exe", "faq.jsonl: line 2: it is no JSON"]
