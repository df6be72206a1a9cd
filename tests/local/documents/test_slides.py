"""PPTX: tables with merged cells, charts and formulas as text, and what is left out by name."""

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml

from retrieval.local.documents.drawn import DRAWING, MATH
from retrieval.local.documents.reading import read

RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
COMMENTS = f"{RELATIONSHIPS}/comments"
DOT = "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="
"""A picture of one pixel."""
DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def deck_with(title: str = "PowerPoint Presentation") -> Any:
    deck = Presentation()
    deck.core_properties.title = title
    return deck


def slide_of(deck: Any, title: str = "Quays") -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = title
    return slide


def chunks(deck: Any, tmp_path: Path) -> list[dict[str, Any]]:
    deck.save(str(tmp_path / "deck.pptx"))
    return [line.value for line in read(tmp_path / "deck.pptx", name="x").lines]


def left_out(tmp_path: Path) -> list[str]:
    return [one.reason for one in read(tmp_path / "deck.pptx", name="x").summary.skipped]


@pytest.mark.parametrize(
    ("given", "title"), [("PowerPoint Presentation", "Quays"), ("", "Quays"), ("Harbour day", "Harbour day")]
)
def test_the_title_of_a_deck_is_never_that_of_the_program(given: str, title: str, tmp_path: Path) -> None:
    deck = deck_with(given)
    slide_of(deck)
    slide_of(deck, "Cranes")
    assert [one["title"] for one in chunks(deck, tmp_path)] == [title, title]


def test_merged_cells_of_a_slide_shift_no_value(tmp_path: Path) -> None:
    deck = deck_with()
    shown = slide_of(deck).shapes.add_table(4, 3, 0, 0, 9, 9).table
    rows = (("Quay", "Depth", ""), ("", "Low", "High"), ("East", "4", "7"), ("", "5", "8"))
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            shown.cell(row, column).text = text
    for first, last in (((0, 0), (1, 0)), ((0, 1), (0, 2)), ((2, 0), (3, 0))):
        shown.cell(*first).merge(shown.cell(*last))
    assert chunks(deck, tmp_path)[0]["text"] == (
        "Quays\n\n| Quay | Depth > Low | Depth > High |\n| --- | --- | --- |\n| East | 4 | 7 |\n| East | 5 | 8 |"
    )


def test_charts_and_formulas_are_text(tmp_path: Path) -> None:
    deck = deck_with()
    made: Any = chart_data
    data = made.CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Boats", (12, 7.5))
    slide = slide_of(deck)
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data)
    points = made.XyChartData()
    points.add_series("Tide").add_data_point(6, 2.5)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 9, 9, points)
    box = slide.shapes.add_textbox(0, 0, 9, 9)
    box.text_frame.text = "Depth:"
    root = "<m:rad><m:e><m:r><m:t>t</m:t></m:r></m:e></m:rad>"
    formula = f'<m:oMath xmlns:m="{MATH[1:-1]}"><m:r><m:t>d=</m:t></m:r>{root}</m:oMath>'
    box.element.txBody.append(parse_xml(formula))
    assert chunks(deck, tmp_path)[0]["text"].split("\n\n")[1:] == [
        "|  | Boats |\n| --- | --- |\n| East | 12 |\n| West | 7.5 |",
        "|  | Tide |\n| --- | --- |\n| 6 | 2.5 |",
        "Depth:",
        "d=√(t)",
    ]


def test_a_hidden_slide_and_pictures_are_named_as_left_out(tmp_path: Path) -> None:
    deck = deck_with()
    shown = slide_of(deck)
    hidden = slide_of(deck, "Draft")
    hidden.element.set("show", "0")
    shown.shapes.add_picture(io.BytesIO(base64.b64decode(DOT)), 0, 0)
    shown.part.relate_to(Part(PackURI("/ppt/comments/comment1.xml"), "text/xml", deck.part.package, b"<c/>"), COMMENTS)
    assert [one["text"] for one in chunks(deck, tmp_path)] == ["Quays"]
    assert sorted(left_out(tmp_path)) == ["1 comment", "1 hidden slide", "1 picture"]


def test_paragraphs_have_the_numbers_that_powerpoint_counts(tmp_path: Path) -> None:
    deck = deck_with()
    box = slide_of(deck).shapes.add_textbox(0, 0, 9, 9)
    for text, level, kind in (
        ("Moor", 0, "arabicPeriod"), ("by rope", 1, "alphaLcParenR"), ("by chain", 1, "alphaLcParenR"),
        ("Pay", 0, "arabicPeriod"), ("Remark", 0, ""), ("Leave", 0, 'romanUcParenBoth" startAt="4'),
    ):  # fmt: skip
        numbered = f'<a:buAutoNum type="{kind}"/>' if kind else ""
        shown = f'<a:pPr lvl="{level}">{numbered}</a:pPr><a:r><a:t>{text}</a:t></a:r>'
        box.element.txBody.append(parse_xml(f'<a:p xmlns:a="{DRAWING[1:-1]}">{shown}</a:p>'))
    assert chunks(deck, tmp_path)[0]["text"].split("\n\n")[1:] == [
        "1. Moor", "a) by rope", "b) by chain", "2. Pay", "Remark", "(IV) Leave",
    ]  # fmt: skip


def test_the_texts_of_a_diagram_are_read_once(tmp_path: Path) -> None:
    deck = deck_with()
    slide = slide_of(deck)
    texts = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in ("Plan", "Build"))
    data = f'<d:dataModel xmlns:d="d" xmlns:a="{DRAWING[1:-1]}">{texts}</d:dataModel>'
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", slide.part.package, data.encode())
    related = slide.part.relate_to(part, f"{RELATIONSHIPS}/diagramData")
    for _ in range(2):
        frame = slide.shapes.add_table(1, 1, 0, 0, 9, 9)
        graphic = frame.element.graphic.graphicData
        graphic.set("uri", DIAGRAM)
        graphic[:] = [parse_xml(f'<dgm:relIds xmlns:dgm="{DIAGRAM}" xmlns:r="{RELATIONSHIPS}" r:dm="{related}"/>')]
    assert chunks(deck, tmp_path)[0]["text"] == "Quays\n\nPlan\n\nBuild"
    assert left_out(tmp_path) == ["1 diagram or object"]
