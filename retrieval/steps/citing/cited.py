"""What stands in brackets: ids of chunks, labels of their sources, what only pretends to cite, or ordinary text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Final, TypeAlias

from retrieval.answer import Chunk

Names: TypeAlias = Mapping[str, tuple[str, ...]]
"""The ids of the chunks of each source, by its label as `named` writes it."""

PLACE: Final = "\ufdd0"
"""Begins a citation that was checked, while an answer is checked again; no character, and in no text that comes in."""

LONGEST_LIST: Final = 200
WIDEST_RANGE: Final = 8

_IGNORED: Final = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_BETWEEN: Final = re.compile(r"[\s,;、，/&+|]+")
_WORDS: Final = frozenset("chunk chunks source sources id ids ref refs see and und et y e 和 - –".split())
_ID: Final = re.compile(r"[cC]([0-9]{1,9})(?:[†:].*)?")
_RANGE: Final = re.compile(r"[cC]([0-9]{1,9})[\-–][cC]?([0-9]{1,9})")
_NUMBERS: Final = re.compile(r"[0-9]{1,3}(?:\s*[,;–\-]\s*[0-9]{1,3})*")
_ZERO: Final = re.compile(r"0\s*[,;–\-]|.*[,;–\-]\s*0+")
_PRETENDING: Final = re.compile(
    r"\^.*|.*†.*"
    r"|(?i:docs?|documents?|sources?|src|refs?|references?|chunks?|passages?|citations?|cite|footnotes?|quellen?|fuentes?"
    r"|fonti?|fontes?|来源|文档|文献|资料|資料|出典|参考)\.?\s*(?:[#:№：].*|[0-9].*|needed)?"
    r"|.*\S - \S.*"
    r"|.*\.(?i:pdf|docx?|xlsx?|pptx?|html?|md|txt|csv|json|xml)(?:[#,:\s].*)?"
    r"|[A-Z][^0-9]{1,60},\s+(?:19|20)[0-9]{2}[a-z]?"
    r"|.*\bet al\b.*"
)


def names(chunks: Sequence[Chunk]) -> Names:
    """The labels of the chunks' sources; two chunks may share one."""
    found: dict[str, tuple[str, ...]] = {}
    for one in chunks:
        found[named(one.source)] = (*found.get(named(one.source), ()), one.id)
    return found


def named(label: str) -> str:
    """A label as labels are compared: without Markdown's escapes, blanks as one."""
    return " ".join(unescape(_ESCAPED.sub(r"\1", label)).split())


def ids(inside: str, names: Names) -> tuple[str, ...] | None:
    """The ids of the chunks that a bracket cites, whether there are such chunks or not; none where it pretends to cite.

    None where it is ordinary text. What reads as ids is never a label: a document's key may be any text, `c1` too.
    """
    if inside.startswith(PLACE):
        return tuple(inside[1:].split())
    content = _IGNORED.sub("", inside).strip(" \\")
    listed = _listed(content, strictly=" - " in content)
    if listed:
        return listed
    for labels in ([content], content.split(";")):
        found = [names.get(named(one), ()) for one in labels]
        if all(found):
            return tuple(dict.fromkeys(one for each in found for one in each))
    listed = _listed(content)
    return listed or (() if _pretends(content) else None)


def _listed(content: str, *, strictly: bool = False) -> tuple[str, ...]:
    """`c1`, `c1, c2`, `chunk c1`, `c1-c3`, and unless `strictly` ids alone are meant `c1, p. 3`."""
    if len(content) > LONGEST_LIST:
        return ()
    words = [one for one in _BETWEEN.split(content) if one and one.casefold().rstrip(":#") not in _WORDS]
    listed = [tuple(_range(one)) for one in words]
    if all(listed) or (not strictly and listed[0] and words[0].islower()):
        return tuple(dict.fromkeys(one for each in listed for one in each))
    return ()


def _range(word: str) -> Iterator[str]:
    span = _RANGE.fullmatch(word)
    one = _ID.fullmatch(word)
    if one is not None:
        yield f"c{int(one[1])}"
    elif span is not None:
        first, last = int(span[1]), int(span[2])
        yield from (f"c{number}" for number in range(first, min(last, first + WIDEST_RANGE - 1) + 1))


def _pretends(content: str) -> bool:
    if _NUMBERS.fullmatch(content):
        return _ZERO.match(content) is None
    return _PRETENDING.fullmatch(content) is not None
