"""An analyzer made of parts: char filters, one tokenizer, token filters, in that order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.analyzer import Analyzer, Term, Token
from retrieval.local.search_service.text.lexical.char_filters import CharFilter
from retrieval.local.search_service.text.lexical.limits import (
    MAX_SEARCH_TOKENS,
    MAX_TERM,
    MAX_TOKENS,
    STEPS,
    check_count,
)
from retrieval.local.search_service.text.lexical.read_text import ReadText
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter
from retrieval.local.search_service.text.lexical.tokenizers import Tokenizer

MAX_FILTERS: Final = 30
"""Char filters and token filters of one analyzer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """`fold` is what the token filters do to the case of a word."""

    char_filters: Sequence[CharFilter] = ()
    tokenizer: Tokenizer
    token_filters: Sequence[TokenFilter] = ()
    fold: Callable[[str], str] = str


class Chain(Analyzer):
    """`recipe` says what the parts are: two chains of one recipe are the same analyzer."""

    stacks = True

    def __init__(self, recipe: str, parts: Parts) -> None:
        super().__init__(None, str, parts.fold)
        self._recipe = recipe
        self._parts = parts

    @property
    def passes(self) -> int:
        """How often a text is read from end to end: by every char filter and the tokenizer."""
        return 1 + len(self._parts.char_filters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and other._recipe == self._recipe

    def __hash__(self) -> int:
        return hash(self._recipe)

    def tokens(self, text: str, most: int = MAX_TOKENS) -> list[Token]:
        """In the order of their positions. Raises InvalidArgument where a step makes more than `most`."""
        read = ReadText(text, len(text))
        for char_filter in self._parts.char_filters:
            read = char_filter(read)
        tokens = self._parts.tokenizer(read.text, most)
        made = len(tokens)
        for token_filter in self._parts.token_filters:
            tokens = token_filter(tokens, most)
            made += len(tokens)
            check_count(len(tokens), most)
            check_count(made, STEPS * most)
        if not read.layers:
            return tokens
        return [replace(one, start=read.original(one.start), end=read.original(one.end)) for one in tokens]

    def index_tokens(self, text: str) -> list[Token]:
        """Those that an index can hold. Raises InvalidArgument for a token of more than MAX_TERM characters."""
        tokens = self.tokens(text)
        longest = max((token.term for token in tokens), key=len, default="")
        if len(longest) > MAX_TERM:
            raise InvalidArgument(
                f"The analyzer of a field makes a token of {len(longest)} characters, {longest[:40]!r}…; "
                f"an index holds tokens of at most {MAX_TERM}."
            )
        return tokens

    def terms(self, text: str) -> list[str]:
        return [token.term for token in self.tokens(text, MAX_SEARCH_TOKENS)]

    def places(self, text: str) -> Sequence[Sequence[str]]:
        tokens = self.tokens(text, MAX_SEARCH_TOKENS)
        places: list[list[str]] = [[] for _ in range(tokens[-1].position + 1 if tokens else 0)]
        for token in tokens:
            places[token.position].append(token.term)
        return places

    def _positions(self, text: str) -> Sequence[Term]:
        """The first of the terms at every position."""
        return [terms[0] if terms else None for terms in self.places(text)]
