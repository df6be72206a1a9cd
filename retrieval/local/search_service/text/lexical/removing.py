"""Token filters that leave tokens out: stop words, repetitions, what is beyond a limit."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from retrieval.local.search_service.text.analysis import ENGLISH_STOP_WORDS
from retrieval.local.search_service.text.analyzer import Token
from retrieval.local.search_service.text.french import STOP_WORDS as FRENCH_STOP_WORDS
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter

STOP_WORDS: Final = {"english": ENGLISH_STOP_WORDS, "french": FRENCH_STOP_WORDS}
"""Lists by their names."""


def stopwords(words: Iterable[str], *, ignore_case: bool, trailing: bool) -> TokenFilter:
    """Stop words leave a gap; the last token stays unless `trailing`."""
    stopped = frozenset(word.lower() if ignore_case else word for word in words)

    def filtered(tokens: list[Token], most: int) -> list[Token]:
        kept = [token for token in tokens if (token.term.lower() if ignore_case else token.term) not in stopped]
        return [*kept, tokens[-1]] if tokens and not trailing and kept[-1:] != tokens[-1:] else kept

    return filtered


def limit(count: int) -> TokenFilter:
    return lambda tokens, most: tokens[:count]


def unique(*, same_position: bool) -> TokenFilter:
    """A term that was there is left out without a gap; with `same_position` only if it was there at its position."""

    def filtered(tokens: list[Token], most: int) -> list[Token]:
        seen: set[tuple[int, str]] = set()
        kept: list[Token] = []
        gone = 0
        for place, token in enumerate(tokens):
            known = (token.position if same_position else 0, token.term)
            alone = (place == 0 or tokens[place - 1].position < token.position) and (
                place + 1 == len(tokens) or tokens[place + 1].position > token.position
            )
            if known not in seen:
                kept.append(replace(token, position=token.position - gone) if gone else token)
            elif alone:
                gone += 1
            seen.add(known)
        return kept

    return filtered
