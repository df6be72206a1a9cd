"""Pieces written again: what may stay as it was, the rest so that a renderer sees only text."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Final

from retrieval.answer import Removed, RemovedKind
from retrieval.steps.citing import addresses, code
from retrieval.steps.citing.cited import PLACE
from retrieval.steps.citing.pieces import Piece

LONGEST_SHOWN: Final = 200
FOREIGN: Final = "The address stands in no chunk that is cited."

_TAG: Final = re.compile(r"<(?=[A-Za-z/!?]|\Z)")
_FENCE: Final = re.compile(r"~{3,}+")
_DEFINITION: Final = re.compile(r"^(\[[^\[\]\n]*+\]):", re.MULTILINE)
_UNSAFE: Final = re.compile(r"[\\`]")
_UNSAFE_IN_ROW: Final = re.compile(r"[\\`|]")
_BREAK: Final = re.compile(r"</?(?:br|hr|p|div|li|tr|td|th)\b", re.IGNORECASE)
_BARE: Final = re.compile(r"https?://", re.IGNORECASE)
_END: Final = re.compile(r"[.,;)\"']*+(?:\s|\Z)")
"""What an address may stand before: a renderer takes everything else for a part of it."""

_CLOSING: Final = frozenset(".,;:!?)]。，；：！？）\n")
_OPENING: Final = frozenset("([（")
_EMPTY: Final = frozenset({"()", "[]", "（）"})

_PLACE: Final = re.compile(rf"\[{PLACE}([^\[\]\n]*+)\]")

GONE: Final = "\x00"
"""In the place of what was removed, until the blanks around it are put right."""


def written(parts: Sequence[Piece], *, citable: Collection[str], allowed: Set[str]) -> str:
    """The text of pieces. `citable` are the ids of chunks that may be cited, `allowed` the addresses that may stay."""
    segments: list[str] = []
    prose: list[str] = []
    for one in _linked(parts, allowed):
        fixed = _fixed(one, citable, allowed)
        if fixed:
            segments += [_prose("".join(prose), before=fixed), fixed]
            prose = []
        else:
            prose.append(_loose(one))
    segments.append(_prose("".join(prose), before=""))
    return _DEFINITION.sub(r"\1 :", "".join(_apart(segments))).strip()


def refused(parts: Sequence[Piece], *, allowed: Set[str]) -> Iterator[Removed]:
    """What of pieces is not written, but for citations."""
    for one in parts:
        if one.kind == "image":
            yield removed("image", one.source, reason="An answer shows no images.")
        elif one.kind == "markup":
            yield removed("markup", one.source, reason="An answer holds no HTML.")
        elif one.kind == "code":
            foreign = sorted(code.found(one.seen) - allowed)
            yield from (removed("link", address, reason=FOREIGN) for address in foreign)
        elif one.address and not (one.kind in ("close", "address") and _stays(one, allowed)):
            yield removed("link", one.address, reason=FOREIGN)


def removed(kind: RemovedKind, text: str, *, reason: str) -> Removed:
    """What is no longer in an answer, on one line."""
    return Removed(kind=kind, text=" ".join(text.split())[:LONGEST_SHOWN], reason=reason)


def labelled(text: str, labels: Mapping[str, str]) -> str:
    """The text with the labels of chunks where it cites them, each once in a place."""

    def cited(match: re.Match[str]) -> str:
        return "".join(f"[{one}]" for one in dict.fromkeys(labels[name] for name in match[1].split()))

    return _PLACE.sub(cited, text)


def label(source: str, *, row: bool) -> str:
    """A source's label as Markdown that shows it and does nothing else, in the row of a table or elsewhere."""
    return (_UNSAFE_IN_ROW if row else _UNSAFE).sub(r"\\\g<0>", source).replace("<", "&lt;")


def _stays(piece: Piece, allowed: Set[str]) -> bool:
    return addresses.may_be_linked(piece.address) and addresses.same(piece.address) in allowed


def _linked(parts: Sequence[Piece], allowed: Set[str]) -> Iterator[Piece]:
    """Without the ends of links that lead where no link may."""
    ends = iter([_stays(one, allowed) for one in parts if one.kind == "close"])
    stays = False
    for one in parts:
        if one.kind == "open":
            stays = next(ends, False)
        if stays or one.kind not in ("open", "close"):
            yield one


def _fixed(piece: Piece, citable: Collection[str], allowed: Set[str]) -> str:
    """What is written as it is; empty for text, and for what is not written."""
    match piece.kind:
        case "as is":
            return piece.text
        case "citation":
            cited = " ".join(one for one in piece.ids if one in citable)
            return f"[{PLACE}{cited}]" if cited else ""
        case "code" if code.found(piece.seen) <= allowed:
            return piece.text
        case "open":
            return "["
        case "close":
            return f"]({piece.address})"
        case "address" if _stays(piece, allowed):
            return piece.text
        case _:
            return ""


def _loose(piece: Piece) -> str:
    if piece.kind == "text":
        return piece.text
    return " " if piece.kind == "markup" and _BREAK.match(piece.source) else GONE


def _prose(text: str, *, before: str) -> str:
    """Text in which nothing begins a tag, a fence or a link, not even together with what it stands `before`."""
    plain = _FENCE.sub(lambda match: r"\~" * len(match[0]), _TAG.sub("&lt;", _closed_up(text))).replace("](", "] (")
    if before == "[" and plain.endswith("!"):
        return rf"{plain[:-1]}\!"
    backslashes = len(plain) - len(plain.rstrip("\\"))
    return plain + "\\" if before and backslashes % 2 else plain


def _apart(segments: Sequence[str]) -> Iterator[str]:
    """Neither a bracket that closes and a parenthesis that opens, nor an address and what goes on without a blank."""
    kept = ["", *(one for one in segments if one), ""]
    for place, one in enumerate(kept[1:-1], start=1):
        apart = f" {one}" if kept[place - 1].endswith("]") and one.startswith("(") else one
        ended = _END.match(kept[place + 1])
        alone = ended is not None and (ended[0][-1:].isspace() or place + 3 >= len(kept))
        yield f"<{apart}>" if _BARE.match(apart) and not alone else apart


def _closed_up(text: str) -> str:
    """Without what is gone, and without the blanks and empty brackets that it leaves."""
    first, *rest = text.split(GONE)
    done = [first]
    for part in rest:
        left, right = done[-1].rstrip(" \t"), part.lstrip(" \t")
        gap = " " if left != done[-1] or right != part else ""
        if left[-1:] + right[:1] in _EMPTY:
            left, right = left[:-1].rstrip(" \t"), right[1:]
        done[-1] = left
        done.append(right if right[:1] in _CLOSING or left[-1:] in _OPENING else gap + right)
    return "".join(done)
