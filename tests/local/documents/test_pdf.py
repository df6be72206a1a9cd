"""PDF files that are small and show the same again and again: read until they took too much, and then skipped."""

from pathlib import Path
from time import process_time

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, PdfObject, StreamObject

from retrieval.local.documents.reading import read

FORM = {NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Form")}


def pdf(path: Path, content: bytes, *, pages: int = 1, form: bytes = b"") -> Path:
    """Pages that share a content, and the form `/X`, in which it is too."""
    writer = PdfWriter()
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    shown = packed(form)
    resources: dict[PdfObject, PdfObject] = {
        NameObject("/Font"): DictionaryObject({NameObject("/F1"): font}),
        NameObject("/XObject"): DictionaryObject({NameObject("/X"): writer._add_object(shown)}),
    }
    shown.update({**FORM, NameObject("/Resources"): DictionaryObject(resources)})
    reference = writer._add_object(packed(content))
    for _ in range(pages):
        page = writer.add_blank_page(400, 400)
        page[NameObject("/Resources")] = DictionaryObject(resources)
        page[NameObject("/Contents")] = reference
    writer.write(path)
    return path


def packed(content: bytes) -> StreamObject:
    stream = DecodedStreamObject()
    stream.set_data(content)
    return stream.flate_encode()


def text(words: str) -> bytes:
    return f"BT /F1 12 Tf ({words}) Tj ET ".encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "pages", "form", "reason"),
    [
        (b"q Q " * 20_000, 100, b"", "its pages take more than 300,000 operators"),
        (b"1 " * 40_000, 200, b"", "its pages take more than 300,000 operators"),
        (b"/X Do " * 1_000, 1, b"1 " * 40_000, "its pages take more than 300,000 operators"),
        (b"/X Do " * 100, 1, b"/X Do " * 100 + text("a") * 5_000, "its pages take more than 300,000 operators"),
        (text("a") * 100_000, 1, b"", "page 1 is larger than pages are"),
    ],
    ids=["operators", "operands", "forms", "forms within forms", "one page"],
)
def test_a_small_file_that_shows_much_is_skipped(
    content: bytes, pages: int, form: bytes, reason: str, tmp_path: Path
) -> None:
    path, before = pdf(tmp_path / "bomb.pdf", content, pages=pages, form=form), process_time()
    (tmp_path / "fine.txt").write_text("Fine.")
    (skipped,) = read(tmp_path, name="x").summary.skipped
    assert skipped.source == "bomb.pdf" and reason in skipped.reason
    assert path.stat().st_size < 60_000 and process_time() - before < 10


def test_text_of_a_page_and_of_the_form_that_it_shows_is_read(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", text("Lamps burn.") + b"/X Do ", pages=2, form=text("Kettles boil."))
    assert [line.value["text"] for line in read(path, name="x").lines] == ["Lamps burn.\nKettles boil."] * 2
