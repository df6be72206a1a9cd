"""Lucene's regular expressions (its class RegExp) in the dialect of tantivy, both of which are automata.

An automaton reads a word in time linear in the word, whatever the expression; what has to be bounded is its size.
https://lucene.apache.org/core/6_6_1/core/org/apache/lucene/util/automaton/RegExp.html
"""

import re
from typing import NamedTuple

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.query.tree import Regex

MAX_LENGTH = 1000
"""Characters of an expression."""

MAX_SIZE = 1000
"""Characters of an expression once its counted repetitions are written out."""

MAX_WIDE = 20
"""Dots and the like, with counted repetitions written out, as many as a word has wildcards: with more, making the
automaton would hold everything else for 50 ms and longer."""

MAX_NESTING = 20

ANY = "(?s:.)"

_PIECE = re.compile(
    r"""  (?P<escaped> \\. )
        | (?P<quoted>  "[^"]*" )
        | (?P<set>     \[\^?(?:\\.|[^\]\\])+\] )
        | (?P<count>   \{(?P<least>\d{1,4})(?P<range>,(?P<most>\d{1,4})?)?\} )
        | (?P<repeat>  [?*+] )
        | (?P<open>    \( )
        | (?P<close>   \) )
        | (?P<choice>  \| )
        | (?P<any>     \. )
        | (?P<all>     @ )
        | (?P<lacking> [&~#<>] )
        | (?P<broken>  [\[\]{}\\"] )
        | (?P<plain>   . ) """,
    re.VERBOSE | re.DOTALL,
)
_RANGE = re.compile(r"(\\.|[^\\])(?:-(\\.|[^\\]))?", re.DOTALL)


def literal(text: str) -> str:
    """An expression that only `text` fits."""
    return "".join([sign if sign.isalnum() else f"\\x{{{ord(sign):X}}}" for sign in text])


def translated(pattern: str) -> Regex:
    """`pattern` is what stands between the slashes.

    Raises InvalidArgument for what is no expression or too large, Unsupported for Lucene's rarer operators.
    """
    if len(pattern) > MAX_LENGTH:
        raise InvalidArgument(f"A regular expression has at most {MAX_LENGTH} characters.")
    reader = _Reader()
    for match in _PIECE.finditer(pattern):
        reader.take(match)
    return reader.finished()


class _Size(NamedTuple):
    """In characters, and in atoms that nearly every character fits."""

    length: int
    wide: int

    def plus(self, other: "_Size") -> "_Size":
        return _Size(self.length + other.length, self.wide + other.wide)


class _Reader:
    """Writes the translation and keeps the size of every open group, and of what a repetition would repeat."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._sizes = [_Size(0, 0)]
        self._last: _Size | None = None

    def take(self, piece: re.Match[str]) -> None:
        text = piece[0]
        match piece.lastgroup:
            case "lacking":
                raise Unsupported(f"the operator {text!r} in a regular expression")
            case "broken":
                raise InvalidArgument(f"The regular expression has a {text!r} that is not closed, opened or escaped.")
            case "open":
                self._open()
            case "close":
                self._close()
            case "choice":
                self._written.append("|")
                self._last = None
            case "count" | "repeat":
                self._repeat(piece)
            case _:
                self._written.append(_atom(piece))
                self._grow(_Size(len(text), int(_is_wide(piece))))

    def finished(self) -> Regex:
        if len(self._sizes) > 1:
            raise InvalidArgument("The regular expression has a parenthesis that is not closed.")
        return Regex("".join(self._written), self._sizes[0].length)

    def _open(self) -> None:
        if len(self._sizes) > MAX_NESTING:
            raise InvalidArgument(f"The regular expression nests deeper than {MAX_NESTING}.")
        self._written.append("(?:")
        self._sizes.append(_Size(0, 0))
        self._last = None

    def _close(self) -> None:
        if len(self._sizes) == 1:
            raise InvalidArgument("The regular expression has a parenthesis that was not opened.")
        self._written.append(")")
        self._grow(self._sizes.pop())

    def _grow(self, size: _Size) -> None:
        self._last = _Size(max(size.length, 1), size.wide)
        self._sizes[-1] = self._sizes[-1].plus(self._last)
        if self._sizes[-1].length > MAX_SIZE:
            raise InvalidArgument(f"The regular expression is larger than {MAX_SIZE} characters when written out.")
        if self._sizes[-1].wide > MAX_WIDE:
            raise InvalidArgument(
                f"The regular expression has more than {MAX_WIDE} dots and the like (., @, [^x]) when written out."
            )

    def _repeat(self, piece: re.Match[str]) -> None:
        if self._last is None:
            raise InvalidArgument(f"The regular expression has nothing that {piece[0]!r} could repeat.")
        repeated = self._last
        if piece["repeat"]:
            further = _Size(repeated.length, 0)
        else:
            least, most = int(piece["least"]), int(piece["most"] or piece["least"])
            if most < least:
                raise InvalidArgument(f"The regular expression counts backwards: {piece[0]!r}.")
            further = _Size(repeated.length * most, repeated.wide * max(most - 1, 0))
        self._written.append(piece[0])
        self._grow(further)
        self._last = repeated.plus(further)


def _is_wide(piece: re.Match[str]) -> bool:
    """Whether thousands of characters fit the atom."""
    text = piece[0]
    if piece.lastgroup != "set":
        return piece.lastgroup in ("any", "all")
    spans = (ord(high[-1]) - ord(low[-1]) for low, high in _RANGE.findall(text[1:-1]) if high)
    return text.startswith("[^") or any(span > 1_000 for span in spans)


def _atom(piece: re.Match[str]) -> str:
    text = piece[0]
    match piece.lastgroup:
        case "escaped":
            return literal(text[1])
        case "quoted":
            return f"(?:{literal(text[1:-1])})"
        case "set":
            return _set(text)
        case "any":
            return ANY
        case "all":
            return f"(?:{ANY}*)"
        case _:
            return literal(text)


def _set(text: str) -> str:
    negated = text.startswith("[^")
    ranges = [
        literal(low[-1]) + (f"-{literal(high[-1])}" if high else "")
        for low, high in _RANGE.findall(text[2 if negated else 1 : -1])
    ]
    return f"[{'^' if negated else ''}{''.join(ranges)}]"
