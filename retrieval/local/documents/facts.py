"""What a file says of itself: when it was modified, by whom, its tags, and the other members of its front matter."""

import zipfile
from collections.abc import Callable, Mapping
from email import message_from_binary_file
from email.utils import parseaddr
from pathlib import Path
from types import MappingProxyType
from typing import Final
from xml.etree.ElementTree import ParseError, fromstring

from retrieval.local.documents.dates import moment
from retrieval.local.documents.front_matter import divided, items, plain
from retrieval.local.documents.mail import header_of
from retrieval.local.documents.parts import Part, Unreadable
from retrieval.local.documents.texts import decoded
from retrieval.model.json_value import JsonValue

Facts = Mapping[str, JsonValue]

MODIFIED: Final = "modified"
NONE: Final[Facts] = MappingProxyType({})
LONGEST_HEAD: Final = 65_536
"""Bytes of a file in which its front matter, its headers or its properties are."""

_LISTS: Final = {"tag": "tags", "tags": "tags", "keywords": "tags", "categories": "categories"} | dict.fromkeys(
    ("author", "authors"), "author"
)
"""Members that are lists, whatever is written, and the field of each."""

_MODIFIED: Final = ("modified", "last_modified", "lastmod", "updated", "last_update", "date")
_SEARCHED: Final = frozenset({"title", "text", "id", "_id"})


def of(path: Path) -> Facts:
    """The facts by their fields; dates with time and zone. Empty where it says nothing, or cannot be read.

    A file whose XML its converter has not counted may take too much.
    """
    read = _READERS.get(path.suffix.lower())
    if read is None:
        return NONE
    try:
        return {name: value for name, value in read(path).items() if value not in ("", [], None)}
    except (OSError, ValueError, KeyError, ParseError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return NONE


def of_part(part: Part, of_file: Facts) -> Facts:
    """The facts of a part of a file. A file that is in it has its own, and was there at the latest when it was sent."""
    return {MODIFIED: of_file.get(MODIFIED)} | dict(part.facts) if part.within else of_file


def _of_markdown(path: Path) -> Facts:
    with path.open("rb") as file:
        head = file.read(LONGEST_HEAD)
    try:
        text = decoded(head) if len(head) < LONGEST_HEAD else head.decode("utf-8", "replace")
    except Unreadable:
        return NONE
    members, _ = divided(text)
    modified = (moment(value) for name in _MODIFIED if (value := members.get(name)) is not None)
    facts: dict[str, JsonValue] = {MODIFIED: next(filter(None, modified), None)}
    for name, value in members.items():
        listed = _LISTS.get(name)
        if listed is not None:
            facts[listed] = items(value)
        elif name == "date":
            facts[name] = moment(value)
        elif name not in _SEARCHED and name not in facts:
            facts[name] = ", ".join(items(value)) if isinstance(value, list) else value
    return facts


def _of_office(path: Path) -> Facts:
    return _of_properties(path, "docProps/core.xml")


def _of_odt(path: Path) -> Facts:
    return _of_properties(path, "meta.xml")


def _of_properties(path: Path, member: str) -> Facts:
    """The core properties, by the local names of their elements."""
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        content = file.read(LONGEST_HEAD)
    said: dict[str, list[str]] = {}
    for element in fromstring(content).iter():
        said.setdefault(str(element.tag).rpartition("}")[2], []).append(plain(element.text or ""))
    tags = [item for name in ("keywords", "keyword") for text in said.get(name, ()) for item in items(text)]
    modified = (said.get("modified") or said.get("date") or [""])[0]
    return {MODIFIED: moment(modified.partition(".")[0]), "author": _first(said, "creator"), "tags": tags}


def _first(said: Mapping[str, list[str]], name: str) -> list[str]:
    return [value for value in said.get(name, ())[:1] if value]


def _of_eml(path: Path) -> Facts:
    with path.open("rb") as file:
        mail = message_from_binary_file(file)
    name, address = parseaddr(header_of(mail, "From"))
    return {MODIFIED: moment(mail.get("Date", "")), "author": items([name or address])}


def _of_msg(path: Path) -> Facts:
    try:
        import oxmsg
    except ModuleNotFoundError:
        return NONE
    mail = oxmsg.Message.load(str(path))
    name, address = parseaddr((mail.sender or "")[:1_000])
    return {MODIFIED: moment(mail.sent_date), "author": items([name or address])}


def _of_pdf(path: Path) -> Facts:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError:
        return NONE
    try:
        said = PdfReader(path).metadata
        date = said and (said.modification_date or said.creation_date)
        return {MODIFIED: moment(date), "author": items(said.author or "")} if said else NONE
    except PyPdfError:
        return NONE


_READERS: Final[Mapping[str, Callable[[Path], Facts]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), _of_markdown),
    **dict.fromkeys((".docx", ".pptx", ".xlsx", ".xlsm"), _of_office),
    ".odt": _of_odt,
    ".eml": _of_eml,
    ".msg": _of_msg,
    ".pdf": _of_pdf,
}
