"""The text of a file: in the encoding that it declares, or in the one that is recognised (chardet)."""

import codecs
import re
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from retrieval.local.documents.parts import LONGEST_TEXT, Unreadable

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_HEAD: Final = 4_096
"""Bytes in which a file declares its encoding: four times those of https://html.spec.whatwg.org/#charset"""

_XML: Final = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_META: Final = re.compile(rb"<meta\b[^>]{0,400}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_EDITOR: Final = re.compile(rb"-\*-[^\n]{0,200}?coding:\s*([\w.-]{1,40})|\bvim?:[^\n]{0,200}?encoding=([\w.-]{1,40})")
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODEC: Final = re.compile(
    r"cp\d+|iso8859-\d+|iso2022.*|koi8.*|mac-.*|gb.*|big5.*|euc.*|shift.*|johab|tis-620|utf-(?:8|16|32).*|hz"
)
"""The codecs of a text. Others of Python are none, or take a time that grows with the square of the text."""

_LARGER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
"""What a label means: https://encoding.spec.whatwg.org/#names-and-labels"""

_LABELS: Final = {
    "ks_c_5601-1987": "cp949",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "macintosh": "mac-roman",
}
_WESTERN: Final = "cp1252"
_SAMPLE: Final = 200_000
_LEAST: Final = 0.05
"""The confidence of chardet: of 98 texts of a sentence or twelve in 24 languages the four below it were wrong."""

_LEAST_OF_EAST_ASIA: Final = 8
_EAST_ASIAN: Final = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uff60]")
_SIGNS: Final = frozenset("\t\n\r\f€‚„…‘’“”•–—™¡£§©«®°±²³·»¼½¾¿×\u00a0\u00ad")
_BROKEN: Final = re.compile(r"[^\W\d_][€‚„“”•™¡£§©«®°±²³»¼½¾¿][^\W\d_]|[a-zß-öø-ÿ][ŠŒŽŸÀ-ÖØ-Þ]")
"""What stands within no word of Latin letters."""

_MIXED: Final = re.compile(r"[A-Za-z][\u0370-\u06ff\u207f\u2200-\u25ff]|[\u0370-\u06ff\u207f\u2200-\u25ff][A-Za-z]")
"""Latin letters beside those of another script, or beside signs that draw boxes."""

_MOST_BROKEN: Final = 0.05
_CONTROL: Final = re.compile(rb"[\x80-\x9f]")
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_OF_OTHERS: Final = (b"\0", b"\x1b$")
"""What UTF-8 may have and its texts have not: bytes of UTF-16, and the shift to Japanese or Korean of ISO 2022."""


