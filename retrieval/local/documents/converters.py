"""What reads a file, by its ending."""

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeAlias

from retrieval.local import extras
from retrieval.local.documents import markup, office, pdf, records
from retrieval.local.documents.parts import Part, Unreadable

Converter: TypeAlias = Callable[[Path], Iterator[Part]]

INSTALL: Final = extras.command("documents", make="documents")

_MARKDOWN: Final = dict.fromkeys((".md", ".markdown", ".mdx"), markup.read_markdown)
_HTML: Final = dict.fromkeys((".html", ".htm", ".xhtml"), markup.read_html)
_TEXT: Final = dict.fromkeys((".txt", ".text", ".rst", ".log"), markup.read_text)
CONVERTERS: Final[Mapping[str, Converter]] = {
    **_MARKDOWN,
    **_HTML,
    **_TEXT,
    ".csv": records.read_csv,
    ".tsv": records.read_csv,
    ".json": records.read_json,
    ".pdf": pdf.read_pdf,
    ".docx": office.read_docx,
    ".pptx": office.read_pptx,
}

PACKAGES: Final = {".pdf": "pypdf", ".docx": "mammoth", ".pptx": "pptx"}


def convert(path: Path) -> Iterator[Part]:
    """The parts of a file, as they are read.

    Raises Unreadable, also for whatever a converter, which is not of this project, makes of a broken file.
    """
    ending = path.suffix.lower()
    converter = CONVERTERS.get(ending)
    if converter is None:
        raise Unreadable(f"nothing here reads {ending}" if ending else "its name has no ending")
    package = PACKAGES.get(ending)
    if package is not None and find_spec(package) is None:
        raise Unreadable(f"{ending} needs more packages: {INSTALL}")
    try:
        yield from converter(path)
    except Unreadable:
        raise
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from None
    except Exception as error:
        raise Unreadable(f"it cannot be read ({type(error).__name__})") from None
