"""What a file says of itself: when it was modified, by whom, its tags, and the other members of its front matter."""

import re
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from email import message_from_binary_file
from email.utils import parseaddr
from pathlib import Path
from types import MappingProxyType
from typing import Final
from xml.etree.ElementTree import ParseError, fromstring

from retrieval.local.documents.dates import moment
from retrieval.local.documents.fields import LONGEST
from retrieval.local.documents.mail import header_of
from retrieval.local.documents.parts import Part
from retrieval.model.json_value import JsonValue
from retrieval.text.source_labels import whole

Facts = Mapping[str, JsonValue]

MODIFIED: Final = "modified"
NONE: Final[Facts] = MappingProxyType({})
LONGEST_HEAD: Final = 65_536
"""Bytes of a file in which its front matter, its headers or its properties are."""

MOST_MEMBERS: Final = 50
_FRONT_MATTER: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TOML: Final = re.compile(r"\A\ufeff?\+\+\+[ \t]*\r?\n(.{0,20000}?)\r?\n\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_MEMBER: Final = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.*)$")
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
        head = file.read(LONGEST_HEAD).decode("utf-8", "replace")
    found, toml = _FRONT_MATTER.match(head), _TOML.match(head)
    members = dict(_members(found[1].splitlines())) if found else dict(_toml_members(toml[1])) if toml else {}
    modified = (moment(value) for name in _MODIFIED if (value := members.get(name)) is not None)
    facts: dict[str, JsonValue] = {MODIFIED: next(filter(None, modified), None)}
    for name, value in members.items():
        listed = _LISTS.get(name)
        if listed is not None:
            facts[listed] = _items(value)
        elif name == "date":
            facts[name] = moment(value)
        elif name not in _SEARCHED and name not in facts:
            facts[name] = ", ".join(_items(value)) if isinstance(value, list) else value
    return facts


def _members(lines: list[str]) -> Iterator[tuple[str, str | list[str]]]:
    """The members of the first level, whose values are texts and lists of texts, by their names in lower case."""
    name, items = "", list[str]()
    for line in [*lines, "end:"]:
        item = _ITEM.match(line)
        found = _MEMBER.match(line)
        if item and name:
            items.append(_plain(item[1]))
        elif found:
            if name and items:
                yield name, items[:MOST_MEMBERS]
            name, items = found[1].lower(), []
            value = _plain(found[2] or "")
            if value:
                yield name, value
                name = ""


def _toml_members(head: str) -> Iterator[tuple[str, str | list[str]]]:
    """As those of YAML. Raises ValueError."""
    for name, value in tomllib.loads(head.replace("\r\n", "\n")).items():
        if isinstance(value, list):
            yield name.lower(), [_plain(str(item)) for item in value if not isinstance(item, dict)][:MOST_MEMBERS]
        elif isinstance(value, bool):
            yield name.lower(), str(value).lower()
        elif not isinstance(value, dict):
            yield name.lower(), _plain(str(value))


def _items(value: str | list[str]) -> list[str]:
    """The items of a list, be it written as one or in a line."""
    written = value if isinstance(value, list) else value.strip("[]").split(",")
    return [item for text in written if (item := _plain(text)[:200])][:MOST_MEMBERS]


def _plain(text: str) -> str:
    return whole(text.strip().strip("\"'").strip())[:LONGEST]


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
        said.setdefault(str(element.tag).rpartition("}")[2], []).append(_plain(element.text or ""))
    tags = [item for name in ("keywords", "keyword") for text in said.get(name, ()) for item in _items(text)]
    modified = (said.get("modified") or said.get("date") or [""])[0]
    return {MODIFIED: moment(modified.partition(".")[0]), "author": _first(said, "creator"), "tags": tags}


def _first(said: Mapping[str, list[str]], name: str) -> list[str]:
    return [value for value in said.get(name, ())[:1] if value]


def _of_eml(path: Path) -> Facts:
    with path.open("rb") as file:
        mail = message_from_binary_file(file)
    name, address = parseaddr(header_of(mail, "From"))
    return {MODIFIED: moment(mail.get("Date", "")), "author": _items([name or address])}


def _of_msg(path: Path) -> Facts:
    try:
        import oxmsg
    except ModuleNotFoundError:
        return NONE
    mail = oxmsg.Message.load(str(path))
    name, address = parseaddr((mail.sender or "")[:1_000])
    return {MODIFIED: moment(mail.sent_date), "author": _items([name or address])}


def _of_pdf(path: Path) -> Facts:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError:
        return NONE
    try:
        said = PdfReader(path).metadata
        date = said and (said.modification_date or said.creation_date)
        return {MODIFIED: moment(date), "author": _items(said.author or "")} if said else NONE
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
