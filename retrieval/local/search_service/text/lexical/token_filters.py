"""Token filters that look at one token at a time; positions stay, so that what is removed leaves a gap."""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from retrieval.local.search_service.text.analyzer import Token
from retrieval.local.search_service.text.lexical import ascii_folding
from retrieval.local.search_service.text.lexical.replacing import Replacing

TokenFilter: TypeAlias = Callable[[list[Token], int], list[Token]]
"""What it makes of the tokens; the number is that of the tokens it may make. Raises InvalidArgument beyond."""

_KEPT_WORDS = 50_000
_APOSTROPHE = re.compile(r"['’].*", re.DOTALL)


def changing(change: Callable[[str], str]) -> TokenFilter:
    """Every term becomes what `change` makes of it; that is remembered for a while."""
    known: dict[str, str] = {}

    def changed(term: str) -> str:
        found = known.get(term)
        if found is None:
            if len(known) >= _KEPT_WORDS:
                known.clear()
            found = known[term] = change(term)
        return found

    return lambda tokens, most: [
        token if (term := changed(token.term)) == token.term else token.becoming(term) for token in tokens
    ]


def lowercase() -> TokenFilter:
    return changing(str.lower)


def uppercase() -> TokenFilter:
    return changing(str.upper)


def trim() -> TokenFilter:
    return changing(str.strip)


def reverse() -> TokenFilter:
    return changing(lambda term: term[::-1])


def truncate(length: int) -> TokenFilter:
    return changing(lambda term: term[:length])


def apostrophe() -> TokenFilter:
    """What follows an apostrophe goes, and the apostrophe."""
    return changing(lambda term: _APOSTROPHE.sub("", term))


def elision(articles: Iterable[str]) -> TokenFilter:
    """An article goes that is joined to its noun by an apostrophe, in any case."""
    joined = frozenset(article.lower() for article in articles)

    def without(term: str) -> str:
        place = next((place for place, sign in enumerate(term) if sign in "'’"), -1)
        return term[place + 1 :] if place >= 0 and term[:place].lower() in joined else term

    return changing(without)


def pattern_replace(pattern: str, replacement: str) -> TokenFilter:
    """Raises InvalidArgument, Unsupported."""
    return changing(Replacing(pattern, replacement).applied)


def asciifolding(*, preserve: bool) -> TokenFilter:
    """With `preserve` the term as it was follows the folded one, at its position."""
    folded = changing(ascii_folding.folded)
    if not preserve:
        return folded

    def both(tokens: list[Token], most: int) -> list[Token]:
        pairs = zip(folded(tokens, most), tokens, strict=True)
        return [one for new, old in pairs for one in ((new, old) if new.term != old.term else (old,))]

    return both


def length(shortest: int, longest: int) -> TokenFilter:
    """Only terms of `shortest` to `longest` characters stay."""
    return lambda tokens, most: [token for token in tokens if shortest <= len(token.term) <= longest]
