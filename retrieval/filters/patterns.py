"""SQL patterns: as a test of texts in linear steps, and as the Lucene regex that an index of whole tokens answers.

Case is folded one character at a time, as Lucene's lowercase filter does.
https://learn.microsoft.com/azure/search/query-lucene-syntax#bkmk_regex
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from retrieval.filters.tree import IsMatch, Like, Path

WILDCARDS: Final = frozenset("%_")
_ORDINARY = re.compile(r"[^\W_]")
_PART = re.compile(r"\\(?P<escaped>[^\w%])|(?P<run>\.\*)|(?P<one>\.)|(?P<ordinary>[^\W_])", re.DOTALL)


class _Piece(NamedTuple):
    """What stands between two `%`: a regex in which every character takes exactly one of the text."""

    regex: re.Pattern[str]
    length: int


def matcher(pattern: str, *, ignore_case: bool) -> Callable[[str], bool]:
    """Whether a text fits the pattern, whole. Each piece is looked for once, from left to right: no backtracking."""
    pieces = [_piece(text) for text in re.split("%+", fold(pattern) if ignore_case else pattern)]
    return lambda text: _covers(pieces, fold(text) if ignore_case else text)


def _piece(text: str) -> _Piece:
    return _Piece(re.compile("".join("." if one == "_" else re.escape(one) for one in text), re.DOTALL), len(text))


def _covers(pieces: list[_Piece], text: str) -> bool:
    first, *middle = pieces
    if not middle:
        return len(text) == first.length and first.regex.match(text) is not None
    last = middle.pop()
    position, end = first.length, len(text) - last.length
    if position > end or first.regex.match(text) is None or last.regex.match(text, end) is None:
        return False
    for piece in middle:
        found = piece.regex.search(text, position, end)
        if found is None:
            return False
        position = found.end()
    return True


def fold(text: str) -> str:
    """Lower case, character by character."""
    return text.lower() if text.isascii() else "".join(one.lower()[0] for one in text)


def search(like: Like, field: str) -> IsMatch:
    """The full-text search that finds the same in a field whose values are one lower-case token each."""
    parts = [".*" if one == "%" else "." if one == "_" else _literal(one) for one in fold(like.pattern)]
    return IsMatch(search=f"/{''.join(parts)}/", fields=(field,), query_type="full")


def is_exact(like: Like) -> bool:
    """Whether that search finds what the pattern means and nothing else: only without case, and where case is plain."""
    return like.ignore_case and all(one.isascii() or one.lower() == one.upper() for one in like.pattern)


def read_search(match: IsMatch, path: Path) -> Like | None:
    """The pattern that `search` wrote, or None for any other search. Capitals fit no lower-case token."""
    text = match.search
    if match.query_type != "full" or len(text) < 2 or text[0] != "/" or text[-1] != "/" or fold(text) != text:
        return None
    parts: list[str] = []
    position, end = 1, len(text) - 1
    while position < end:
        found = _PART.match(text, position, end)
        if found is None:
            return None
        parts.append("%" if found["run"] else "_" if found["one"] else found["escaped"] or found["ordinary"])
        position = found.end()
    return Like(path, "".join(parts), ignore_case=True)


def read_prefix(match: IsMatch, path: Path) -> Like | None:
    """The pattern for a search like `abc*`, taken as the beginning of the whole text; None for any other search."""
    word = match.search.removesuffix("*")
    if match.query_type != "simple" or word == match.search or not all(map(_ORDINARY.fullmatch, word)) or not word:
        return None
    return Like(path, f"{word}%", ignore_case=True)


def _literal(character: str) -> str:
    return character if _ORDINARY.fullmatch(character) else f"\\{character}"
