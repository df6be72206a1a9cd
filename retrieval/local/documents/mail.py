"""Mails: EML by Python's own reader, MSG of Outlook by python-oxmsg, of the extra `documents`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import message_from_binary_file
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Final

from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.packed import Convert, inner_parts
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.local.documents.texts import decoded

LONGEST_HEADER: Final = 2_000
"""Characters of a header that are read."""

MOST_PARTS: Final = 1_000
MOST_STREAMS: Final = 2_000
MOST_NAMED: Final = 20
"""Attachments."""

_SHOWN: Final = ("From", "To", "Cc", "Date")
_PLAIN, _HTML, _MAIL = "text/plain", "text/html", "message/rfc822"
_RTF: Final = 0x1009
"""PidTagRtfCompressed of [MS-OXPROPS]"""

_SHORT_NAME: Final = 0x3704
"""PidTagAttachFilename of [MS-OXPROPS]"""

_LONGEST_NAME: Final = 200
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_ENDINGS: Final = {
    _PLAIN: ".txt",
    _HTML: ".html",
    _MAIL: ".eml",
    "text/csv": ".csv",
    "text/calendar": ".ics",
    "text/markdown": ".md",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/vnd.ms-outlook": ".msg",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt",
}
"""Of files whose names have none."""

_OF_PROGRAMS: Final = ("-signature", "-encrypted")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a mail. Texts of one group but 0 say the same."""

    text: str
    kind: str
    group: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attached:
    """A file of a mail; `content` is None for one that cannot be taken out of it."""

    name: str
    kind: str
    content: bytes | None

    @property
    def path(self) -> PurePosixPath:
        """Its name without folders and control characters, with an ending for its kind where it has none."""
        last = self.name.replace("\\", "/").rpartition("/")[2]
        name = "".join(sign for sign in last if sign.isprintable()).strip(". ")[-_LONGEST_NAME:]
        path = PurePosixPath(name or self.kind.replace("/", "-") or "file")
        ending = _ENDINGS.get(self.kind, "")
        is_kept = path.suffix.lower() in (ending, ".msg") if self.kind == _MAIL else path.suffix
        return path if is_kept else path.with_name(f"{path.name}{ending}")

    @property
    def is_document(self) -> bool:
        """Whether it is none of the parts that only programs read."""
        return not self.kind.endswith(_OF_PROGRAMS)


def read_eml(path: Path, convert: Convert | None) -> Iterator[Part]:
    """Who wrote to whom, then the text, then the files attached, which `convert` reads. Raises Unreadable.

    An attached file that is not read is left out and named; all are where `convert` is None.
    """
    with path.open("rb") as file:
        mail = message_from_binary_file(file)
    if not mail.keys():
        raise Unreadable("it is no mail: it has no header")
    texts: list[_Text] = []
    attached: list[_Attached] = []
    for number, (part, group) in enumerate(_leaves(mail)):
        if number == MOST_PARTS:
            raise Unreadable(f"it has more than {MOST_PARTS:,} parts")
        kind, name = part.get_content_type(), part.get_filename()
        if part.get_content_maintype() == "multipart":
            kind = _PLAIN
        is_first = all(one.group == group and one.kind != kind for one in texts)
        if kind in {_PLAIN, _HTML} and part.get_content_disposition() != "attachment" and (is_first or not name):
            texts.append(_Text(_text(part), kind=kind, group=group))
        else:
            attached.append(_attached(part))
    head = [f"{name}: {value}" for name in _SHOWN if (value := header_of(mail, name))]
    yield from _mail(head, header_of(mail, "Subject"), _chosen(texts))
    yield from _files(attached, convert)


def read_msg(path: Path, convert: Convert | None) -> Iterator[Part]:
    """As a mail of EML. Raises Unreadable."""
    import oxmsg

    _check_streams(path)
    mail = oxmsg.Message.load(str(path))
    to = ", ".join(filter(None, (one.name or one.email_address for one in mail.recipients)))
    date = mail.sent_date.isoformat(timespec="minutes") if mail.sent_date else ""
    head = [f"{name}: {value}" for name, value in (("From", mail.sender), ("To", to), ("Date", date)) if value]
    texts = [_Text(mail.body or "", kind=_PLAIN), _Text(mail.html_body or "", kind=_HTML)]
    yield from _mail(head, mail.subject, _chosen(texts))
    if not any(text.text for text in texts) and mail.properties.binary_prop_value(_RTF):
        yield Part(blocks=(), left_out="its text, which it has in RTF alone")
    attached = (
        _Attached(
            name=one.file_name or one.properties.str_prop_value(_SHORT_NAME) or "a file without a name",
            kind=one.mime_type or "",
            content=one.file_bytes,
        )
        for one in mail.attachments
    )
    yield from _files(list(attached), convert)


