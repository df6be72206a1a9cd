"""DOCX: what a reader of Word sees, where it is seen, and what is left out by name. The files are made here."""

import zipfile
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from retrieval.local.documents.reading import FolderText, read
from tests.local.documents.folder import RELATIONS, TYPES, W

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
NAMES = f'xmlns:w="{W}" xmlns:m="{M}" xmlns:w14="{W14}" xmlns:r="{R}" xmlns:c="{C}" xmlns:a="{A}"'


def docx(path: Path, body: str, **members: str) -> Path:
    """A document with members of the folder `word`, and those that it relates to by their names."""
    related = "".join(
        f'<Relationship Id="{name}" Type="{R}/{name.rstrip("0123456789")}" Target="{name}.xml"/>' for name in members
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", f"<w:document {NAMES}><w:body>{body}</w:body></w:document>")
        archive.writestr(
            "word/_rels/document.xml.rels", RELATIONS.partition("<Relationship ")[0] + f"{related}</Relationships>"
        )
        for name, content in members.items():
            archive.writestr(f"word/{name}.xml", content)
    return path


def p(text: str, style: str = "", more: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{text}</w:t></w:r>{more}</w:p>'


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def loaded(path: Path) -> tuple[FolderText, list[dict[str, Any]]]:
    reading = read(path, name="x")
    return reading, [line.value for line in reading.lines]


def text_of(path: Path) -> str:
    ((chunk),) = loaded(path)[1]
    return str(chunk["text"])


def left_out(path: Path) -> list[str]:
    return [one.reason for one in loaded(path)[0].summary.skipped]


def test_merged_cells_shift_no_value(tmp_path: Path) -> None:
    wide, begin, on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        f"<w:tbl><w:tr>{cell('Crane', begin)}{cell('Load', wide)}</w:tr>"
        f"<w:tr>{cell('', on)}{cell('Dry')}{cell('Wet')}</w:tr>"
        f"<w:tr>{cell('Red', begin)}{cell('9 t')}{cell('7 t')}</w:tr>"
        f"<w:tr>{cell('', on)}{cell('8 t')}{cell('6 t')}</w:tr></w:tbl>"
    )
    assert text_of(docx(tmp_path / "a.docx", body)) == (
        "| Crane | Load > Dry | Load > Wet |\n| --- | --- | --- |\n| Red | 9 t | 7 t |\n| Red | 8 t | 6 t |"
    )


def test_boxes_are_ticked_as_they_are(tmp_path: Path) -> None:
    control = (
        "<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='{}'/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>"
    )
    field = (
        "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:default w:val='1'/></w:checkBox></w:ffData>"
        "</w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    said = "<w:r><w:t xml:space='preserve'> {}</w:t></w:r>"
    body = "".join(
        f"<w:p>{box}{said.format(text)}</w:p>"
        for box, text in ((control.format(1), "Crew"), (control.format(0), "Guest"), (field, "Dog"))
    )
    assert text_of(docx(tmp_path / "a.docx", body)).split("\n\n") == ["☒ Crew", "☐ Guest", "☒ Dog"]


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_note_is_in_the_section_that_cites_it(tmp_path: Path, kind: str) -> None:
    notes = f'<w:{kind}s {NAMES}><w:{kind} w:id="7">{p("Not for minors.")}</w:{kind}></w:{kind}s>'
    cited = f'<w:r><w:{kind}Reference w:id="7"/></w:r>'
    body = p("Diving", "Heading1") + p("Ask the master.", more=cited) + p("Fishing", "Heading1") + p("No.")
    _, chunks = loaded(docx(tmp_path / "a.docx", body, **{f"{kind}s": notes}))
    assert [(one["heading_path"], one["text"]) for one in chunks] == [
        ("Diving", "Ask the master. [1: Not for minors.]"),
        ("Fishing", "No."),
    ]


def style(identifier: str, name: str, more: str = "") -> str:
    return f'<w:style w:type="paragraph" w:styleId="{identifier}"><w:name w:val="{name}"/>{more}</w:style>'


def test_a_style_without_a_type_is_one_of_paragraphs(tmp_path: Path) -> None:
    styles = f'<w:styles {NAMES}><w:style><w:name w:val="heading 1"/></w:style><w:style w:styleId="Body"/></w:styles>'
    _, chunks = loaded(docx(tmp_path / "a.docx", p("Moor early.", "Body"), styles=styles))
    assert [one["text"] for one in chunks] == ["Moor early."]


def test_title_and_headings_are_those_of_the_styles_whatever_their_language(tmp_path: Path) -> None:
    styles = "".join(
        (
            style("Titel", "Title"),
            style("berschrift1", "heading 1"),
            style("Firma", "Our part", '<w:basedOn w:val="berschrift1"/>'),
            style("Punkt", "Our point", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
        )
    )
    bookmark = '<w:bookmarkStart w:id="1" w:name="_Toc{0}"/><w:bookmarkEnd w:id="1"/>'
    body = (
        p("Rules of the pier", "Titel")
        + p("Moor", "Firma", bookmark.format(1))
        + p("Gently.")
        + p("At night", "Punkt", bookmark.format(2))
        + p("With light.")
        + p("Leave", "berschrift1")
        + p("Soon.")
    )
    _, chunks = loaded(docx(tmp_path / "a.docx", body, styles=f"<w:styles {NAMES}>{styles}</w:styles>"))
    assert [(one["title"], one["heading_path"], one["text"]) for one in chunks] == [
        ("Rules of the pier", "Moor", "Gently."),
        ("Rules of the pier", "Moor > At night", "With light."),
        ("Rules of the pier", "Leave", "Soon."),
    ]


@pytest.mark.parametrize(("core", "title"), [("Pier rules", "Pier rules"), ("Document1", "Moor"), ("", "Moor")])
def test_without_a_title_style_the_title_is_that_of_the_properties_unless_a_program_wrote_it(
    tmp_path: Path, core: str, title: str
) -> None:
    path = docx(tmp_path / "a.docx", p("Moor", "Heading1") + p("Gently."))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            "docProps/core.xml", f'<cp xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{core}</dc:title></cp>'
        )
    assert loaded(path)[1][0]["title"] == title


def test_a_formula_is_text(tmp_path: Path) -> None:
    power = "<m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    half = f"<m:f><m:num>{power}</m:num><m:den><m:r><m:t>g</m:t></m:r></m:den></m:f>"
    formula = f"<m:oMath><m:r><m:t>s=</m:t></m:r>{half}</m:oMath>"
    assert text_of(docx(tmp_path / "a.docx", p("Stop: ", more=formula) + p("So."))) == "Stop: s=(v^2)/(g)\n\nSo."


SERIES = (
    "<c:ser><c:tx><c:v>{}</c:v></c:tx>"
    "<c:cat><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt></c:cat>"
    "<c:val><c:pt idx='0'><c:v>{}</c:v></c:pt><c:pt idx='1'><c:v>{}</c:v></c:pt></c:val></c:ser>"
)
CHART = (
    f"<c:chartSpace {NAMES}><c:chart><c:title><a:t>Boats</a:t></c:title><c:plotArea><c:barChart>"
    f"{SERIES.format('In', 4, 6)}{SERIES.format('Out', 3, 5)}</c:barChart></c:plotArea></c:chart></c:chartSpace>"
)


def test_a_chart_is_a_table_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    body = p("See.", more='<w:r><w:drawing><c:chart r:id="chart1"/></w:drawing></w:r>')
    assert text_of(docx(tmp_path / "a.docx", body, chart1=CHART)) == (
        "See.\n\nBoats\n\n|  | In | Out |\n| --- | --- | --- |\n| May | 4 | 3 |\n| June | 6 | 5 |"
    )
    assert left_out(docx(tmp_path / "a.docx", body)) == ["1 chart"]


def test_what_word_hides_or_deleted_is_not_loaded(tmp_path: Path) -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    shown = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>shown</w:t></w:r>"
    deleted = "<w:del><w:r><w:delText>secret</w:delText></w:r></w:del><w:ins><w:r><w:t>, new</w:t></w:r></w:ins>"
    assert text_of(docx(tmp_path / "a.docx", p("It is ", more=hidden + shown + deleted))) == "It is shown, new"


def test_comments_headers_and_pictures_are_named_as_left_out(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        p("Text.", more="<w:r><w:drawing><a:blip/></w:drawing></w:r>"),
        comments=f"<w:comments {NAMES}><w:comment w:id='0'>{p('Is this so?')}</w:comment></w:comments>",
        header1=f"<w:hdr {NAMES}>{p('Internal')}</w:hdr>",
    )
    assert left_out(path) == ["1 picture", "1 comment", "headers and footers"]
    assert text_of(path) == "Text."


def test_a_file_of_many_charts_takes_no_long_time(tmp_path: Path) -> None:
    body = p("See.", more='<w:r><w:drawing><c:chart r:id="chart1"/></w:drawing></w:r>' * 4_000)
    path, before = docx(tmp_path / "a.docx", body, chart1=CHART), process_time()
    assert left_out(path) == ["3,800 charts"]
    assert process_time() - before < 20


def test_a_numbered_list_goes_on_where_a_paragraph_or_a_table_interrupts_it(tmp_path: Path) -> None:
    def item(text: str, number: int = 1, level: int = 0) -> str:
        properties = f'<w:ilvl w:val="{level}"/><w:numId w:val="{number}"/>'
        return f"<w:p><w:pPr><w:numPr>{properties}</w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"

    def levels(kind: str) -> str:
        return "".join(f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/></w:lvl>' for n in (0, 1))

    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{levels("decimal")}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="8">{levels("bullet")}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num>"
    )
    body = (
        item("moor") + item("to a ring", level=1) + item("pay") + p("A remark.") + item("leave") + p("") + item("wave")
        + "<w:tbl><w:tr><w:tc>" + p("a") + "</w:tc><w:tc>" + p("b") + "</w:tc></w:tr></w:tbl>" + item("sail")
        + p("Anew:") + item("rest", 3) + p("Loose:") + item("any", 2)
    )  # fmt: skip
    numbers = f"<w:numbering {NAMES}>{numbering}</w:numbering>"
    _, chunks = loaded(docx(tmp_path / "a.docx", body, numbering=numbers))
    assert [block.strip("\n") for block in chunks[0]["text"].split("\n\n") if block] == [
        "1. moor", "  1. to a ring", "2. pay", "A remark.", "- 3. leave\n- 4. wave", "a | b", "- 5. sail",
        "Anew:", "1. rest", "Loose:", "- any",
    ]  # fmt: skip


def numbered(text: str, *, style: str = "", number: int | None = None, level: int | None = None) -> str:
    """A paragraph of a list that the style has, or the paragraph itself."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number is not None:
        at = "" if level is None else f'<w:ilvl w:val="{level}"/>'
        properties += f'<w:numPr>{at}<w:numId w:val="{number}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def level(at: int, kind: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{at}"><w:numFmt w:val="{kind}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def of_numbers(path: Path, body: str, *lists: str, styles: str = "", more: str = "") -> Path:
    """A document whose lists 1, 2 have those levels."""
    kinds = "".join(f'<w:abstractNum w:abstractNumId="{n}">{one}</w:abstractNum>' for n, one in enumerate(lists, 1))
    numbers = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n, _ in enumerate(lists, 1))
    return docx(
        path,
        body,
        numbering=f"<w:numbering {NAMES}>{kinds}{numbers}{more}</w:numbering>",
        styles=f"<w:styles {NAMES}>{styles}</w:styles>",
    )


def of_list(number: int, level: int | None = None) -> str:
    at = "" if level is None else f'<w:ilvl w:val="{level}"/>'
    return f'<w:pPr><w:numPr>{at}<w:numId w:val="{number}"/></w:numPr></w:pPr>'


def test_headings_and_clauses_have_the_numbers_that_word_counts_for_their_styles(tmp_path: Path) -> None:
    clauses = (
        level(0, "decimal", "%1.", '<w:pStyle w:val="Heading1"/>')
        + level(1, "decimal", "%1.%2", '<w:pStyle w:val="Clause"/>')
        + level(2, "lowerLetter", "(%3)")
        + level(3, "lowerRoman", "(%4)")
    )
    styles = style("Heading1", "heading 1", of_list(1)) + style("Clause", "Clause", of_list(1))
    deleted = "<w:p><w:pPr><w:pStyle w:val='Clause'/><w:rPr><w:del/></w:rPr></w:pPr></w:p>"
    body = (
        numbered("Term", style="Heading1") + numbered("Termination", style="Heading1")
        + numbered("Either party ends it:", style="Clause") + deleted
        + numbered("in writing,", number=1, level=2) + numbered("by hand", number=1, level=3)
        + numbered("by post", number=1, level=3) + numbered("in time.", number=1, level=2)
        + numbered("Fees stay due.", style="Clause") + numbered("Law", style="Heading1")
        + numbered("Dutch.", style="Clause")
    )  # fmt: skip
    _, chunks = loaded(of_numbers(tmp_path / "a.docx", body, clauses, styles=styles))
    assert [(one["heading_path"], [line for line in one["text"].splitlines() if line]) for one in chunks] == [
        (
            "Termination",
            ["2. Termination", "- 2.1 Either party ends it:", "  - (a) in writing,", "    - (i) by hand",
             "    - (ii) by post", "  - (b) in time.", "- 2.2 Fees stay due."],
        ),
        ("Law", ["3. Law", "- 3.1 Dutch."]),
    ]  # fmt: skip


def test_numbers_of_lists_are_as_word_writes_them_and_stand_in_cells_too(tmp_path: Path) -> None:
    odd = (
        level(0, "upperRoman", "Article %1:") + level(1, "decimal", "%1.%2)", "<w:isLgl/>")
        + level(2, "lowerLetter", "%3.", '<w:lvlRestart w:val="0"/>')
    )  # fmt: skip
    chinese, plain = level(0, "chineseCounting", "第%1条"), level(0, "none", "") + level(1, "decimal", "%2.")
    again = (
        '<w:num w:numId="7"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
        "</w:lvlOverride></w:num>"
    )
    rows = (
        f"<w:tr><w:tc>{numbered('', number=3, level=1)}</w:tc><w:tc>{p(one)}</w:tc></w:tr>" for one in ("oar", "sail")
    )
    body = (
        numbered("Peace", number=1, level=0) + numbered("a pause", number=1, level=1)
        + numbered("night", number=1, level=2) + numbered("", number=1, level=1)
        + numbered("a truce", number=1, level=1) + numbered("noon", number=1, level=2)
        + numbered("War", number=7, level=0) + p("Then:")
        + numbered("甲方", number=2, level=0) + numbered("乙方", number=2, level=0)
        + numbered("Not counted", number=3, level=0)
        + f"<w:tbl>{''.join(rows)}</w:tbl>"
    )  # fmt: skip
    text = text_of(of_numbers(tmp_path / "a.docx", body, odd, chinese, plain, more=again))
    assert [line for line in text.splitlines() if line and "---" not in line] == [
        "- Article I: Peace", "  - 1.1) a pause", "    - a. night", "  - 1.3) a truce", "    - b. noon",
        "- Article V: War", "Then:", "- 第一条 甲方", "- 第二条 乙方", "Not counted", "| 1. | oar |", "| 2. | sail |",
    ]  # fmt: skip


def test_a_list_that_a_style_of_lists_defines_has_its_numbers(tmp_path: Path) -> None:
    of_style = '<w:style w:type="numbering" w:styleId="Rules">' + of_list(2) + "</w:style>"
    body = numbered("Moor early.", number=1, level=0) + numbered("Moor late.", number=1, level=0)
    lists = '<w:numStyleLink w:val="Rules"/>', level(0, "decimal", "Rule %1.")
    assert text_of(of_numbers(tmp_path / "a.docx", body, *lists, styles=of_style)).splitlines() == [
        "- Rule 1. Moor early.",
        "- Rule 2. Moor late.",
    ]


def test_a_reference_that_leads_nowhere_ends_no_reading_and_an_outline_makes_a_heading(tmp_path: Path) -> None:
    link = '<w:hyperlink r:id="gone"><w:r><w:t>the site</w:t></w:r></w:hyperlink>'
    picture = (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        "<a:graphic><a:graphicData><pic:pic xmlns:pic='http://schemas.openxmlformats.org/drawingml/2006/picture'>"
        '<pic:blipFill><a:blip r:embed="gone"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline>'
        "</w:drawing></w:r>"
    )
    heading = '<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Moor</w:t></w:r></w:p>'
    path = docx(tmp_path / "a.docx", heading + p("See ", more=link + picture))
    ((chunk),) = loaded(path)[1]
    assert (chunk["heading_path"], chunk["text"]) == ("Moor", "See the site")
    assert left_out(path) == ["1 picture"]
