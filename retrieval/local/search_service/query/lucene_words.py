"""A word of the full Lucene syntax: escapes taken out, wildcards recognized."""

import re

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query.tree import All, Fuzzy, Prefix, Query, Regex, Wildcard, Words

MAX_WILDCARDS = 20
"""`?` and `*` in one word; more could make an automaton of exponential size."""

MAX_PATTERN = 1000
"""Characters of a word with wildcards."""

_LEAST_SIZE = 25
"""What an automaton counts for however short it is, and every wildcard in it."""

_SIGN = re.compile(r"\\(?P<escaped>.)|(?P<gap>[?*])|(?P<plain>[^\\?*]+)", re.DOTALL)


def read_word(text: str) -> Query:
    """Raises InvalidArgument for a pattern that is too large."""
    parts, gaps = [""], ""
    for match in _SIGN.finditer(text):
        if match["gap"]:
            gaps += match["gap"]
            parts.append("")
        else:
            parts[-1] += match["escaped"] or match["plain"]
    if not gaps:
        return Words(parts[0])
    if gaps == "*" and not parts[1]:
        return Prefix(parts[0]) if parts[0] else All()
    if len(gaps) > MAX_WILDCARDS or len(text) > MAX_PATTERN:
        raise InvalidArgument(
            f"A word with wildcards has at most {MAX_WILDCARDS} of them and {MAX_PATTERN} characters: {text[:40]!r}…"
        )
    return Wildcard(tuple(parts), gaps)


def pattern_size(query: Query) -> int:
    """How large the automaton of a leaf may become, in characters; 0 for what needs none."""
    match query:
        case Wildcard(parts, gaps):
            return sum(map(len, parts)) + _LEAST_SIZE * (1 + len(gaps))
        case Fuzzy(text):
            return len(text) + _LEAST_SIZE
        case Regex(_, size):
            return size + _LEAST_SIZE
        case _:
            return 0