def _attached(part: Message) -> _Attached:
    kind, name, content = part.get_content_type(), header_text(part.get_filename() or ""), part.get_payload(decode=True)
    inner = part.get_payload()
    if kind == _MAIL and isinstance(inner, list) and isinstance(inner[0], Message):
        return _Attached(name=name or header_of(inner[0], "Subject") or "mail", kind=kind, content=_bytes(inner[0]))
    if part.get_content_maintype() == "text" and part.get_content_charset():
        return _Attached(name=name, kind=kind, content=_text(part).encode("utf-8-sig", "replace"))
    return _Attached(name=name, kind=kind, content=content if isinstance(content, bytes) else None)


def _bytes(mail: Message) -> bytes | None:
    """The mail as a file; None where it cannot be written as it was read."""
    try:
        return mail.as_bytes()
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _files(attached: Sequence[_Attached], convert: Convert | None) -> Iterator[Part]:
    """The parts of the files, each at a name of its own."""
    names, not_read = Counter[PurePosixPath](), list[str]()
    for one in attached:
        name = one.path
        names[name] += 1
        if names[name] > 1:
            name = name.with_name(f"{name.stem} ({names[name]}){name.suffix}")
        if convert is None or one.content is None or not one.is_document:
            not_read.append(f"the attachment {name}")
            continue
        try:
            yield from inner_parts(name, one.content, convert)
        except Unreadable as error:
            not_read.append(f"the attachment {name}: {error}")
    yield from (Part(blocks=(), left_out=reason) for reason in not_read[:MOST_NAMED])
    if len(not_read) > MOST_NAMED:
        yield Part(blocks=(), left_out=f"{len(not_read) - MOST_NAMED:,} more attachments")


def _check_streams(path: Path) -> None:
    """Raises Unreadable where streams share what they hold, or are many: the reader holds each of them."""
    from olefile import OleFileIO, isOleFile

    if not isOleFile(str(path)):
        raise Unreadable("it is no mail of Outlook")
    with OleFileIO(str(path)) as file:
        names = file.listdir(streams=True, storages=False)
        if len(names) > MOST_STREAMS or sum(map(file.get_size, names)) > path.stat().st_size:
            raise Unreadable(f"it has more than {MOST_STREAMS:,} streams, or longer ones than the file")


def _leaves(mail: Message) -> Iterator[tuple[Message, int]]:
    """The parts that have no parts, each with the number of the alternatives that it is one of, 0 where it is none.

    A mail that is attached is a part, and its own text is not this mail's.
    """
    holders = [(mail, 0)]
    groups = count(1)
    while holders:
        part, group = holders.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            group = group or (next(groups) if part.get_content_subtype() == "alternative" else 0)
            holders.extend((one, group) for one in reversed(inner) if isinstance(one, Message))
        else:
            yield part, group


def _chosen(texts: list[_Text]) -> list[_Text]:
    """All texts, of alternatives those without marks."""
    plain = {one.group for one in texts if one.kind == _PLAIN and one.text.strip()}
    return [one for one in texts if one.text.strip() and (one.kind == _PLAIN or one.group not in plain - {0})]


def _mail(head: list[str], subject: str, texts: list[_Text]) -> Iterator[Part]:
    if sum(len(one.text) for one in texts) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    bodies = [part for one in texts for part in _body(one)]
    first, *rest = bodies or [Part(blocks=())]
    yield Part(blocks=["\n".join(head), *first.blocks], heading_path=first.heading_path, title=subject)
    yield from (Part(blocks=part.blocks, heading_path=part.heading_path, title=subject) for part in rest)


def _body(text: _Text) -> Iterator[Part]:
    if text.kind == _PLAIN:
        yield Part(blocks=text.text.replace("\r\n", "\n").split("\n\n"))
    else:
        yield from from_html(text.text)


def _text(part: Message) -> str:
    """The text in the charset that the part declares; where it has none, or not that one, as any text.

    Raises Unreadable.
    """
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    try:
        return content.decode(part.get_content_charset("utf-8"))
    except (LookupError, UnicodeDecodeError):
        return decoded(content)


def header_of(mail: Message, name: str) -> str:
    """A header on one line. One that is not ASCII, as it should be, is read as any text."""
    for key, value in mail.raw_items():
        if key.lower() == name.lower():
            raw = str(value)[:LONGEST_HEADER].encode("ascii", "surrogateescape")
            return header_text(raw.decode("ascii") if raw.isascii() else _in_any_encoding(raw))
    return ""


def _in_any_encoding(raw: bytes) -> str:
    try:
        return decoded(raw)
    except Unreadable:
        return raw.decode("ascii", "replace")


def header_text(header: str) -> str:
    """A header on one line, its encoded words decoded."""
    short = str(header)[:LONGEST_HEADER]
    try:
        return " ".join(str(make_header(decode_header(short))).split())
    except (HeaderParseError, LookupError, UnicodeDecodeError):
        return " ".join(short.split())
