"""Synonym maps: rules in the solr format, applied to a search when it runs.

    USA, United States, United States of America        each of them stands for all of them
    Washington, Wash. => WA                             what is left of the arrow is replaced

A line that begins with `#` is a remark; `\\` takes the meaning from a comma or an arrow. Rules and limits:
https://learn.microsoft.com/azure/search/search-synonyms
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.problems import sentence
from retrieval.local.search_service.text.analysis import Analyzer, Term

MAX_RULES: Final = 20_000
MAX_EXPANSIONS: Final = 20
MAX_RULE: Final = 10_000

Terms: TypeAlias = tuple[Term, ...]
"""Analysed words in their places; None is a place whose word the analyzer removed."""

_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9_-]{0,126}[a-zA-Z0-9])?")
_ARROW = re.compile(r"(?<!\\)=>")
_COMMA = re.compile(r"(?<!\\),")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    etag: str | None = Field(None, alias="@odata.etag")
    context: str | None = Field(None, alias="@odata.context")
    name: str
    format: Literal["solr"] | None = None
    synonyms: str | list[str]
    encryption_key: dict[str, Any] | None = Field(None, alias="encryptionKey")


@dataclass(frozen=True, slots=True)
class Rule:
    """Any of `left`, found in a search, is looked for as each of `right`."""

    left: tuple[str, ...]
    right: tuple[str, ...]


class Synonyms:
    """The rules of one map; analysed once for each analyzer."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._tables: dict[Analyzer, Mapping[Terms, tuple[Terms, ...]]] = {}

    def expand(self, places: Sequence[Term], analyzer: Analyzer) -> Iterator[tuple[Terms, ...]]:
        """What is analysed, cut into pieces; each piece is given as the alternatives that it may be found as.

        Of the rules that apply at a place, the one with most words does.
        """
        table = self._table(analyzer)
        longest = max(map(len, table), default=1)
        at = 0
        while at < len(places):
            pieces = (tuple(places[at : at + length]) for length in range(min(longest, len(places) - at), 0, -1))
            piece = next((piece for piece in pieces if piece in table), (places[at],))
            yield table.get(piece, (piece,))
            at += len(piece)

    def _table(self, analyzer: Analyzer) -> Mapping[Terms, tuple[Terms, ...]]:
        if analyzer not in self._tables:
            self._tables[analyzer] = _analysed(self._rules, analyzer)
        return self._tables[analyzer]


def _analysed(rules: Sequence[Rule], analyzer: Analyzer) -> Mapping[Terms, tuple[Terms, ...]]:
    found: dict[Terms, dict[Terms, None]] = {}
    for rule in rules:
        right = [terms for text in rule.right if any(terms := _terms(text, analyzer))]
        for text in rule.left:
            if right and any(left := _terms(text, analyzer)):
                found.setdefault(left, {}).update(dict.fromkeys(right))
    return {left: tuple(right) for left, right in found.items()}


def _terms(text: str, analyzer: Analyzer) -> Terms:
    return tuple(analyzer.positions(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class SynonymMap:
    """`wire` is the definition as it was sent."""

    name: str
    etag: str
    synonyms: Synonyms
    wire: dict[str, Any]

    @classmethod
    def parse(cls, document: dict[str, Any], etag: str) -> "SynonymMap":
        """Raises InvalidArgument, naming the rule that cannot be read, and Unsupported for encryption."""
        try:
            wire = _Wire.model_validate(document)
        except ValidationError as error:
            raise InvalidArgument(f"The synonym map is invalid: {sentence(error)}") from error
        if not _NAME.fullmatch(wire.name):
            raise InvalidArgument(
                f"Invalid synonym map name {wire.name[:128]!r}: 1 to 128 letters, digits, dashes and underscores, "
                "beginning and ending with a letter or digit."
            )
        if wire.encryption_key:
            raise Unsupported("encryptionKey in a synonym map")
        lines = wire.synonyms if isinstance(wire.synonyms, list) else [wire.synonyms]
        rules = read("\n".join(lines))
        kept = {name: value for name, value in document.items() if not name.startswith("@odata.")}
        return cls(name=wire.name, etag=etag, synonyms=Synonyms(rules), wire={**kept, "format": "solr"})


def read(text: str) -> list[Rule]:
    """Raises InvalidArgument naming the line that is no rule."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    rules = [_rule(line, number) for number, line in lines if line and not line.startswith("#")]
    if len(rules) > MAX_RULES:
        raise InvalidArgument(f"A synonym map has at most {MAX_RULES} rules; this one has {len(rules)}.")
    return rules


def _rule(line: str, number: int) -> Rule:
    if len(line) > MAX_RULE:
        raise InvalidArgument(f"A synonym rule has at most {MAX_RULE} characters; line {number} has more.")
    sides = [_texts(side) for side in _ARROW.split(line)]
    left, right = sides[0], sides[-1]
    if len(sides) > 2 or not left or not right:
        raise InvalidArgument(f"Line {number} of the synonyms is no rule: {line[:80]!r}.")
    if max(len(left), len(right)) > MAX_EXPANSIONS:
        raise InvalidArgument(f"A synonym rule has at most {MAX_EXPANSIONS} expansions; line {number} has more.")
    return Rule(left, right)


def _texts(side: str) -> tuple[str, ...]:
    parts = (_ESCAPE.sub(r"\1", part).strip() for part in _COMMA.split(side))
    return tuple(part for part in parts if part)


FindSynonyms: TypeAlias = Callable[[str], Synonyms | None]
"""The rules of the synonym map of that name, as they are when a search runs."""


def no_synonyms(name: str) -> None:
    """Where there are no synonym maps."""
