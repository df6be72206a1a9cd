"""The kinds of token filters that an index may define, with their options."""

from typing import Annotated, Final, Literal

from pydantic import Field

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.lexical import grams, removing, stemming, synonym_filter, token_filters
from retrieval.local.search_service.text.lexical.kinds import Length, Wire, Words, check_grams
from retrieval.local.search_service.text.lexical.limits import MAX_TERM
from retrieval.local.search_service.text.lexical.predefined import FRENCH_ARTICLES
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter

_STOP_LISTS: Final = frozenset(
    "arabic armenian basque brazilian bulgarian catalan czech danish dutch english finnish french galician german "
    "greek hindi hungarian indonesian irish italian latvian norwegian persian portuguese romanian russian sorani "
    "spanish swedish thai turkish".split()
)


class FilterWire(Wire):
    def token_filter(self) -> TokenFilter:
        raise NotImplementedError


class _AsciiFolding(FilterWire):
    preserve_original: bool = False

    def token_filter(self) -> TokenFilter:
        return token_filters.asciifolding(preserve=self.preserve_original)


class _Elision(FilterWire):
    articles: Words = Field(list(FRENCH_ARTICLES))

    def token_filter(self) -> TokenFilter:
        return token_filters.elision(self.articles)


class _NGram(FilterWire):
    min_gram: Length = 1
    max_gram: Length = 2

    def token_filter(self) -> TokenFilter:
        check_grams(self.min_gram, self.max_gram, self.name)
        return grams.everywhere(self.min_gram, self.max_gram)


class _EdgeNGram(FilterWire):
    min_gram: Length = 1
    max_gram: Length = 2
    side: Literal["front", "back"] = "front"

    def token_filter(self) -> TokenFilter:
        check_grams(self.min_gram, self.max_gram, self.name)
        return grams.edge(self.min_gram, self.max_gram, back=self.side == "back")


class _Length(FilterWire):
    least: Annotated[int, Field(ge=0, le=MAX_TERM, alias="min")] = 0
    most: Annotated[int, Field(ge=0, le=MAX_TERM, alias="max")] = MAX_TERM

    def token_filter(self) -> TokenFilter:
        if self.least >= self.most:
            raise InvalidArgument(f"Of {self.name[:128]!r} min ({self.least}) must be less than max ({self.most}).")
        return token_filters.length(self.least, self.most)


class _Limit(FilterWire):
    max_token_count: Annotated[int, Field(ge=1)] = 1
    consume_all_tokens: bool = False

    def token_filter(self) -> TokenFilter:
        return removing.limit(self.max_token_count)


class _PatternReplaceTokens(FilterWire):
    pattern: str
    replacement: str

    def token_filter(self) -> TokenFilter:
        return token_filters.pattern_replace(self.pattern, self.replacement)


class _Snowball(FilterWire):
    language: str

    def token_filter(self) -> TokenFilter:
        return stemming.snowball(self.language)


class _Stemmer(FilterWire):
    language: str

    def token_filter(self) -> TokenFilter:
        return stemming.stemmer(self.language)


class _Stopwords(FilterWire):
    stopwords: Words | None = None
    stopwords_list: str | None = None
    ignore_case: bool = False
    remove_trailing: bool = True

    def token_filter(self) -> TokenFilter:
        return removing.stopwords(self._words(), ignore_case=self.ignore_case, trailing=self.remove_trailing)

    def _words(self) -> frozenset[str]:
        if self.stopwords is not None and self.stopwords_list is not None:
            raise InvalidArgument(f"{self.name[:128]!r} has stopwords and a stopwordsList; only one may be given.")
        if self.stopwords is not None:
            return frozenset(self.stopwords)
        language = self.stopwords_list or "english"
        if language not in _STOP_LISTS:
            raise InvalidArgument(f"There is no stopwordsList {language[:40]!r}.")
        if language not in removing.STOP_WORDS:
            raise Unsupported(f"the stopwordsList {language!r}; give the words as stopwords")
        return removing.STOP_WORDS[language]


class _Synonym(FilterWire):
    synonyms: list[str]
    ignore_case: bool = False
    expand: bool = True

    def token_filter(self) -> TokenFilter:
        return synonym_filter.synonym(self.synonyms, ignore_case=self.ignore_case, expand=self.expand)


class _Truncate(FilterWire):
    length: Length = MAX_TERM

    def token_filter(self) -> TokenFilter:
        return token_filters.truncate(self.length)


class _Unique(FilterWire):
    only_on_same_position: bool = False

    def token_filter(self) -> TokenFilter:
        return removing.unique(same_position=self.only_on_same_position)


TOKEN_FILTERS: Final[dict[str, type[FilterWire]]] = {
    "AsciiFoldingTokenFilter": _AsciiFolding,
    "EdgeNGramTokenFilter": _EdgeNGram,
    "EdgeNGramTokenFilterV2": _EdgeNGram,
    "ElisionTokenFilter": _Elision,
    "LengthTokenFilter": _Length,
    "LimitTokenFilter": _Limit,
    "NGramTokenFilter": _NGram,
    "NGramTokenFilterV2": _NGram,
    "PatternReplaceTokenFilter": _PatternReplaceTokens,
    "SnowballTokenFilter": _Snowball,
    "StemmerTokenFilter": _Stemmer,
    "StopwordsTokenFilter": _Stopwords,
    "SynonymTokenFilter": _Synonym,
    "TruncateTokenFilter": _Truncate,
    "UniqueTokenFilter": _Unique,
}
