"""The languages that a corpus can be in, each with the analyzer of its texts."""

from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "en"

ANALYZERS: Final[Mapping[str, str]] = {
    ENGLISH: "en.lucene",
    "de": "de.lucene",
    "fr": "fr.lucene",
    "es": "es.lucene",
    "zh": "zh-Hans.lucene",
    "ja": "ja.lucene",
    "ko": "ko.lucene",
}
