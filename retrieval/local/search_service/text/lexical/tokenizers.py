"""Tokenizers: how a text is cut. Every token has a position of its own, and its places in the text it was cut from."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.analysis import BLANKS, LETTERS, WORDS
from retrieval.local.search_service.text.analyzer import Token
from retrieval.local.search_service.text.lexical.java_pattern import compiled
from retrieval.local.search_service.text.lexical.limits import check_count
from retrieval.local.search_service.text.pairs import Span, paired_spans

Tokenizer: TypeAlias = Callable[[str, int], list[Token]]
"""What it makes of a text; the number is that of the tokens it may make. Raises InvalidArgument beyond."""

_KINDS: Final[dict[str, Callable[[str], bool]]] = {
    "letter": str.isalpha,
    "digit": lambda sign: unicodedata.category(sign) == "Nd",
    "whitespace": str.isspace,
    "punctuation": lambda sign: unicodedata.category(sign).startswith("P"),
    "symbol": lambda sign: unicodedata.category(sign).startswith("S"),
}


def _tokens(text: str, most: int, spans: Iterable[Span]) -> list[Token]:
    tokens: list[Token] = []
    for place, (start, end) in enumerate(spans):
        check_count(place + 1, most)
        tokens.append(Token(term=text[start:end], position=place, start=start, end=end))
    return tokens


def _cut(spans: Iterable[Span], longest: int) -> Iterator[Span]:
    """Longer ones are cut into pieces."""
    for start, end in spans:
        for at in range(start, end, longest):
            yield at, min(at + longest, end)


def standard(longest: int) -> Tokenizer:
    """Words, as the standard analyzer cuts them."""
    return lambda text, most: _tokens(text, most, _cut(paired_spans(text, WORDS), longest))


def whitespace(longest: int) -> Tokenizer:
    return lambda text, most: _tokens(text, most, _cut((match.span() for match in BLANKS.finditer(text)), longest))


def letter(longest: int) -> Tokenizer:
    return lambda text, most: _tokens(text, most, _cut((match.span() for match in LETTERS.finditer(text)), longest))


def keyword(longest: int) -> Tokenizer:
    """The text as it is."""
    return lambda text, most: _tokens(text, most, _cut([(0, len(text))], longest))


def pattern(expression: str, flags: tuple[str, ...], group: int) -> Tokenizer:
    """What stands between the matches, or with a group from 0 on what is in it; nothing empty.

    Raises InvalidArgument, Unsupported.
    """
    form = compiled(expression, flags)
    if not -1 <= group <= form.groups:
        raise InvalidArgument(f"The group {group} of a pattern tokenizer is none of its pattern's.")

    def between(text: str) -> Iterator[Span]:
        at = 0
        for spans in form.matches(text):
            yield at, spans[0]
            at = spans[1]
        yield at, len(text)

    def spans(text: str) -> Iterable[Span]:
        if group < 0:
            return between(text)
        return ((one[2 * group], one[2 * group + 1]) for one in form.matches(text))

    return lambda text, most: _tokens(text, most, ((start, end) for start, end in spans(text) if start < end))


def grams(least: int, most: int, kinds: tuple[str, ...], *, edge: bool) -> Tokenizer:
    """Pieces of `least` to `most` characters of every run of the kinds (none named: the whole text).

    With `edge` only those at the beginning of a run.
    """
    tests = [_KINDS[kind] for kind in kinds]

    def pieces(text: str) -> Iterator[Span]:
        for start, end in _runs(text, tests) if tests else [(0, len(text))]:
            for at in range(start, start + 1 if edge else end):
                for length in range(least, min(most, end - at) + 1):
                    yield at, at + length

    return lambda text, most: _tokens(text, most, pieces(text))


def _runs(text: str, tests: list[Callable[[str], bool]]) -> Iterator[Span]:
    start = -1
    for place, sign in enumerate(text):
        if any(test(sign) for test in tests):
            start = place if start < 0 else start
        elif start >= 0:
            yield start, place
            start = -1
    if start >= 0:
        yield start, len(text)


def lowercase(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokens in lower case."""

    return lambda text, most: [one.becoming(one.term.lower()) for one in tokenizer(text, most)]
