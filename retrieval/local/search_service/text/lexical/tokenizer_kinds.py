"""The kinds of tokenizers that an index may define, with their options."""

from typing import ClassVar, Final, Literal

from pydantic import Field

from retrieval.local.search_service.text.analysis import MAX_TOKEN
from retrieval.local.search_service.text.lexical import tokenizers
from retrieval.local.search_service.text.lexical.kinds import Flags, Length, Wire, check_grams
from retrieval.local.search_service.text.lexical.predefined import MAX_KEYWORD, NON_WORDS
from retrieval.local.search_service.text.lexical.tokenizers import Tokenizer


class TokenizerWire(Wire):
    def tokenizer(self) -> Tokenizer:
        raise NotImplementedError


class _Standard(TokenizerWire):
    max_token_length: Length = MAX_TOKEN

    def tokenizer(self) -> Tokenizer:
        return tokenizers.standard(self.max_token_length)


class _Keyword(TokenizerWire):
    buffer_size: int = MAX_KEYWORD

    def tokenizer(self) -> Tokenizer:
        return tokenizers.keyword(MAX_KEYWORD)


class _KeywordV2(TokenizerWire):
    max_token_length: Length = MAX_KEYWORD

    def tokenizer(self) -> Tokenizer:
        return tokenizers.keyword(self.max_token_length)


class _Pattern(TokenizerWire):
    pattern: str = NON_WORDS
    flags: Flags = Field([])
    group: int = -1

    def tokenizer(self) -> Tokenizer:
        return tokenizers.pattern(self.pattern, tuple(self.flags), self.group)


class _NGramTokens(TokenizerWire):
    edge: ClassVar[bool] = False

    min_gram: Length = 1
    max_gram: Length = 2
    token_chars: list[Literal["letter", "digit", "whitespace", "punctuation", "symbol"]] = Field([])

    def tokenizer(self) -> Tokenizer:
        check_grams(self.min_gram, self.max_gram, self.name)
        return tokenizers.grams(self.min_gram, self.max_gram, tuple(self.token_chars), edge=self.edge)


class _EdgeNGramTokens(_NGramTokens):
    edge: ClassVar[bool] = True


TOKENIZERS: Final[dict[str, type[TokenizerWire]]] = {
    "EdgeNGramTokenizer": _EdgeNGramTokens,
    "KeywordTokenizer": _Keyword,
    "KeywordTokenizerV2": _KeywordV2,
    "NGramTokenizer": _NGramTokens,
    "PatternTokenizer": _Pattern,
    "StandardTokenizer": _Standard,
    "StandardTokenizerV2": _Standard,
}
