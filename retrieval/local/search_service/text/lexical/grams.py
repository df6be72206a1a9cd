"""Token filters that make pieces of a token; all stand at its position and its places, as in Lucene."""

from collections.abc import Callable, Iterator

from retrieval.local.search_service.text.analyzer import Token
from retrieval.local.search_service.text.lexical.limits import check_count
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter


def everywhere(least: int, most: int) -> TokenFilter:
    """Every piece of `least` to `most` characters, by where it begins and then by its length."""

    def pieces(term: str) -> Iterator[str]:
        for start in range(len(term) - least + 1):
            for length in range(least, min(most, len(term) - start) + 1):
                yield term[start : start + length]

    return _stacked(pieces)


def edge(least: int, most: int, *, back: bool) -> TokenFilter:
    """Every piece of `least` to `most` characters from the beginning, or from the end."""

    def pieces(term: str) -> Iterator[str]:
        for length in range(least, min(most, len(term)) + 1):
            yield term[-length:] if back else term[:length]

    return _stacked(pieces)


def _stacked(pieces: Callable[[str], Iterator[str]]) -> TokenFilter:
    def filtered(tokens: list[Token], most: int) -> list[Token]:
        made: list[Token] = []
        for token in tokens:
            for piece in pieces(token.term):
                check_count(len(made) + 1, most)
                made.append(token.becoming(piece))
        return made

    return filtered
