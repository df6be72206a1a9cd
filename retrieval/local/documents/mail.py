"""Mails: EML by Python's own reader, MSG of Outlook by python-oxmsg, of the extra `documents`."""

from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_binary_file
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from itertools import count
from pathlib import Path
from typing import Final

from retrieval.local.documents.hypertext import from_html
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable

LONGEST_HEADER: Final = 2_000
"""Characters of a header that are read."""

MOST_PARTS: Final = 1_000
MOST_STREAMS: Final = 2_000
MOST_NAMED: Final = 20
"""Attachments."""

_SHOWN: Final = ("From", "To", "Cc", "Date")
_PLAIN, _HTML = "text/plain", "text/html"


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a mail. Texts of one group but 0 say the same."""

    text: str
    kind: str
    group: int = 1


def read_eml(path: Path) -> Iterator[Part]:
    """Who wrote to whom, then the text. Attachments are left out and named. Raises Unreadable."""
    with path.open("rb") as file:
        mail = message_from_binary_file(file)
    if not mail.keys():
        raise Unreadable("it is no mail: it has no header")
    texts: list[_Text] = []
    attached: list[str] = []
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
            attached.append(header_text(name) if name else kind)
    head = [f"{name}: {value}" for name in _SHOWN if (value := header_text(mail.get(name, "")))]
    yield from _mail(head, header_text(mail.get("Subject", "")), _chosen(texts), attached)


def read_msg(path: Path) -> Iterator[Part]:
    """As a mail of EML. Raises Unreadable."""
    import oxmsg

    _check_streams(path)
    mail = oxmsg.Message.load(str(path))
    to = ", ".join(filter(None, (one.name or one.email_address for one in mail.recipients)))
    date = mail.sent_date.isoformat(timespec="minutes") if mail.sent_date else ""
    head = [f"{name}: {value}" for name, value in (("From", mail.sender), ("To", to), ("Date", date)) if value]
    texts = [_Text(mail.body or "", kind=_PLAIN), _Text(mail.html_body or "", kind=_HTML)]
    attached = [one.file_name or "a file without a name" for one in mail.attachments]
    yield from _mail(head, mail.subject, _chosen(texts), attached)


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


def _mail(head: list[str], subject: str, texts: list[_Text], attached: list[str]) -> Iterator[Part]:
    if sum(len(one.text) for one in texts) > LONGEST_TEXT:
        raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")
    bodies = [part for one in texts for part in _body(one)]
    first, *rest = bodies or [Part(blocks=())]
    yield Part(blocks=["\n".join(head), *first.blocks], heading_path=first.heading_path, title=subject)
    yield from (Part(blocks=part.blocks, heading_path=part.heading_path, title=subject) for part in rest)
    for name in attached[:MOST_NAMED]:
        yield Part(blocks=(), left_out=f"the attachment {name}")
    if len(attached) > MOST_NAMED:
        yield Part(blocks=(), left_out=f"{len(attached) - MOST_NAMED:,} more attachments")


def _body(text: _Text) -> Iterator[Part]:
    if text.kind == _PLAIN:
        yield Part(blocks=text.text.replace("\r\n", "\n").split("\n\n"))
    else:
        yield from from_html(text.text)


def _text(part: Message) -> str:
    """The text in the charset that the part declares; where that is none, in UTF-8 or Windows-1252."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    for charset in (part.get_content_charset("utf-8"), "utf-8"):
        try:
            return content.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    return content.decode("cp1252", "replace")


def header_text(header: str) -> str:
    """A header on one line, its encoded words decoded."""
    short = str(header)[:LONGEST_HEADER]
    try:
        return " ".join(str(make_header(decode_header(short))).split())
    except (HeaderParseError, LookupError, UnicodeDecodeError):
        return " ".join(short.split())
