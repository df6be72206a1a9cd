"""Which words of a text a query is about: for highlights. Of a negated part nothing is, nor of a regular expression."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import TypeAlias

from retrieval.local.search_service.query.tree import (
    Boosted,
    Both,
    Clauses,
    Either,
    Fuzzy,
    Leaf,
    Phrase,
    Prefix,
    Query,
    Wildcard,
    Within,
    Words,
)
from retrieval.local.search_service.text.analysis import Analyzer, Token

MAX_CHECKS = 20_000
"""Of a phrase at a place, or of a pattern on a term, in one text."""

MAX_PHRASE = 64
"""Words; those of a longer phrase are looked for one by one."""

MAX_WAYS = 64
"""Phrases that one phrase may be, where several terms stand at one position; of more, words are looked for."""

Matches = Callable[[str], bool]

_Phrase: TypeAlias = tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Wanted:
    """What one field is searched for. `phrases` hold terms with their places, the first at 0."""

    terms: set[str] = field(default_factory=set)
    phrases: set[_Phrase] = field(default_factory=set)
    starts: set[str] = field(default_factory=set)
    patterns: list[Matches] = field(default_factory=list)

    def among(self, tokens: Sequence[Token]) -> list[Token]:
        """Those that match, in their order; in a text that would take more than MAX_CHECKS, those found by then."""
        in_phrases = self._in_phrases(tokens) if self.phrases else frozenset[tuple[int, str]]()
        in_patterns = self._in_patterns(tokens) if self.patterns else frozenset[str]()
        starts = tuple(self.starts)
        return [
            token
            for token in tokens
            if token.term in self.terms
            or (token.position, token.term) in in_phrases
            or token.term in in_patterns
            or (starts and token.term.startswith(starts))
        ]

    def _in_patterns(self, tokens: Sequence[Token]) -> frozenset[str]:
        different = list(dict.fromkeys(token.term for token in tokens))
        checked = different[: max(1, MAX_CHECKS // len(self.patterns))]
        return frozenset(term for term in checked if any(fits(term) for fits in self.patterns))

    def _in_phrases(self, tokens: Sequence[Token]) -> frozenset[tuple[int, str]]:
        terms = {(token.position, token.term) for token in tokens}
        places: dict[str, list[int]] = {}
        for token in tokens:
            places.setdefault(token.term, []).append(token.position)
        begun = ((start, phrase) for phrase in sorted(self.phrases) for start in places.get(phrase[0][1], ()))
        found: set[tuple[int, str]] = set()
        for start, phrase in islice(begun, MAX_CHECKS):
            if all((start + place, term) in terms for place, term in phrase):
                found.update((start + place, term) for place, term in phrase)
        return frozenset(found)


def wanted(query: Query, *, field: str, fields: Sequence[str], analyzer: Analyzer) -> Wanted:
    """What `query` asks of `field`, where the search looks in `fields` unless a part names its own."""
    found = Wanted()
    for leaf in _leaves(query, field, field in fields):
        _add(leaf, found, analyzer)
    return found


def _leaves(query: Query, field: str, here: bool) -> Iterator[Leaf]:
    match query:
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _leaves(part, field, here)
        case Clauses(must=must, should=should):
            for part in (*must, *should):
                yield from _leaves(part, field, here)
        case Within(part, name):
            yield from _leaves(part, field, name == field)
        case Boosted(part):
            yield from _leaves(part, field, here)
        case Words() | Phrase() | Prefix() | Wildcard() | Fuzzy():
            if here:
                yield query


def _add(leaf: Leaf, found: Wanted, analyzer: Analyzer) -> None:
    match leaf:
        case Words(text):
            found.terms.update(analyzer.terms(text))
        case Phrase(text, slop):
            places = [(place, terms) for place, terms in enumerate(analyzer.places(text)) if terms]
            ways = prod(len(terms) for _, terms in places)
            if slop or not 1 < len(places) <= MAX_PHRASE or ways > MAX_WAYS:
                found.terms.update(term for _, terms in places for term in terms)
            else:
                first = places[0][0]
                steps = [[(place - first, term) for term in terms] for place, terms in places]
                found.phrases.update(product(*steps))
        case Prefix(text):
            found.starts.add(analyzer.fold(text))
        case Wildcard(parts, gaps):
            shape = [analyzer.fold(part) for part in parts]
            found.patterns.append(lambda term: fits(term, shape, gaps))
        case Fuzzy(text, edits):
            word = analyzer.fold(text)
            found.patterns.append(lambda term: within(term, word, edits))


def fits(term: str, parts: Sequence[str], gaps: str) -> bool:
    """Whether a term has the shape of a wildcard. Time: its length by that of the shape."""
    reached = {len(parts[0])} if term.startswith(parts[0]) else set()
    for gap, part in zip(gaps, parts[1:], strict=True):
        if gap == "?":
            begun = {place + 1 for place in reached if place < len(term)}
        else:
            begun = set(range(min(reached), len(term) + 1)) if reached else set()
        reached = {place + len(part) for place in begun if term.startswith(part, place)}
    return len(term) in reached


def within(one: str, other: str, edits: int) -> bool:
    """Whether at most `edits` insertions, deletions, substitutions and swaps of neighbours make one of the other."""
    if abs(len(one) - len(other)) > edits:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        previous, before = before, row
        row = [i]
        for j, right in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, previous[j - 2] + 1)
            row.append(best)
        if min(row) > edits:
            return False
    return row[-1] <= edits
