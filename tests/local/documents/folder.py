"""A folder of 40 mixed files, as people have them, and what is to be read of it."""

import json
import os
import zipfile
from pathlib import Path
from typing import Final

W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES: Final = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS: Final = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)

FILES: Final = 40
READ: Final = 33
CHUNKS: Final = 42
SKIPPED: Final = {
    "archive.zip": "it is no archive",
    "bomb.docx": "it unpacks to more than",
    "broken.json": "it is no JSON",
    "cell.csv": "row 2: field larger than field limit",
    "empty.md": "empty",
    "out.txt": "a link out of the folder",
    "pic\x1b[2Jture.md": "control characters",
}


def mixed(root: Path) -> Path:
    """40 files: 33 that are read, 42 chunks in them; seven that are skipped."""
    folder = root / "docs"
    (folder / "hr").mkdir(parents=True)
    for number in range(20):
        text = f"# Memo {number}\n\nThe memo number {number} is about shelf {number}.\n"
        (folder / f"memo-{number:02}.md").write_text(text)
    for number in range(5):
        (folder / f"note-{number}.txt").write_text(f"Note {number} names locker {number}.\n")
    (folder / "hr" / "leave.md").write_text(
        "---\ntitle: Leave policy\n---\n# Leave\n\nIn short.\n\n```\n# no heading\n```\n\n## Holidays\n\n"
        "Everybody has thirty-two days of holiday a year.\n\n"
        "## Sickness\n\nCall before nine.\n"
    )
    (folder / "travel.html").write_text(
        "<html><title>Travel policy</title><style>p{}</style><nav>menu</nav><h1>Trains</h1>"
        "<p>Trains come before planes.<h2>Hotels</h2><p>A hotel costs at most 140 euros.<script>x()</script>"
    )
    (folder / "people.csv").write_text("name;desk\nAnna;4A\nBob;\n\nCarl;7C\n")
    (folder / "desks.json").write_text(json.dumps([{"title": "Desk 4A", "floor": 4}, {"title": "Desk 7C", "floor": 7}]))
    lines = [
        {"_id": "faq-1", "title": "Wifi", "text": "The password is on the router."},
        {"_id": "faq-2", "text": "No."},
    ]
    (folder / "faq.jsonl").write_text("\n".join(map(json.dumps, lines)))
    docx(folder / "parking.docx", ("Heading1", "Parking"), (None, "Bicycles park in the cellar."))
    pptx(folder / "plan.pptx")
    pdf(folder / "canteen.pdf", "The canteen opens at eleven.", "It closes at three.")
    (folder / "archive.zip").write_bytes(b"PK")
    bomb(folder / "bomb.docx")
    (folder / "broken.json").write_text("{")
    (folder / "cell.csv").write_text('a\n"' + "x" * 200_000 + '"\n')
    (folder / "empty.md").touch()
    (folder / "out.txt").symlink_to("/etc/hostname")
    (folder / "pic\x1b[2Jture.md").write_text("# x\n\nhidden\n")
    assert sum(len(files) for _, _, files in os.walk(folder)) == FILES
    return folder


def docx(path: Path, *paragraphs: tuple[str | None, str]) -> None:
    body = "".join(
        "<w:p>"
        + (f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else "")
        + f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for style, text in paragraphs
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')


def bomb(path: Path) -> None:
    """40 kB that would unpack to 40 MB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"a" * 40_000_000)


def pptx(path: Path) -> None:
    from pptx import Presentation

    deck = Presentation()
    for title, text in (("Goals", "Twelve new shelves."), ("Budget", "Four thousand euros.")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    deck.save(str(path))


def pdf(path: Path, *pages: str) -> None:
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject(
        {NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")}
        | {NameObject("/BaseFont"): NameObject("/Helvetica")}
    )
    for text in pages:
        page = writer.add_blank_page(400, 400)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 300 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
    writer.write(path)
