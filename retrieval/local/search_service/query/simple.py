"""Azure AI Search's simple query syntax, read so that no natural sentence fails.

The rules are those of Lucene's SimpleQueryParser with the operators that Azure AI Search enables (AND, OR, NOT, PHRASE,
PRECEDENCE, PREFIX, ESCAPE, WHITESPACE): https://learn.microsoft.com/azure/search/query-simple-syntax. What has no
meaning as an operator is text or nothing: a hyphen inside a word, a quote or parenthesis without its partner, an
operator with nothing to work on.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query.tree import All, Both, Either, Except, Mode, Phrase, Prefix, Query, Words

MAX_CLAUSES = 3000
MAX_DEPTH = 100

_PIECES = re.compile(
    r"""  (?P<phrase> "(?P<quoted>(?:[^"\\]|\\.)*+)" )
        | (?P<blank>  \s+ )
        | (?P<sign>   [-()+|"] )
        | (?P<word>   (?:[^\s"|+()\\]|\\.|\\\Z)+ ) """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_JOINS: dict[str, Mode] = {"+": "all", "|": "any"}


class _Piece(NamedTuple):
    """`kind` is "word", "phrase", "blank" or the sign itself."""

    kind: str
    text: str


def read(text: str, *, mode: Mode) -> Query:
    """`mode` joins what stands side by side: "any" by OR, "all" by AND.

    Raises InvalidArgument for more than MAX_CLAUSES words and phrases, or operators nested deeper than MAX_DEPTH.
    """
    if text.strip() in ("", "*"):
        return All()
    pieces = _pieces(text)
    if sum(piece.kind in ("word", "phrase") for piece in pieces) > MAX_CLAUSES:
        raise InvalidArgument(f"The search text has more than {MAX_CLAUSES} words and phrases.")
    return _tree(pieces, mode)


def _pieces(text: str) -> list[_Piece]:
    found = [
        _Piece(match[0] if match["sign"] else str(match.lastgroup), match["quoted"] or match[0])
        for match in _PIECES.finditer(text)
    ]
    lone = _lone_parentheses(found)
    return [piece for place, piece in enumerate(found) if place not in lone]


def _lone_parentheses(pieces: list[_Piece]) -> set[int]:
    lone: set[int] = set()
    waiting: list[int] = []
    for place, piece in enumerate(pieces):
        if piece.kind == "(":
            waiting.append(place)
        elif piece.kind == ")" and waiting:
            waiting.pop()
        elif piece.kind == ")":
            lone.add(place)
    return lone.union(waiting)


@dataclass(slots=True)
class _Group:
    """What stands between two parentheses so far; `join` connects its `parts`, `next_join` the part to come."""

    depth: int = 0
    parts: list[Query] = field(default_factory=list)
    join: Mode | None = None
    next_join: Mode | None = None
    negations: int = 0

    def add(self, part: Query | None, depth: int, mode: Mode) -> None:
        if part is not None:
            negated = self.negations % 2
            self._join(Except(part) if negated else part, depth + negated, self.next_join or mode)
        self.next_join = None

    def _join(self, part: Query, depth: int, join: Mode) -> None:
        if self.join != join and len(self.parts) > 1:
            self.parts = [self.tree()]
            self.depth += 1
        self.join = join if self.parts else self.join
        self.parts.append(part)
        self.depth = max(self.depth, depth)
        if self.depth > MAX_DEPTH:
            raise InvalidArgument(f"The search text nests operators deeper than {MAX_DEPTH}.")

    def tree(self) -> Query:
        if len(self.parts) == 1:
            return self.parts[0]
        return (Both if self.join == "all" else Either)(tuple(self.parts))


def _tree(pieces: list[_Piece], mode: Mode) -> Query:
    open_groups = [_Group()]
    for kind, text in pieces:
        group = open_groups[-1]
        if kind == "-":
            group.negations += 1
            continue
        if kind == "(":
            open_groups.append(_Group())
            continue
        if kind == ")":
            inner = open_groups.pop()
            group = open_groups[-1]
            several = len(inner.parts) > 1
            group.add(inner.tree() if inner.parts else None, inner.depth + several, mode)
        elif kind in _JOINS:
            group.next_join = group.next_join or (_JOINS[kind] if group.parts else None)
        elif kind in ("word", "phrase"):
            group.add(_leaf(kind, text), 0, mode)
        group.negations = 0
    return open_groups[0].tree() if open_groups[0].parts else Words("")


def _leaf(kind: str, text: str) -> Query | None:
    if kind == "phrase":
        return None if text == '""' else Phrase(_ESCAPED.sub(r"\1", text))
    if len(text) > 1 and text[-1] == "*" and not _ends_escaped(text[:-1]):
        return Prefix(_ESCAPED.sub(r"\1", text[:-1]))
    return Words(_ESCAPED.sub(r"\1", text))


def _ends_escaped(text: str) -> bool:
    """An odd number of backslashes ends the text, so that they escape what follows."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
