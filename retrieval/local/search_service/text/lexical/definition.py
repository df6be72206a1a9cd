"""The sections `analyzers`, `tokenizers`, `tokenFilters` and `charFilters` of an index definition, read and built.

https://learn.microsoft.com/azure/search/index-add-custom-analyzers
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from pydantic import ValidationError

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.text.analysis import ANALYZERS, DEFAULT_ANALYZER, Analyzer
from retrieval.local.search_service.text.lexical import (
    analyzer_kinds,
    kinds,
    predefined,
    token_filter_kinds,
    tokenizer_kinds,
)
from retrieval.local.search_service.text.lexical.analyzer_kinds import AnalyzerWire, CustomWire
from retrieval.local.search_service.text.lexical.chain import MAX_FILTERS, Chain, Parts
from retrieval.local.search_service.text.lexical.char_filters import CharFilter
from retrieval.local.search_service.text.lexical.kinds import CharFilterWire, Wire
from retrieval.local.search_service.text.lexical.token_filter_kinds import FilterWire
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter
from retrieval.local.search_service.text.lexical.tokenizer_kinds import TokenizerWire
from retrieval.local.search_service.text.lexical.tokenizers import Tokenizer

MAX_PARTS: Final = 100
"""Parts of one section."""

SECTIONS: Final = ("analyzers", "tokenizers", "tokenFilters", "charFilters")

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _-]{0,126}[A-Za-z0-9])?")
_LANGUAGE = re.compile(r"(?!standard)[A-Za-z-]+\.(?:lucene|microsoft)")
_FOLDS: Final[Mapping[str, Callable[[str], str]]] = {"lowercase": str.lower, "uppercase": str.upper}

_Part = TypeVar("_Part")
_W = TypeVar("_W", bound=Wire)


@dataclass(frozen=True, slots=True)
class _Shelf(Generic[_Part]):
    """Parts of one kind: those defined, then those that are always there. `recipes` tell definitions apart."""

    what: str
    defined: Mapping[str, _Part]
    always: Mapping[str, Callable[[], _Part]]
    lacking: Set[str]
    recipes: Mapping[str, str]

    def get(self, name: str) -> _Part:
        """Raises InvalidArgument for a name that means nothing, Unsupported for a part that is lacking here."""
        if name in self.defined:
            return self.defined[name]
        if name in self.always:
            return self.always[name]()
        if name in self.lacking:
            raise Unsupported(f"the {self.what} {name!r}")
        raise InvalidArgument(f"There is no {self.what} {name[:128]!r}: it is neither defined nor predefined.")

    def recipe(self, names: Sequence[str]) -> list[str]:
        return [self.recipes.get(name, name) for name in names]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything that analyzes text in one index, by name."""

    tokenizers: _Shelf[Tokenizer]
    token_filters: _Shelf[TokenFilter]
    char_filters: _Shelf[CharFilter]
    analyzers: Mapping[str, Analyzer]
    parts: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The definitions by section, as they are given back."""

    def analyzer(self, name: str) -> Analyzer | None:
        return self.analyzers.get(name) or ANALYZERS.get(name) or PREDEFINED.get(name)

    def of_field(
        self, field: str, *, both: str | None, index: str | None, search: str | None
    ) -> tuple[Analyzer, Analyzer]:
        """The analyzers for indexing and for searching: one for both, or a pair.

        Raises InvalidArgument for another combination, Unsupported for an analyzer that is not there.
        """
        if (both and (index or search)) or bool(index) != bool(search):
            raise InvalidArgument(
                f"The field {field!r} has either an analyzer, or an indexAnalyzer and a searchAnalyzer together."
            )
        for name in (index, search):
            if name and _LANGUAGE.fullmatch(name):
                raise InvalidArgument(
                    f"The field {field!r} names {name!r} as its indexAnalyzer or searchAnalyzer: the analyzer of a "
                    "language can only be its analyzer."
                )
        return self._named(index or both, field), self._named(search or both, field)

    def _named(self, name: str | None, field: str) -> Analyzer:
        found = self.analyzer(name or DEFAULT_ANALYZER)
        if found is None:
            raise Unsupported(f"the analyzer {(name or DEFAULT_ANALYZER)[:128]!r} (field {field!r})")
        return found

    def chain(self, tokenizer: str, token_filters: Sequence[str] = (), char_filters: Sequence[str] = ()) -> Chain:
        """Raises InvalidArgument for a name that means nothing, Unsupported for a part that is lacking here."""
        if len(token_filters) + len(char_filters) > MAX_FILTERS:
            raise InvalidArgument(f"An analyzer has at most {MAX_FILTERS} filters.")
        parts = Parts(
            char_filters=[self.char_filters.get(name) for name in char_filters],
            tokenizer=self.tokenizers.get(tokenizer),
            token_filters=[self.token_filters.get(name) for name in token_filters],
            fold=next((_FOLDS[name] for name in reversed((tokenizer, *token_filters)) if name in _FOLDS), str),
        )
        recipe = [
            self.char_filters.recipe(char_filters),
            self.tokenizers.recipe([tokenizer]),
            self.token_filters.recipe(token_filters),
        ]
        return Chain(json.dumps(recipe), parts)

    def normalizer(self, name: str) -> Chain:
        """The whole text as one token. Raises InvalidArgument."""
        if name not in predefined.NORMALIZERS:
            raise InvalidArgument(f"There is no normalizer {name[:128]!r}.")
        return self.chain("keyword_v2", predefined.NORMALIZERS[name])


def read(sections: Mapping[str, Sequence[Any]]) -> Lexicon:
    """`sections` are those of SECTIONS that the definition has.

    Raises InvalidArgument naming the part that breaks a rule, Unsupported naming what is lacking here.
    """
    tokenizers, filters, chars = (
        dict(_wires(sections, "tokenizers", "tokenizer", tokenizer_kinds.TOKENIZERS)),
        dict(_wires(sections, "tokenFilters", "token filter", token_filter_kinds.TOKEN_FILTERS)),
        dict(_wires(sections, "charFilters", "char filter", kinds.CHAR_FILTERS)),
    )
    lexicon = _lexicon(tokenizers, filters, chars)
    wires = dict(_wires(sections, "analyzers", "analyzer", analyzer_kinds.ANALYZERS))
    return Lexicon(
        lexicon.tokenizers,
        lexicon.token_filters,
        lexicon.char_filters,
        {name: _analyzer(wire, lexicon) for name, wire in wires.items()},
        {
            "analyzers": _represented(wires.values(), sections.get("analyzers")),
            "tokenizers": _represented(tokenizers.values(), sections.get("tokenizers")),
            "tokenFilters": _represented(filters.values(), sections.get("tokenFilters")),
            "charFilters": _represented(chars.values(), sections.get("charFilters")),
        },
    )


def _lexicon(
    tokenizers: Mapping[str, TokenizerWire], filters: Mapping[str, FilterWire], chars: Mapping[str, CharFilterWire]
) -> Lexicon:
    return Lexicon(
        _Shelf(
            "tokenizer",
            {name: wire.tokenizer() for name, wire in tokenizers.items()},
            predefined.TOKENIZERS,
            predefined.LACKING_TOKENIZERS,
            _recipes(tokenizers),
        ),
        _Shelf(
            "token filter",
            {name: wire.token_filter() for name, wire in filters.items()},
            predefined.TOKEN_FILTERS,
            predefined.LACKING_TOKEN_FILTERS,
            _recipes(filters),
        ),
        _Shelf(
            "char filter",
            {name: wire.char_filter() for name, wire in chars.items()},
            predefined.CHAR_FILTERS,
            frozenset(),
            _recipes(chars),
        ),
        {},
    )


def _represented(wires: Iterable[Wire], items: Sequence[Any] | None) -> list[dict[str, Any]]:
    return [kinds.represented(wire, item) for wire, item in zip(wires, items or (), strict=True)]


def _recipes(wires: Mapping[str, Wire]) -> dict[str, str]:
    return {name: f"{name} {_digest(wire)}" for name, wire in wires.items()}


def _digest(wire: Wire) -> str:
    return hashlib.sha256(wire.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()


def _analyzer(wire: AnalyzerWire, lexicon: Lexicon) -> Chain:
    if isinstance(wire, CustomWire):
        return lexicon.chain(wire.tokenizer, wire.token_filters, wire.char_filters)
    return Chain(_digest(wire), wire.parts())


def _wires(
    sections: Mapping[str, Sequence[Any]], section: str, what: str, known: Mapping[str, type[_W]]
) -> Iterator[tuple[str, _W]]:
    items = sections.get(section) or ()
    if len(items) > MAX_PARTS:
        raise InvalidArgument(f"An index defines at most {MAX_PARTS} {section}.")
    taken = set(_TAKEN[section])
    for item in items:
        if not isinstance(item, dict):
            raise InvalidArgument(f"Every one of {section} is an object.")
        wire = _wire(item, known[kinds.kind_of(item, known, what)], what)
        if not _NAME.fullmatch(wire.name):
            raise InvalidArgument(
                f"Invalid name of a {what}, {wire.name[:128]!r}: 1 to 128 letters, digits, blanks, dashes and "
                "underscores, beginning and ending with a letter or digit."
            )
        if wire.name in taken:
            raise InvalidArgument(f"The name {wire.name!r} of a {what} is taken: it is predefined or occurs twice.")
        taken.add(wire.name)
        yield wire.name, wire


def _wire(item: dict[str, Any], kind: type[_W], what: str) -> _W:
    try:
        return kind.model_validate({name: value for name, value in item.items() if value is not None})
    except ValidationError as error:
        name = str(item.get("name"))[:128]
        raise InvalidArgument(f"The {what} {name!r} is invalid: {sentence(error)}.") from error


_PLAIN: Final = _lexicon({}, {}, {})
PREDEFINED: Final[Mapping[str, Analyzer]] = {
    "pattern": _PLAIN.chain("pattern", ["lowercase"]),
    "standardasciifolding.lucene": _PLAIN.chain("standard_v2", ["lowercase", "asciifolding"]),
}
"""Analyzers made of parts that have a name without being defined."""

_TAKEN: Final = {
    "analyzers": (*ANALYZERS, *PREDEFINED),
    "tokenizers": (*predefined.TOKENIZERS, *predefined.LACKING_TOKENIZERS),
    "tokenFilters": (*predefined.TOKEN_FILTERS, *predefined.LACKING_TOKEN_FILTERS),
    "charFilters": tuple(predefined.CHAR_FILTERS),
}
