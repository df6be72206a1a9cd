"""PDF: the words as they are read, and the files that show the same again and again, which are skipped.

The files are made here: a font whose signs are ligatures, words that are placed one by one, as Google Docs does.
"""

from collections.abc import Mapping
from pathlib import Path
from time import process_time

import pytest
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
    TextStringObject,
)

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


def written(path: Path, *contents: str, title: str = "", password: str | None = None) -> Path:
    """A page for each content. The signs 1 to 4 of its font are the ligatures ff, fi, fl and ffi."""
    writer = PdfWriter()
    ligatures = ArrayObject([NumberObject(1), *(NameObject(f"/{name}") for name in ("ff", "fi", "fl", "ffi"))])
    encoding = {NameObject("/Type"): NameObject("/Encoding"), NameObject("/Differences"): ligatures}
    encoding[NameObject("/BaseEncoding")] = NameObject("/WinAnsiEncoding")
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    font[NameObject("/Encoding")] = DictionaryObject(encoding)
    fonts = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
    for content in contents:
        page = writer.add_blank_page(400, 400)
        page[NameObject("/Resources")] = fonts
        page[NameObject("/Contents")] = packed(content.encode("cp1252"))
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(user_password=password, owner_password="of the owner", algorithm="AES-256")
    writer.write(path)
    return path


def lines(*texts: str) -> str:
    return "BT /F1 12 Tf 14 TL 20 300 Td " + " ".join(f"({text}) Tj T*" for text in texts) + " ET"


def words_of(path: Path) -> list[str]:
    return [str(line.value["text"]) for line in read(path, name="x").lines]


def test_ligatures_are_letters(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", lines("The sta\1 of the o\4ce \2les a \3yer."))
    assert words_of(path) == ["The staff of the office files a flyer."]


def test_a_word_that_is_broken_at_the_end_of_a_line_is_one_word(tmp_path: Path) -> None:
    broken = lines(
        "All ware-", "houses and the Kiel-", "Holtenau lock, in 2025-", "2026, are drain\xad", "age zones - ", "all."
    )
    assert words_of(written(tmp_path / "a.pdf", broken)) == [
        "All warehouses and the Kiel-Holtenau lock, in 2025-2026, are drainage zones - \nall."
    ]


def test_a_compound_keeps_its_hyphen_where_the_page_has_it_elsewhere(tmp_path: Path) -> None:
    broken = lines("A deep-", "water berth is a deep-water place; a pier-", "head is none.")
    assert words_of(written(tmp_path / "a.pdf", broken)) == [
        "A deep-water berth is a deep-water place; a pierhead is none."
    ]


def test_words_that_are_placed_one_by_one_are_lines(tmp_path: Path) -> None:
    placed = "".join(
        f"/F1 12 Tf 1 0 0 -1 {x} .5 Tm 0 {-y} Td ({word}) Tj\n"
        for x, y, word in ((0, 10, "Cranes"), (50, 10, "rest"), (80, 10, "today."), (0, 24, "Boats"), (50, 24, "sail."))
    )
    assert words_of(written(tmp_path / "a.pdf", f"1 0 0 -1 0 392 cm BT {placed} ET")) == [
        "Cranes rest today.\nBoats sail."
    ]


def test_two_columns_stay_apart(tmp_path: Path) -> None:
    columns = lines("Left one.", "Left two.") + " BT /F1 12 Tf 14 TL 220 300 Td (Right one.) Tj T* (Right two.) Tj ET"
    assert words_of(written(tmp_path / "a.pdf", columns)) == ["Left one.\nLeft two.\nRight one.\nRight two."]


def test_a_file_whose_editing_is_locked_is_read_and_one_with_a_password_is_named(tmp_path: Path) -> None:
    written(tmp_path / "open.pdf", lines("Read me."), password="")
    written(tmp_path / "shut.pdf", lines("Read me not."), password="secret")
    reading = read(tmp_path, name="x")
    assert [line.value["text"] for line in reading.lines] == ["Read me."]
    assert [(one.source, one.reason) for one in reading.summary.skipped] == [("shut.pdf", "it is encrypted")]


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("Rules of the quay", "Rules of the quay"),
        ("Microsoft Word - quay rules v3.doc", "quay"),
        ("PowerPoint-Präsentation", "quay"),
        ("Untitled-2", "quay"),
        ("Dokument1", "quay"),
        ("rules_final.docx", "quay"),
        ("Word and Excel - how we use them", "Word and Excel - how we use them"),
        ("Document control", "Document control"),
    ],
)
def test_a_title_that_a_program_wrote_is_none(title: str, right: str, tmp_path: Path) -> None:
    path = written(tmp_path / "quay.pdf", lines("Moor."), title=title)
    assert [line.value["title"] for line in read(path, name="x").lines] == [right]


