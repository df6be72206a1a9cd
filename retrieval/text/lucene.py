"""A search text with boosts, in the full Lucene syntax: https://learn.microsoft.com/azure/search/query-lucene-syntax.

A boost has the form `language:(ja\\-JP)^2`. This form comes from the how-to "Query a knowledge base" of September 2026.
There, a search text contains the words of the query and the generated boost.
"""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.model.search import Boost

_SPECIAL: Final = re.compile(r'[-+&|!(){}\[\]^"~*?:\\/<>=]')
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})


def boosted_text(search: str, boosts: Sequence[Boost]) -> str:
    """The query for the words of `search`, with the boosts; only the boosts if there are no words. A document that
    matches a boost ranks higher."""
    words = weighed_text([(word, 1) for word in search.split() if any(map(str.isalnum, word))])
    return f"+({words}) {clause(boosts)}" if words else clause(boosts)


def weighed_text(words: Sequence[tuple[str, float]]) -> str:
    """The query for words with weights. A weight of 1 is not written."""
    escaped = ((word.lower() if word in _OPERATORS else _escape(word), weight) for word, weight in words)
    return " ".join(word if weight == 1 else f"{word}^{weight:.2f}" for word, weight in escaped)


def clause(boosts: Sequence[Boost]) -> str:
    """The text of the boosts; empty if there are no boosts."""
    return " ".join(map(_boost, boosts))


def _boost(boost: Boost) -> str:
    field = "" if boost.field is None else f"{boost.field}:"
    factor = f"{boost.factor:.6f}".rstrip("0").rstrip(".")
    return f"{field}({' OR '.join(map(_value, boost.values))})^{factor}"


def _value(value: str) -> str:
    """The escaped text of a word, or of a phrase in quotation marks."""
    words = value.split()
    if len(words) == 1 and value not in _OPERATORS:
        return _escape(value)
    inner = " ".join(words).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _escape(word: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", word)
