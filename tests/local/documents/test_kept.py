"""The table of what is kept of each kind of file: every cell that promises anything is shown by a test."""

import re
from pathlib import Path
from typing import Final

from tests.environments import ROOT

PAGE: Final = ROOT / "docs" / "developing" / "documents.md"
HTML, MARKDOWN, DOCX, PPTX, PDF = ("test_hypertext", "test_markdown", "test_word", "test_slides", "test_pdf")
SHOWN: Final[dict[str, dict[str, str]]] = {
    "merged cells": {
        HTML: "test_a_cell_over_several_rows_and_columns_is_in_each_of_them",
        MARKDOWN: "test_raw_html_is_the_text_that_a_reader_sees",
        DOCX: "test_merged_cells_shift_no_value",
        PPTX: "test_merged_cells_of_a_slide_shift_no_value",
    },
    "several header rows of a table": {
        HTML: "test_two_rows_of_headers_are_one_header",
        DOCX: "test_merged_cells_shift_no_value",
        PPTX: "test_merged_cells_of_a_slide_shift_no_value",
    },
    "tick boxes, forms": {
        HTML: "test_summaries_captions_and_boxes_are_as_they_are_seen",
        DOCX: "test_boxes_are_ticked_as_they_are",
        PDF: "test_what_is_filled_into_a_form_is_text_beside_the_names_of_its_fields",
    },
    "footnotes": {
        HTML: "test_a_note_stands_where_it_is_cited",
        MARKDOWN: "test_a_note_stands_where_it_is_cited",
        DOCX: "test_a_note_is_in_the_section_that_cites_it",
    },
    "formulas": {
        HTML: "test_a_formula_is_on_one_line",
        DOCX: "test_a_formula_is_text",
        PPTX: "test_charts_and_formulas_are_text",
    },
    "charts": {
        DOCX: "test_a_chart_is_a_table_and_one_that_is_not_there_is_named",
        PPTX: "test_charts_and_formulas_are_text",
    },
    "hidden text or slides": {
        HTML: "test_what_no_reader_sees_is_not_loaded",
        MARKDOWN: "test_what_no_reader_sees_is_not_loaded",
        DOCX: "test_what_word_hides_or_deleted_is_not_loaded",
        PPTX: "test_a_hidden_slide_and_pictures_are_named_as_left_out",
    },
    "comments": {
        HTML: "test_what_no_reader_sees_is_not_loaded",
        MARKDOWN: "test_what_no_reader_sees_is_not_loaded",
        DOCX: "test_comments_headers_and_pictures_are_named_as_left_out",
        PPTX: "test_a_hidden_slide_and_pictures_are_named_as_left_out",
        PDF: "test_comments_and_fields_of_forms_are_named_as_left_out",
    },
    "page headers": {DOCX: "test_comments_headers_and_pictures_are_named_as_left_out"},
    "pictures": {
        HTML: "test_what_no_reader_sees_is_not_loaded",
        MARKDOWN: "test_what_no_reader_sees_is_not_loaded",
        DOCX: "test_comments_headers_and_pictures_are_named_as_left_out",
        PPTX: "test_a_hidden_slide_and_pictures_are_named_as_left_out",
    },
    "signatures": {PDF: "test_comments_and_fields_of_forms_are_named_as_left_out"},
    "title": {
        HTML: "test_the_title_of_a_page_is_its_own",
        MARKDOWN: "test_the_title_is_that_of_the_front_matter",
        DOCX: "test_title_and_headings_are_those_of_the_styles_whatever_their_language",
        PPTX: "test_the_title_of_a_deck_is_never_that_of_the_program",
        PDF: "test_a_title_that_a_program_wrote_is_none",
    },
    "words cut by hyphens": {PDF: "test_a_word_that_is_broken_at_the_end_of_a_line_is_one_word"},
}


def table() -> dict[str, list[str]]:
    """The cells of each row of the page's table."""
    section = PAGE.read_text(encoding="utf-8").partition("## What is kept of a file\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {name: cells for name, *cells in rows[2:]}


def test_every_cell_that_promises_anything_is_shown_by_a_test() -> None:
    kinds = (HTML, MARKDOWN, DOCX, PPTX, PDF)
    promised = {row: {kind for kind, cell in zip(kinds, cells, strict=True) if cell} for row, cells in table().items()}
    assert promised == {row: set(tests) for row, tests in SHOWN.items()}


def test_every_test_that_shows_a_cell_is_there() -> None:
    named = {(kind, test) for tests in SHOWN.values() for kind, test in tests.items()}
    source = {kind: Path(__file__).with_name(f"{kind}.py").read_text(encoding="utf-8") for kind, _ in named}
    assert [test for kind, test in sorted(named) if not re.search(rf"^def {test}\(", source[kind], re.MULTILINE)] == []
