"""The pieces of a line of prose: what a renderer would make something of, and plain text between.

What is not taken for something here is plain text, and is written so that a renderer takes it for that too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from retrieval.steps.citing import addresses
from retrieval.steps.citing.cited import Names, ids
from retrieval.steps.citing.statements import CITATION, HIDDEN, OTHER

Kind: TypeAlias = Literal["text", "as is", "code", "citation", "open", "close", "target", "address", "image", "markup"]

LONGEST_CODE: Final = 1_000

_CODE: Final = rf"(?<!`)(?P<ticks>`++)[^\n]{{0,{LONGEST_CODE}}}?[^`\n](?P=ticks)(?!`)"
_ESCAPE: Final = r"\\[!-/:-@\[-`{-~]"
_TARGET: Final = (
    r"\([ \t]*+\n?[ \t]*+<?(?P<{}>[^\s<>()]*+(?:\([^\s<>()]*+\)[^\s<>()]*+)*+)>?"
    r"(?:\s++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)"
)
_ENTITY: Final = re.compile(
    rf"{_CODE}|{_ESCAPE}|(?P<entity>&(?:#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)"
)
_PIECE: Final = re.compile(
    rf"(?P<code>{_CODE})"
    rf"|(?P<image>!\[[^\[\]\n]*+\](?:{_TARGET.format('shown')}|\[[^\[\]\n]*+\]))"
    rf"|(?P<bracket>\\?(?:\[\[|[\[【［])(?P<inside>[^\[\]【】［］\n]++)(?:\]\]|[\]】］])(?:{_TARGET.format('linked')})?)"
    rf"|(?P<close>\]{_TARGET.format('target')})"
    rf"|(?P<angled><(?:(?=[A-Za-z][A-Za-z0-9+.\-]{{1,15}}://)|(?=(?:[A-Za-z]{{2,8}}:)?{addresses.MAILBOX}))[^\s<>]++>)"
    r"|(?P<markup><!--[^<>]*+-->|</?(?P<tag>[A-Za-z][A-Za-z0-9\-]*+)(?!:)(?P<said>[^<>]*+)>|<[!?][^<>]*+>)"
    rf"|(?P<address>{addresses.PATTERN})"
    rf"|(?P<escape>{_ESCAPE})"
    r"|(?P<run>`++)"
)
_KEPT_ENTITIES: Final = frozenset("<>&`\\\n\t")
_NEEDLESS: Final = frozenset({"\\:", "\\/", "\\@"})
"""Escapes that change nothing, but could hide an address."""

_STOPS: Final = re.compile(r"[.!?…。！？｡:;：；]")
_TAGS: Final = frozenset(
    """a abbr address animate applet area article aside audio b base bdi bdo big blink blockquote body br button canvas
    caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
    figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img
    input ins isindex kbd keygen label legend li link listing main map mark marquee math menu meta meter nav nobr
    noembed noframes noscript object ol optgroup option output p param path picture plaintext portal pre progress q rp
    rt ruby s samp script search section select set slot small source span strike strong style sub summary sup svg
    table tbody td template textarea tfoot th thead time title tr track tt u ul use var video wbr xml xmp""".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece: the `text` that is written when it stays, and what a reader sees of it, one character where no text.

    `source` is how it was written. A citation names `ids`; one without only pretends. Between `open` and `close` stands
    the text of a link, a `target` is one without a text, an `address` is where a piece leads. `stands` takes the
    piece's place where sentences are told apart; as long as what is seen.
    """

    kind: Kind
    text: str
    source: str
    seen: str
    stands: str
    ids: tuple[str, ...] = ()
    address: str = ""


def pieces(text: str, names: Names) -> tuple[Piece, ...]:
    """The pieces of a text; character references are the characters they stand for, where that changes no meaning."""
    return tuple(_paired(tuple(_each(_ENTITY.sub(_decoded, text), names))))


def plain(text: str) -> Piece:
    """Text, in which only the tags that no other piece has taken are left to defuse."""
    return Piece(kind="text", text=text, source=text, seen=text, stands=text)


