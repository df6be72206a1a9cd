"""Markdown made of blocks: a renderer shows their text literally, without images, HTML or links other than addresses.

Every sign with a meaning in Markdown is escaped; square brackets are for citations only, so others become round. An
address is in angle brackets, which make its end certain. Text that a renderer could take for an address (a
bare domain, as `readme.md` is one) is written as code, which no renderer looks into. Nothing of a text is understood
but backticks around code.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from retrieval.citations.blocks import FLOWING, MARK, TABULAR, Kind
from retrieval.text import addresses

_WORD: Final = re.compile(r"[^\s`<>\[\]\\*~|(){}\"“”„«»‘’「」『』【】，。；：！？、（）]++")
_GUESSED: Final = re.compile(r"(?:\A|[^.])\.[^\W\d_]{2}|//|@|www\.|(?:[0-9]{1,3}\.){3}[0-9]", re.IGNORECASE)
"""A sign in a word that a renderer may take for an address."""

_FILE: Final = re.compile(
    r"(?!www\.)(?:(?:[\w-]++/)++[\w.-]++"
    rf"|[\w.-]+\.(?:{addresses.FILES}))",
    re.IGNORECASE,
)
"""What no renderer takes for an address: a path whose folders have no dot, a file whose ending is no domain's."""

_SIGNS: Final = r"[\\`*~]|&(?=#?\w{1,32};)|(?<![^\W_])_|_(?![^\W_])"
_ACTIVE: Final = re.compile(rf"<|{_SIGNS}")
"""Signs that have a meaning in Markdown anywhere; an underscore within a word has none."""

_ROUND: Final = str.maketrans("[]［］", "()（）")
_START: Final = re.compile(r"(?:#{1,6}|[-+])(?=[\s-]|$)|>|[0-9]{1,9}(?=[.)](?:\s|$))")
"""What begins a block at the start of a line; after a number it is the next sign that does."""

_STOPS: Final = re.compile(r"(?<=[^\s.!?。！？])[.!?。！？]++$")
_MARK: Final = re.compile(rf"{MARK}(:?)")
_TICKS: Final = re.compile(r"`++")
_UNSAFE: Final = re.compile(r"[\\`]")
_UNSAFE_IN_ROW: Final = re.compile(r"[\\`|]")
_UNSAFE_IN_LIST: Final = re.compile(_SIGNS)
_MARKS: Final = {"heading": "## ", "bullet": "- "}
_OPENING: Final = FLOWING | {"sentence"}
_TOGETHER: Final = frozenset({("bullet", "bullet"), ("step", "step"), ("header", "row"), ("row", "row")})
"""Neighbours that are one list or table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A block as it is shown: its text, of a row one cell a line, what it cites by (numbers or labels), and a note.

    `marks` are what it cites by that stands in the text, each in the place of a `MARK`.
    """

    kind: Kind
    text: str
    sources: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    links: bool = True
    note: str = ""


def markdown(parts: Sequence[Part]) -> str:
    """The parts in their order, equal citations of a paragraph once, at the last sentence that has them.

    Steps are numbered from 1; a row of no table is an item of a list.
    """
    written: list[str] = []
    before, number, width = "", 0, 0
    for part in _cited_once(parts):
        if part.kind == "sentence" and before in FLOWING:
            written += [_gap(written[-1]), _filled(_claim(part), part)]
            continue
        kind = _kind(part, before)
        number = number + 1 if kind == "step" else number * (kind == "code")
        width = len(_cells(part)) if kind == "header" else width
        between = "\n" if (before, kind) in _TOGETHER else "\n\n"
        marks = f"{number}. " if kind == "step" else _MARKS.get(kind, "")
        written += [between if written else "", marks, _filled(_body(kind, part, width), part)]
        before = kind
    return "".join(written)


def label(source: str, *, row: bool = False) -> str:
    """A source's label as Markdown that shows it within brackets, in the row of a table or elsewhere."""
    return _named(source, _UNSAFE_IN_ROW if row else _UNSAFE)


def entry(source: str) -> str:
    """A source's label as Markdown that shows it in a list."""
    return _named(source, _UNSAFE_IN_LIST)


def _named(source: str, unsafe: re.Pattern[str]) -> str:
    """A label that does nothing but name.

    What a renderer could take for an address is code, as `tools.md` is; the names of most files are none.
    """
    at, written = 0, ""

    def escaped(text: str) -> str:
        return unsafe.sub(r"\\\g<0>", text).replace("<", "&lt;")

    for found in _WORD.finditer(source) if _GUESSED.search(source) else ():
        word = addresses.trimmed(found[0])
        if _GUESSED.search(word) and not _FILE.fullmatch(word):
            written += f"{escaped(source[at : found.start()])}`{word}`"
            at = found.start() + len(word)
    return written + escaped(source[at:])