def text_of(path: Path) -> str:
    """The text of a file; its lines end with a line feed. Raises Unreadable."""
    content = path.read_bytes()
    if len(content) > LONGEST_TEXT:
        raise Unreadable(f"a text has at most {LONGEST_TEXT:,} bytes")
    text = decoded(content)
    if "\0" in text:
        raise Unreadable("it is not a text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Decoded(NamedTuple):
    """A text, and its codec where nothing declares it and it is not UTF-8: the codec that was likelier than others."""

    text: str
    assumed: str = ""


def assumed(path: Path) -> str:
    """The codec that was assumed for the text of a file; empty where none was. Raises Unreadable."""
    return _decoded(path.read_bytes()).assumed


def decoded(content: bytes) -> str:
    """The text by its mark, as declared, in UTF-8, or in the encoding that is recognised. Raises Unreadable."""
    return _decoded(content).text


def _decoded(content: bytes) -> Decoded:
    """Raises Unreadable."""
    for mark, codec, name in _MARKS:
        if content.startswith(mark):
            try:
                return Decoded(content.decode(codec))
            except UnicodeDecodeError as error:
                raise Unreadable(f"it begins as {name} and is broken at byte {error.start:,}") from None
    label = _declared(content[:_HEAD])
    declared = _codec(label)
    if declared not in ("", "utf-8", _WESTERN):
        try:
            return Decoded(content.decode(declared))
        except UnicodeDecodeError as error:
            raise Unreadable(f"it declares the encoding {label} and is broken at byte {error.start:,}") from None
    if not any(sign in content for sign in _OF_OTHERS):
        try:
            return Decoded(content.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    return Decoded(content.decode(_WESTERN, "replace")) if declared == _WESTERN else _recognised(content)


def _declared(head: bytes) -> str:
    """The label of an encoding in the first lines of XML, HTML, or a text with the mark of an editor; empty without."""
    editor = _EDITOR.search(b"\n".join(head.split(b"\n", 2)[:2]))
    label = _XML.search(head) or _META.search(_COMMENT.sub(b"", head)) or editor
    return "" if label is None else label[label.lastindex or 1].decode("ascii").lower()


def _codec(label: str, *, found: bool = False) -> str:
    """The codec of a label that is declared, or was found; empty for a label that is none of a text."""
    try:
        name = codecs.lookup(_LABELS.get(label, label.removeprefix("x-"))).name
    except (LookupError, ValueError):
        return ""
    if found and name.startswith("utf-"):
        return name
    return _LARGER.get(name, name) if _CODEC.fullmatch(name) or name == "ascii" else ""


@lru_cache(maxsize=1)
def _recognised(content: bytes) -> Decoded:
    """The last text is kept, since its reader and `assumed` ask for it one after the other.

    Raises Unreadable where no encoding is likelier than others.
    """
    import chardet
    from chardet import EncodingEra

    text = content.decode("utf-8", "replace")
    if _is_whole(text) and not any(sign in content for sign in _OF_OTHERS):
        return Decoded(text)
    found = chardet.detect(_sample(content), encoding_era=EncodingEra.ALL & ~EncodingEra.MAINFRAME)
    label = found["encoding"] or ""
    codec = _codec(label.lower(), found=True)
    if not codec or (b"\0" in content and not codec.startswith("utf-")):
        raise Unreadable("it is not a text")
    text, western = content.decode(codec, "replace"), _western(content)
    is_western = _is_western(western)
    is_likely = _is_whole(text) if found["confidence"] >= _LEAST else _is_east_asian(text)
    if is_likely and not (is_western and (_MIXED.search(text) or not _has_letters_beyond_ascii(western))):
        return Decoded(text, codec)
    if is_western:
        return Decoded(western, _WESTERN)
    raise Unreadable(f"its encoding is neither declared nor recognised; it is perhaps {label}")


def _sample(content: bytes) -> bytes:
    """What chardet sees: from the line of the first byte that is not ASCII."""
    first = _NOT_ASCII.search(content)
    start = content.rfind(b"\n", 0, first.start()) + 1 if first and b"\0" not in content else 0
    return content[start : start + _SAMPLE]


def _is_whole(text: str) -> bool:
    """Whether few of the signs beyond ASCII are broken."""
    return text.count("\ufffd") <= _MOST_BROKEN * (len(text) - len(text.encode("ascii", "ignore")))


def _is_east_asian(text: str) -> bool:
    """Whether all beyond ASCII is of scripts of two bytes, and enough of it that chance does not make it so."""
    beyond = [sign for sign in text[:_SAMPLE] if sign > "\x7f"]
    return len(beyond) >= _LEAST_OF_EAST_ASIA and all(map(_EAST_ASIAN.match, beyond))


def _western(content: bytes) -> str:
    """The text in Windows-1252; in ISO 8859-15 where only that makes it the sign of the euro."""
    text = content.decode(_WESTERN, "replace")
    return content.decode("iso8859-15") if "¤" in text and not _CONTROL.search(content) else text


def _has_letters_beyond_ascii(text: str) -> bool:
    return any(sign > "\x7f" and sign.isalpha() for sign in text)


def _is_western(text: str) -> bool:
    """Whether words are of Latin letters, of which few have an accent, with the signs that stand between such words."""
    letters = [sign for sign in text[:_SAMPLE] if sign.isalpha()]
    return (
        2 * sum(sign > "\x7f" for sign in letters) <= len(letters)
        and all(sign.isalpha() or sign in _SIGNS or " " <= sign <= "~" for sign in set(text))
        and not _BROKEN.search(text)
    )