def divided(parts: Iterable[Piece], ends: Sequence[int]) -> tuple[tuple[Piece, ...], ...]:
    """The pieces up to each of the ends, which count what a reader sees and rise; the rest is left out.

    Only text is ever divided; an end within another piece is behind it.
    """
    sections: list[tuple[Piece, ...]] = []
    section: list[Piece] = []
    at = 0
    for one in parts:
        rest = one
        while len(sections) < len(ends) and ends[len(sections)] < at + len(rest.seen) and rest.kind == "text":
            first = ends[len(sections)] - at
            sections.append((*section, plain(rest.text[:first])))
            section, rest, at = [], plain(rest.text[first:]), at + first
        section.append(rest)
        at += len(rest.seen)
        while len(sections) < len(ends) and ends[len(sections)] <= at:
            sections.append(tuple(section))
            section = []
    return tuple(sections)


def _decoded(match: re.Match[str]) -> str:
    if match[0] in _NEEDLESS:
        return match[0][1]
    character = unescape(match["entity"] or "")
    if not match["entity"] or len(character) > 2 or _KEPT_ENTITIES & set(character) or not character.isprintable():
        return match[0]
    return character


def _each(text: str, names: Names) -> Iterator[Piece]:
    at = 0
    while (match := _PIECE.search(text, at)) is not None:
        if at < match.start():
            yield plain(text[at : match.start()])
        piece = _piece(match, names)
        yield piece
        at = match.start() + len(piece.source)
    if at < len(text):
        yield plain(text[at:])


def _piece(match: re.Match[str], names: Names) -> Piece:
    """The piece that begins where the match does; it may be shorter."""
    whole = match[0]
    if match["bracket"] is not None:
        return _bracket(match, names)
    if match["code"] is not None:
        inner = whole.strip("`")
        return Piece(kind="code", text=whole, source=whole, seen=inner, stands=HIDDEN * len(inner))
    if match["address"] is not None or match["angled"] is not None:
        return _address(whole)
    if match["close"] is not None:
        return _unseen("close", whole, address=match["target"])
    if match["image"] is not None:
        return _unseen("image", whole)
    if match["markup"] is not None:
        is_tag = match["tag"] is None or match["tag"].lower() in _TAGS or "=" in match["said"]
        return _unseen("markup", whole) if is_tag else plain("<")
    return _escaped(match)


def _escaped(match: re.Match[str]) -> Piece:
    """What is escaped, and backticks that begin no code, which are escaped then."""
    whole = match[0]
    if match["run"] is None:
        return Piece(kind="as is", text=whole, source=whole, seen=whole[1], stands=whole[1])
    return Piece(kind="as is", text="\\`" * len(whole), source=whole, seen=whole, stands=whole)


def _bracket(match: re.Match[str], names: Names) -> Piece:
    whole, cited = match[0], ids(match["inside"], names)
    if cited is not None:
        address = match["linked"] or ""
        return Piece(kind="citation", text="", source=whole, seen=CITATION, stands=CITATION, ids=cited, address=address)
    if whole.startswith("\\"):
        return Piece(kind="as is", text=whole[:2], source=whole[:2], seen=whole[1], stands=whole[1])
    if match["linked"] is not None and whole[0] == "[" != whole[1]:
        return _unseen("open", "[")
    return plain(whole[0])


def _address(whole: str) -> Piece:
    address = addresses.trimmed(whole.strip("<>"))
    text = whole if whole[0] == "<" else address
    return Piece(kind="address", text=text, source=text, seen=text, stands=HIDDEN * len(text), address=address)


def _unseen(kind: Kind, source: str, *, address: str = "") -> Piece:
    return Piece(kind=kind, text="", source=source, seen=OTHER, stands=OTHER, address=address)


def _paired(parts: Sequence[Piece]) -> Iterator[Piece]:
    """Each `open` with its `close`; where one is missing, brackets are text and the address has no text."""
    ends = [place for place, one in enumerate(parts) if one.kind in ("open", "close")]
    following = dict(pairwise(ends))
    inside = False
    for place, one in enumerate(parts):
        if one.kind == "open":
            inside = place in following and parts[following[place]].kind == "close"
            yield one if inside else plain("[")
        elif one.kind == "close":
            if not inside:
                yield plain("]")
            yield one if inside else replace(one, kind="target")
            inside = False
        else:
            yield replace(one, stands=_STOPS.sub(HIDDEN, one.stands)) if inside else one