def shown(text: str, *, links: bool = True) -> str:
    """Text as Markdown that shows it within a line."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    pieces = [
        piece for at, part in enumerate(parts) for piece in (_ticked(part) if at % 2 else _pieces(part, links=links))
    ]
    written: list[str] = []
    for is_code, group in groupby(filter(itemgetter(1), pieces), key=itemgetter(0)):
        joined = "".join(one for _, one in group)
        written.append(f"`{joined}`" if is_code else joined)
    return "".join(written)


def _cited_once(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts; one that the next sentence of its paragraph goes on with, and cites the same, cites nothing."""
    again = [
        part.kind in _OPENING and following.kind == "sentence" and {*part.sources} == {*following.sources}
        for part, following in pairwise(parts)
    ]
    for part, is_again in zip(parts, (*again, False), strict=False):
        yield replace(part, sources=()) if is_again else part


def _kind(part: Part, before: str) -> Kind:
    """The kind that it is shown as, after the part before it."""
    if part.kind in ("sentence", "missing"):
        return "paragraph"
    return "bullet" if part.kind == "row" and before not in ("header", "row") else part.kind


def _body(kind: Kind, part: Part, width: int) -> str:
    match kind:
        case "code":
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(part.text)), default=0))
            return "\n".join([fence, part.text, fence, *([f"\n{_behind(part)}"] if part.sources else [])])
        case "header":
            return f"{_row(part, width)}\n{'| --- ' * width}|"
        case "row":
            return _row(part, width)
        case "heading":
            return re.sub(r"(?<!\S)#", r"\#", _claim(part))
        case _:
            line = replace(part, text=" | ".join(filter(None, _cells(part)))) if part.kind == "row" else part
            return _started(_claim(line))


def _claim(part: Part, *, row: bool = False) -> str:
    """The text with its citations inside its sentence."""
    if not part.sources and not part.note:
        return _shown(part.text, part, row=row)
    stops = _STOPS.search(part.text)
    end = len(part.text) if stops is None else stops.start()
    text = _shown(part.text[:end], part, row=row)
    return f"{text}{_gap(text)}{_behind(part, row=row)}{part.text[end:]}"


def _behind(part: Part, *, row: bool = False) -> str:
    """The citations, and the note."""
    cites = _cites(part, row=row)
    gap = _gap(cites) if part.note[:1] == "(" else ""
    return f"{cites}{gap}{shown(part.note, links=False)}"


def _filled(written: str, part: Part) -> str:
    """The text with its citations in their places; a colon after one is escaped, since it would define a link."""
    if not part.marks:
        return written
    cited = iter(part.marks)

    def mark(found: re.Match[str]) -> str:
        name = next(cited, "")
        return (f"[{label(name, row=part.kind in TABULAR)}]" if name else "") + ("\\:" if found[1] else "")

    return _MARK.sub(mark, written)


def _shown(text: str, part: Part, *, row: bool) -> str:
    """The text as it is shown, in code too; in a row every bar is escaped, since it would begin a cell."""
    written = shown(text, links=part.links)
    return written.replace("|", r"\|") if row else written


def _cites(part: Part, *, row: bool = False) -> str:
    return "".join(f"[{label(one, row=row)}]" for one in dict.fromkeys(part.sources))


def _gap(before: str) -> str:
    """The gap after a text: a blank where its script has blanks."""
    return "" if not before or before[-1] >= "\u2e80" else " "


def _started(text: str) -> str:
    """Text at the start of a line, escaped so that it begins no Markdown block."""
    found = _START.match(text)
    if found is None:
        return text
    at = found.end() if found[0][0].isdigit() else 0
    return f"{text[:at]}\\{text[at:]}"


def _cells(part: Part) -> list[str]:
    return part.text.split("\n")


def _row(part: Part, width: int) -> str:
    """As many cells as the header has; the last one holds what is left, and the citations."""
    first, rest = _cells(part)[: width - 1], _cells(part)[width - 1 :]
    last = _claim(replace(part, text=" / ".join(rest)), row=True)
    cells = [*(_shown(one, part, row=True) for one in first), *[""] * (width - 1 - len(first)), last]
    return f"| {' | '.join(cells)} |"


def _ticked(text: str) -> Iterator[tuple[bool, str]]:
    """Text between two backticks: code, and parts that are Markdown already."""
    yield (True, text) if text.strip() else (False, f"\\`{text}\\`")


def _pieces(text: str, *, links: bool) -> Iterator[tuple[bool, str]]:
    """The parts that become code, and the parts that are Markdown already; only addresses are links in them."""
    at = 0
    for start, end in addresses.places(text):
        yield from _guarded(text[at:start])
        address = text[start:end]
        yield (False, f"<{address}>") if links and addresses.may_be_linked(address) else (True, address)
        at = end
    yield from _guarded(text[at:])


def _guarded(text: str) -> Iterator[tuple[bool, str]]:
    at = 0
    for found in _WORD.finditer(text) if _GUESSED.search(text) else ():
        if _GUESSED.search(found[0]) is not None:
            word = addresses.trimmed(found[0])
            yield False, _escaped(text[at : found.start()])
            yield True, word
            at = found.start() + len(word)
    yield False, _escaped(text[at:])


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text.translate(_ROUND))
