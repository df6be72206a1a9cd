"""The parts that have a name without being defined, and those that this service lacks.

https://learn.microsoft.com/azure/search/index-add-custom-analyzers
"""

from collections.abc import Callable, Mapping
from typing import Final

from retrieval.local.search_service.text.analysis import ENGLISH_STOP_WORDS, MAX_TOKEN
from retrieval.local.search_service.text.lexical import grams, removing, stemming, token_filters, tokenizers
from retrieval.local.search_service.text.lexical import html as markup
from retrieval.local.search_service.text.lexical.char_filters import CharFilter
from retrieval.local.search_service.text.lexical.limits import MAX_TERM
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter
from retrieval.local.search_service.text.lexical.tokenizers import Tokenizer

NON_WORDS: Final = r"\W+"
MAX_KEYWORD: Final = 256
FRENCH_ARTICLES: Final = tuple("l m t qu n s j d c jusqu quoiqu lorsqu puisqu".split())

CHAR_FILTERS: Final[Mapping[str, Callable[[], CharFilter]]] = {"html_strip": lambda: markup.strip}

TOKENIZERS: Final[Mapping[str, Callable[[], Tokenizer]]] = {
    "edgeNGram": lambda: tokenizers.grams(1, 2, (), edge=True),
    "keyword": lambda: tokenizers.keyword(MAX_KEYWORD),
    "keyword_v2": lambda: tokenizers.keyword(MAX_KEYWORD),
    "letter": lambda: tokenizers.letter(MAX_TOKEN),
    "lowercase": lambda: tokenizers.lowercase(tokenizers.letter(MAX_TOKEN)),
    "nGram": lambda: tokenizers.grams(1, 2, (), edge=False),
    "pattern": lambda: tokenizers.pattern(NON_WORDS, (), -1),
    "standard": lambda: tokenizers.standard(MAX_TOKEN),
    "standard_v2": lambda: tokenizers.standard(MAX_TOKEN),
    "whitespace": lambda: tokenizers.whitespace(MAX_TOKEN),
}

TOKEN_FILTERS: Final[Mapping[str, Callable[[], TokenFilter]]] = {
    "apostrophe": token_filters.apostrophe,
    "asciifolding": lambda: token_filters.asciifolding(preserve=False),
    "edgeNGram": lambda: grams.edge(1, 2, back=False),
    "edgeNGram_v2": lambda: grams.edge(1, 2, back=False),
    "elision": lambda: token_filters.elision(FRENCH_ARTICLES),
    "length": lambda: token_filters.length(0, MAX_TERM),
    "limit": lambda: removing.limit(1),
    "lowercase": token_filters.lowercase,
    "nGram": lambda: grams.everywhere(1, 2),
    "nGram_v2": lambda: grams.everywhere(1, 2),
    "porter_stem": lambda: stemming.snowball("porter"),
    "reverse": token_filters.reverse,
    "snowball": lambda: stemming.snowball("english"),
    "stemmer": lambda: stemming.stemmer("english"),
    "stopwords": lambda: removing.stopwords(ENGLISH_STOP_WORDS, ignore_case=False, trailing=True),
    "trim": token_filters.trim,
    "truncate": lambda: token_filters.truncate(MAX_TERM),
    "unique": lambda: removing.unique(same_position=False),
    "uppercase": token_filters.uppercase,
}

NORMALIZERS: Final[Mapping[str, tuple[str, ...]]] = {
    "asciifolding": ("asciifolding",),
    "elision": ("elision",),
    "lowercase": ("lowercase",),
    "standard": ("lowercase", "asciifolding"),
    "uppercase": ("uppercase",),
}
"""Names, each with its token filters."""

LACKING_TOKENIZERS: Final = frozenset(
    "classic microsoft_language_tokenizer microsoft_language_stemming_tokenizer path_hierarchy path_hierarchy_v2 "
    "uax_url_email".split()
)
LACKING_TOKEN_FILTERS: Final = frozenset(
    "arabic_normalization cjk_bigram cjk_width classic common_grams german_normalization hindi_normalization "
    "indic_normalization keyword_repeat kstem persian_normalization phonetic scandinavian_normalization "
    "scandinavian_folding shingle sorani_normalization word_delimiter".split()
)
"""Names of Azure's that nothing here stands behind."""
