"""The full Lucene syntax (`queryType: full`), parsed by luqum.

Sources: https://learn.microsoft.com/azure/search/query-lucene-syntax and the classic query parser of Lucene 6.6, to
which it points. Operators have no precedence there: AND makes the clause on either side of it required, OR makes it
optional where the search mode is "all", NOT forbids. What luqum reads otherwise is written anew before it sees it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from luqum import tree
from luqum.exceptions import ParseError

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import lucene_regex
from retrieval.local.search_service.query.lucene_words import pattern_size, read_word
from retrieval.local.search_service.query.luqum_parser import parse
from retrieval.local.search_service.query.simple import MAX_CLAUSES, MAX_DEPTH
from retrieval.local.search_service.query.tree import (
    All,
    Boosted,
    Clauses,
    Fuzzy,
    Mode,
    Phrase,
    Query,
    Wildcard,
    Within,
    Words,
)

MAX_PIECES = 12_000
"""Words, operators and parentheses together."""

MAX_PATTERNS = 4_000
"""The sizes of all wildcards, fuzzy words and regular expressions together: each is an automaton to build and run."""

MAX_BOOST = 1_000_000.0
MAX_SLOP = 10_000
MAX_EDITS = 2

_PIECES = re.compile(
    r"""  (?P<blank>  \s+ )
        | (?P<phrase> "(?:[^"\\]|\\.)*+" )
        | (?P<regex>  /(?:[^/\\]|\\.)*+/ )
        | (?P<join>   && | \|\| )
        | (?P<near>   ~(?P<distance>\d+(?:\.\d+)?)? )
        | (?P<boost>  \^(?P<factor>\d+(?:\.\d+)?) )
        | (?P<range>  [\[\]{}] )
        | (?P<sign>   [-+!():] )
        | (?P<word>   (?:[^\s"+\-!(){}\[\]:^~\\/]|\\.)(?:[^\s"!(){}\[\]:^~\\]|\\.)*+ ) """,
    re.VERBOSE | re.DOTALL,
)
ANY_WORD = Wildcard(("", ""), "*")
_SIGNS = {"!": "NOT", "&&": "AND", "||": "OR"}
_NOT_FIRST = "'<>"
"""With these luqum begins something else than a word; to Lucene they are letters like any other."""


def read(text: str, *, mode: Mode, fields: Collection[str]) -> Query:
    """`fields` are those that a query may name. Raises InvalidArgument where the text breaks a rule, or is too large:
    more than MAX_CLAUSES words, phrases and patterns (luqum's time grows with their square), or nested too deep."""
    if text.strip() in ("", "*", "*:*"):
        return All()
    written = " ".join(_pieces(text))
    try:
        parsed = parse(written)
    except ParseError as error:
        raise InvalidArgument(f"The search text is not valid in the full Lucene syntax: {str(error)[:200]}") from error
    query = _Reader(mode, fields).read(parsed, 0)
    if isinstance(query, Clauses) and not query.must and not query.should:
        raise InvalidArgument("In the full Lucene syntax a query cannot consist of negations alone.")
    return query


def _pieces(text: str) -> list[str]:
    """The text as luqum is to see it, piece by piece."""
    found: list[str] = []
    clauses = depth = end = 0
    for match in _PIECES.finditer(text):
        kind = str(match.lastgroup)
        if match.start() != end:
            raise _bad_sign(text, end)
        end = match.end()
        clauses += kind in ("word", "phrase", "regex")
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if kind != "blank":
            found.append(_written(match, kind, found))
        if clauses > MAX_CLAUSES:
            raise InvalidArgument(f"The search text has more than {MAX_CLAUSES} words and phrases.")
        if depth > MAX_DEPTH or len(found) > MAX_PIECES:
            raise InvalidArgument(f"The search text has more than {MAX_PIECES} parts or nests deeper than {MAX_DEPTH}.")
    if end != len(text):
        raise _bad_sign(text, end)
    return found


def _bad_sign(text: str, place: int) -> InvalidArgument:
    return InvalidArgument(
        f"The search text is not valid in the full Lucene syntax: {text[place : place + 1]!r} at position {place} "
        "begins nothing; a backslash before it makes it text."
    )


def _written(match: re.Match[str], kind: str, before: list[str]) -> str:
    text = match[0]
    if kind == "range":
        raise InvalidArgument("The full Lucene syntax has no range searches here; use $filter.")
    if text in _SIGNS:
        return _SIGNS[text]
    if kind == "near":
        follows_phrase = bool(before) and before[-1].endswith('"')
        distance = min(float(match["distance"] or (0 if follows_phrase else MAX_EDITS)), MAX_SLOP)
        return f"~{distance:.0f}" if follows_phrase else f"~{distance:.4f}"
    if kind == "boost":
        return f"^{min(float(match['factor']), 2 * MAX_BOOST):.6f}"
    return f"\\{text}" if kind == "word" and text[0] in _NOT_FIRST else text


_Join: TypeAlias = Literal["and", "or", "implicit"]


@dataclass(slots=True)
class _Clause:
    query: Query
    role: Literal["must", "should", "must_not"]


@dataclass(slots=True)
class _Group:
    """Clauses of one level. What joins a clause to the one before it decides the role of both."""

    mode: Mode
    clauses: list[_Clause] = field(default_factory=list)

    def add(self, query: Query, join: _Join, sign: str) -> None:
        before = self.clauses[-1] if self.clauses else None
        if before is not None and before.role != "must_not" and join != "implicit":
            if join == "and":
                before.role = "must"
            elif self.mode == "all":
                before.role = "should"
        self.clauses.append(_Clause(query, self._role(join, sign)))

    def _role(self, join: _Join, sign: str) -> Literal["must", "should", "must_not"]:
        if sign == "-":
            return "must_not"
        required = join != "or" if self.mode == "all" else join == "and"
        return "must" if sign == "+" or required else "should"

    def query(self) -> Query:
        by_role = {role: tuple(one.query for one in self.clauses if one.role == role) for role in _ROLES}
        if len(self.clauses) == 1 and not by_role["must_not"]:
            return self.clauses[0].query
        return Clauses(**by_role)


_ROLES = ("must", "should", "must_not")
_JOINS: dict[type, _Join] = {tree.AndOperation: "and", tree.OrOperation: "or", tree.UnknownOperation: "implicit"}


class _Reader:
    """luqum's tree to ours."""

    def __init__(self, mode: Mode, fields: Collection[str]) -> None:
        self._mode = mode
        self._fields = fields
        self._factor = 1.0
        self._patterns = 0

    def read(self, node: Any, depth: int) -> Query:
        if depth > MAX_DEPTH:
            raise InvalidArgument(f"The search text nests operators deeper than {MAX_DEPTH}.")
        match node:
            case tree.Word() | tree.Phrase() | tree.Regex() | tree.Fuzzy() | tree.Proximity():
                return self._counted(_leaf(node))
            case tree.SearchField(name=name, expr=inner):
                return self._within(name, inner, depth)
            case tree.Boost(expr=inner, force=factor):
                return self._boosted(inner, factor, depth)
            case tree.Group(expr=inner) | tree.FieldGroup(expr=inner):
                return self.read(inner, depth + 1)
            case _:
                return self._group(node, depth)

    def _counted(self, leaf: Query) -> Query:
        self._patterns += pattern_size(leaf)
        if self._patterns > MAX_PATTERNS:
            raise InvalidArgument("The search text has too many or too large wildcards, fuzzy words and expressions.")
        return leaf

    def _group(self, node: Any, depth: int) -> Query:
        group = _Group(self._mode)
        for join, one in _clauses(node, "implicit"):
            sign, inner = "", one
            if isinstance(one, tree.Not | tree.Prohibit | tree.Plus):
                sign, inner = "+" if isinstance(one, tree.Plus) else "-", one.a
            group.add(self.read(inner, depth + 1), join, sign)
        return group.query()

    def _within(self, name: str, inner: Any, depth: int) -> Query:
        if isinstance(inner, tree.SearchField):
            raise InvalidArgument(f"The search text names two fields at once, {name[:64]!r} and {inner.name[:64]!r}.")
        name = name.replace("\\", "")
        if name not in self._fields:
            raise InvalidArgument(
                f"The search text names {name[:128]!r}, which is not a searchable field of the index."
            )
        is_star = isinstance(inner, tree.Word) and inner.value == "*"
        return Within(ANY_WORD if is_star else self.read(inner, depth + 1), name)

    def _boosted(self, inner: Any, factor: Decimal, depth: int) -> Query:
        if isinstance(inner, tree.Boost):
            raise InvalidArgument("The search text boosts the same part twice.")
        around = self._factor
        self._factor *= float(factor)
        if self._factor > MAX_BOOST:
            raise InvalidArgument(f"Boosts multiply to at most {MAX_BOOST:.0f}.")
        boosted = Boosted(self.read(inner, depth + 1), float(factor))
        self._factor = around
        return boosted


def _clauses(node: Any, join: _Join) -> Iterator[tuple[_Join, Any]]:
    """The clauses of one level from left to right, each with what joins it to the one before."""
    waiting: list[tuple[_Join, Any]] = [(join, node)]
    while waiting:
        join, one = waiting.pop()
        inner = _JOINS.get(type(one))
        if inner is None:
            yield join, one
        else:
            first, *others = one.children
            waiting += [(inner, other) for other in reversed(others)]
            waiting.append((join, first))


def _leaf(node: Any) -> Query:
    match node:
        case tree.Fuzzy(term=term, degree=degree):
            return _fuzzy(read_word(term.value), degree)
        case tree.Proximity(term=phrase, degree=degree):
            return Phrase(_unquoted(phrase.value), slop=degree)
        case tree.Phrase(value=value):
            return Phrase(_unquoted(value))
        case tree.Regex(value=value):
            return lucene_regex.translated(value[1:-1])
        case _:
            return read_word(node.value)


def _fuzzy(word: Query, degree: Decimal) -> Query:
    """A degree under 1 is a similarity, as in Lucene's older versions."""
    if isinstance(word, Wildcard):
        raise InvalidArgument("The search text has a word with both a wildcard and a tilde.")
    if not isinstance(word, Words):
        return word
    edits = int(degree) if degree >= 1 or not degree else int((1 - degree) * len(word.text))
    return Fuzzy(word.text, min(edits, MAX_EDITS))


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
