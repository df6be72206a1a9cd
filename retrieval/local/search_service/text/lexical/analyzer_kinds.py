"""The kinds of analyzers that an index may define: one made of parts, and built-in ones with other options."""

from typing import Final

from pydantic import Field

from retrieval.local.search_service.text.analysis import ENGLISH_STOP_WORDS, MAX_TOKEN
from retrieval.local.search_service.text.lexical import removing, token_filters, tokenizers
from retrieval.local.search_service.text.lexical.chain import Parts
from retrieval.local.search_service.text.lexical.kinds import Flags, Length, Wire, Words
from retrieval.local.search_service.text.lexical.predefined import NON_WORDS
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter


class AnalyzerWire(Wire):
    def parts(self) -> Parts:
        raise NotImplementedError


class CustomWire(AnalyzerWire):
    tokenizer: str
    token_filters: list[str] = Field([])
    char_filters: list[str] = Field([])


def _stopped(words: list[str]) -> list[TokenFilter]:
    return [removing.stopwords(words, ignore_case=False, trailing=True)] if words else []


class _Pattern(AnalyzerWire):
    lowercase: bool = True
    pattern: str = NON_WORDS
    flags: Flags = Field([])
    stopwords: Words = Field([])

    def parts(self) -> Parts:
        lower = [token_filters.lowercase()] if self.lowercase else []
        return Parts(
            tokenizer=tokenizers.pattern(self.pattern, tuple(self.flags), -1),
            token_filters=[*lower, *_stopped(self.stopwords)],
            fold=str.lower if self.lowercase else str,
        )


class _Standard(AnalyzerWire):
    max_token_length: Length = MAX_TOKEN
    stopwords: Words = Field([])

    def parts(self) -> Parts:
        return Parts(
            tokenizer=tokenizers.standard(self.max_token_length),
            token_filters=[token_filters.lowercase(), *_stopped(self.stopwords)],
            fold=str.lower,
        )


class _Stop(AnalyzerWire):
    stopwords: Words = sorted(ENGLISH_STOP_WORDS)

    def parts(self) -> Parts:
        return Parts(
            tokenizer=tokenizers.lowercase(tokenizers.letter(MAX_TOKEN)),
            token_filters=_stopped(self.stopwords),
            fold=str.lower,
        )


ANALYZERS: Final[dict[str, type[AnalyzerWire]]] = {
    "CustomAnalyzer": CustomWire,
    "PatternAnalyzer": _Pattern,
    "StandardAnalyzer": _Standard,
    "StopAnalyzer": _Stop,
}
