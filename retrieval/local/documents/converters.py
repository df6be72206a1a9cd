"""What reads a file, by its ending."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeAlias

from retrieval.local import extras
from retrieval.local.documents import (
    asciidoc,
    calendars,
    facts,
    hypertext,
    mail,
    markup,
    notebooks,
    opendocument,
    packed,
    pdf,
    records,
    restructured,
    sheets,
    slides,
    subtitles,
    texts,
    word,
)
from retrieval.local.documents.parts import Part, Unreadable

Converter: TypeAlias = Callable[[Path], Iterator[Part]]

INSTALL: Final = extras.command("documents", make="documents")

_MARKDOWN: Final = dict.fromkeys((".md", ".markdown", ".mdx"), markup.read_markdown)
_HTML: Final = dict.fromkeys((".html", ".htm", ".xhtml"), hypertext.read_html)
_TEXTS: Final[Mapping[str, Converter]] = {
    **_MARKDOWN,
    **_HTML,
    **dict.fromkeys(("", ".txt", ".text", ".log"), markup.read_text),
    **dict.fromkeys((".rst", ".rest"), restructured.read_rst),
    **dict.fromkeys((".adoc", ".asciidoc", ".asc"), asciidoc.read_asciidoc),
    **dict.fromkeys((".csv", ".tsv"), records.read_csv),
    **dict.fromkeys((".vtt", ".srt"), subtitles.read_subtitles),
}
"""Kinds whose whole file is a text that need not declare its encoding."""

CONVERTERS: Final[Mapping[str, Converter]] = {
    **_TEXTS,
    **dict.fromkeys((".xlsx", ".xlsm"), sheets.read_xlsx),
    **dict.fromkeys((".jsonl", ".ndjson"), records.read_json_lines),
    ".json": records.read_json,
    ".ics": calendars.read_calendar,
    ".ipynb": notebooks.read_notebook,
    ".pdf": pdf.read_pdf,
    ".docx": word.read_docx,
    ".odt": opendocument.read_odt,
    ".pptx": slides.read_pptx,
}
"""By the ending, in lower case; empty for a name without one."""

HOLDERS: Final[Mapping[str, Callable[[Path, Converter | None], Iterator[Part]]]] = {
    ".eml": mail.read_eml,
    ".msg": mail.read_msg,
    ".zip": packed.read_zip,
}
"""What reads a file that has others in it, which the second argument reads; None where they are left out."""

PACKAGES: Final = {
    ".pdf": "pypdf",
    ".docx": "mammoth",
    ".pptx": "pptx",
    ".xlsx": "openpyxl",
    ".xlsm": "openpyxl",
    ".msg": "oxmsg",
    ".rst": "docutils",
    ".rest": "docutils",
}


def convert(path: Path) -> Iterator[Part]:
    """The parts of a file, as they are read, and of the files in it; of files in those none.

    Raises Unreadable, also for whatever a converter, which is not of this project, makes of a broken file.
    """
    yield from _convert(path, _convert_inner)


def _convert_inner(path: Path) -> Iterator[Part]:
    """Raises Unreadable."""
    yield from _convert(path, None)


def _convert(path: Path, of_inner: Converter | None) -> Iterator[Part]:
    """Raises Unreadable."""
    ending = path.suffix.lower()
    holder, converter = HOLDERS.get(ending), CONVERTERS.get(ending)
    if holder is None and converter is None:
        raise Unreadable(f"nothing here reads {ending}")
    package = PACKAGES.get(ending)
    if package is not None and find_spec(package) is None:
        raise Unreadable(f"{ending} needs more packages: {INSTALL}")
    try:
        of_file = None
        for part in converter(path) if converter else holder(path, of_inner) if holder else ():
            if of_file is None:
                of_file = facts.of(path)
                yield from _of_encoding(path, ending)
            yield replace(part, facts=facts.of_part(part, of_file)) if of_file else part
    except Unreadable:
        raise
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from None
    except Exception as error:
        raise Unreadable(f"it cannot be read ({type(error).__name__})") from None


def _of_encoding(path: Path, ending: str) -> Iterator[Part]:
    """A part that tells the encoding that was assumed for a text, if one was. It may be another's."""
    codec = texts.assumed(path) if ending in _TEXTS else ""
    if codec:
        yield Part(blocks=(), left_out=f"its encoding is not declared, and was taken for {codec}")