def test_comments_and_fields_of_forms_are_named_as_left_out(tmp_path: Path) -> None:
    written(tmp_path / "plain.pdf", lines("Moor."), lines("Leave."))
    writer = PdfWriter(clone_from=tmp_path / "plain.pdf")
    for page, kinds in zip(writer.pages, (("/Text", "/Widget", "/Link"), ("/FreeText",)), strict=True):
        marks = [DictionaryObject({NameObject("/Subtype"): NameObject(kind)}) for kind in kinds]
        page[NameObject("/Annots")] = ArrayObject(marks)
    writer.write(tmp_path / "marked.pdf")
    reading = read(tmp_path, name="x")
    assert [(one.source, one.reason) for one in reading.summary.skipped] == [
        ("marked.pdf", "2 comments"),
        ("marked.pdf", "1 form field"),
    ]
    assert [line.value["text"] for line in reading.lines] == ["Moor.", "Leave."] * 2


def field(kind: str, name: str, **members: object) -> DictionaryObject:
    """A field of a form: its type, its name, and members. A text that begins with a slash is a name, not a string."""
    return entries({"FT": f"/{kind}", "T": name, "Subtype": "/Widget", **members})


def entries(members: Mapping[str, object]) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{name}"): entry(value) for name, value in members.items()})


def entry(value: object) -> PdfObject:
    if isinstance(value, str):
        return NameObject(value) if value.startswith("/") else TextStringObject(value)
    if isinstance(value, list):
        return ArrayObject(map(entry, value))
    return NumberObject(value) if isinstance(value, int) else value  # type: ignore[return-value]


def form(path: Path, *fields: DictionaryObject, text: str = "") -> Path:
    """A page with the fields of a form; one with `Kids` is shown by these."""
    written(path, text)
    writer = PdfWriter(clone_from=path)
    shown = ArrayObject()
    for one in fields:
        kids = one.pop("/Kids", None)
        loops = one.pop("/Loops", None)
        reference = writer._add_object(one)
        if loops:
            one[NameObject("/Parent")] = reference
        for kid in kids or ():
            kid[NameObject("/Parent")] = reference
        shown.extend(map(writer._add_object, kids) if kids else [reference])
    writer.pages[0][NameObject("/Annots")] = shown
    writer.write(path)
    return path


RADIO, BUTTON, SECRET, HIDDEN = 1 << 15, 1 << 16, 1 << 13, 2


def test_what_is_filled_into_a_form_is_text_beside_the_names_of_its_fields(tmp_path: Path) -> None:
    path = form(
        tmp_path / "berth.pdf",
        field("Tx", "f1", TU="Name of the ship", V="Anna\rLind"),
        field("Tx", "remarks", V=""),
        field("Tx", "pin", V="4711", Ff=SECRET),
        field("Tx", "bound", V="sold", F=HIDDEN),
        field("Btn", "Insured", AS="/Yes", V="/Yes"),
        field("Btn", "Crew on board", AS="/Off", V="/Off"),
        field("Btn", "Print", Ff=BUTTON),
        field(
            "Btn",
            "Fuel",
            V="/diesel",
            Ff=RADIO,
            Kids=[entries({"Subtype": "/Widget", "AS": "/diesel"}), entries({"Subtype": "/Widget", "AS": "/Off"})],
        ),
        field(
            "Btn",
            "Side",
            V="/1",
            Ff=RADIO,
            Opt=["port", "starboard"],
            Kids=[entries({"Subtype": "/Widget", "AS": "/Off"}), entries({"Subtype": "/Widget", "AS": "/1"})],
        ),
        field("Ch", "Quay", V="n", Opt=[["n", "North quay"], ["s", "South quay"]]),
        field("Ch", "Services", V=["water", "power"], Opt=["water", "power", "waste"]),
        field("Tx", "owner", V="Bo Ek", Kids=[entries({"Subtype": "/Widget"}), entries({"Subtype": "/Widget"})]),
        field("Sig", "Signature"),
        text=lines("Berth form."),
    )
    reading = read(path, name="x")
    assert [line.value["text"] for line in reading.lines] == [
        "Berth form.\n\n"
        "Name of the ship: Anna Lind\n☒ Insured\n☐ Crew on board\nFuel: diesel\nSide: starboard\n"
        "Quay: North quay\nServices: water, power\nowner: Bo Ek"
    ]
    assert [(one.source, one.reason) for one in reading.summary.skipped] == [("berth.pdf", "1 form field")]


def test_a_form_that_has_nothing_but_fields_is_no_scan_and_a_field_may_be_a_part_of_another(tmp_path: Path) -> None:
    owner = entries({"T": "owner"})
    owner[NameObject("/Parent")] = entries({"T": "ship"})
    home = field("Tx", "home", V="Oslo")
    home[NameObject("/Parent")] = owner
    (line,) = read(form(tmp_path / "a.pdf", home), name="x").lines
    assert line.value["text"] == "ship.owner.home: Oslo"


def test_a_field_that_is_its_own_parent_and_one_of_a_thousand_places_end(tmp_path: Path) -> None:
    form(tmp_path / "own.pdf", field("Tx", "a", V="word", Loops=1))
    form(tmp_path / "many.pdf", field("Tx", "a", V="word " * 20_000, Kids=[entries({"Subtype": "/Widget"})] * 1_000))
    assert len(read(tmp_path, name="x").lines) < 100


def test_many_broken_words_take_no_long_time(tmp_path: Path) -> None:
    path, before = written(tmp_path / "a.pdf", lines(*["abc-"] * 10_000)), process_time()
    read(path, name="x")
    assert process_time() - before < 10


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
