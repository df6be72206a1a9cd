"""The facts of the indexes that prompts show: the languages of the texts, and values of fields. Values that a
conversation could mean come first; a few others show what a field holds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from retrieval.model.json_value import JsonValue
from retrieval.model.search import Facets
from retrieval.text.content_words import SILENT, unspaced, vocabulary

MOST_FIELDS: Final = 8
MOST_NAMED: Final = 8
SAMPLES: Final = 3
"""The values of a field that are shown where the conversation could mean fewer of them."""

LEAST: Final = 1 / 3
"""The least share of a value's words in a conversation that could mean it."""

LONGEST_VALUE: Final = 60
"""A longer value is left out: a part of it is no value of the field."""

LONGEST_READ: Final = 4_000
SHORTEST: Final = 4
"""The fewest letters of a value whose letters are looked for without regard to blanks ("The Verge", "theverge.com")."""

_ADDRESS: Final = re.compile(r"^(?:\w+://|www\.)|^[\w.-]+\.\w+/", re.ASCII)
_DOMAIN: Final = re.compile(r"\.[a-z]{2,6}$", re.IGNORECASE)
_NO_LETTER: Final = re.compile(r"[\W_]+")


class _Value(NamedTuple):
    text: str
    words: frozenset[str]
    letters: str


def facts_of(facets: Sequence[Facets], said: str) -> dict[str, JsonValue]:
    """The `languages` of the indexes and `values` of their fields; each is missing where nothing is known. `said` is
    the text of the conversation, of which the end is read. An address is shown only if it is meant."""
    languages = list(dict.fromkeys(code for of_index in facets for code in of_index.languages))
    fields = {name: of_index for of_index in facets for name in of_index.values}
    end = said[-LONGEST_READ:]
    words, letters = vocabulary(end) - SILENT, _letters(end)
    meant = {name: _meant(_values(of_index)[name], words, letters) for name, of_index in fields.items()}
    in_order = sorted(fields, key=lambda name: not meant[name])[:MOST_FIELDS]
    shown = {name: [*meant[name], *_others(_values(fields[name])[name], meant[name])] for name in in_order}
    values: dict[str, JsonValue] = {name: [*texts] for name, texts in shown.items() if texts}
    facts: dict[str, JsonValue] = {"languages": [*languages]} if languages else {}
    return {**facts, "values": values} if values else facts


def read_ahead(facets: Facets) -> None:
    """Reads the values of an index, which are kept for prompts. The first reading of 6,000 values takes up to 85 ms of
    processor time."""
    _values(facets)


def _meant(values: Sequence[_Value], words: frozenset[str], letters: str) -> list[str]:
    """The values that could be meant, best first."""
    shares = [(_share(value, words, letters), value.text) for value in values]
    best = sorted((entry for entry in shares if entry[0] >= LEAST), key=lambda entry: -entry[0])
    return [text for _, text in best[:MOST_NAMED]]


def _others(values: Sequence[_Value], meant: Sequence[str]) -> Iterator[str]:
    """The other values, so many that there are SAMPLES in all."""
    others = (text for text, _, _ in values if text not in meant and not _ADDRESS.search(text))
    return islice(others, max(SAMPLES - len(meant), 0))


def _share(value: _Value, words: frozenset[str], letters: str) -> float:
    """The share of the value's words that are said; 1 if its letters are."""
    if value.letters and value.letters in letters:
        return 1.0
    return len(value.words & words) / len(value.words) if value.words else 0.0


@lru_cache(maxsize=64)
def _values(facets: Facets) -> Mapping[str, Sequence[_Value]]:
    return {
        name: [_value(text) for text in texts if len(text) <= LONGEST_VALUE] for name, texts in facets.values.items()
    }


def _value(text: str) -> _Value:
    letters = _letters(_DOMAIN.sub("", text))
    is_long = len(letters) >= (2 if unspaced(text) else SHORTEST)
    words = frozenset[str]() if _ADDRESS.search(text) else vocabulary(text) - SILENT
    return _Value(text, words, letters if is_long else "")


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.casefold())
