"""A query as tantivy runs it: leaves analysed field by field, one tantivy query for each field."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import tantivy

from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.query import lucene_regex, stacked_queries
from retrieval.local.search_service.query.stacked_queries import Allowance
from retrieval.local.search_service.query.synonym_queries import phrase_query, place_query, word_queries
from retrieval.local.search_service.query.tree import (
    All,
    Boosted,
    Both,
    Clauses,
    Either,
    Except,
    Fuzzy,
    Leaf,
    Mode,
    Pattern,
    Phrase,
    Prefix,
    Query,
    Regex,
    Wildcard,
    Within,
    Words,
)
from retrieval.local.search_service.text.lexical.chain import Chain
from retrieval.local.search_service.text.synonyms import FindSynonyms, Terms, no_synonyms

Column: TypeAlias = tuple[str, IndexField]
"""The name of a field in the engine, and the field."""

MAX_FUZZY = 255
"""Characters of a word that can be searched fuzzily; the analyzers make no longer ones."""

_MUST, _SHOULD, _NEVER = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """Query to tantivy's query. None stands for what analysis leaves empty; it is dropped from what holds it.

    `columns` are those of the index by field name; `fields` those that a query without a field looks in. `weights`
    multiply the scores of fields by name, but for patterns, which score the same everywhere.
    """

    schema: tantivy.Schema
    columns: Mapping[str, Column]
    fields: Sequence[str]
    mode: Mode
    find_synonyms: FindSynonyms = no_synonyms
    weights: Mapping[str, float] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=Allowance)

    def compile(self, query: Query) -> tantivy.Query | None:
        match query:
            case All():
                return tantivy.Query.all_query()
            case Words() | Phrase() | Prefix() | Wildcard() | Fuzzy() | Regex():
                return _either(self._leaf(query))
            case Either(parts):
                return _either(self._flattened(parts))
            case Both(parts):
                return _joined(_MUST, self._compiled(parts))
            case Except(part):
                return self._except(part)
            case Clauses():
                return self._clauses(query)
            case Within(part, field):
                return self._within(field).compile(part)
            case Boosted(part, factor):
                boosted = self.compile(part)
                return boosted and tantivy.Query.boost_query(boosted, factor)

    def _within(self, field: str) -> "Compiler":
        return replace(self, fields=(field,))

    def _except(self, part: Query) -> tantivy.Query | None:
        excluded = self.compile(part)
        return excluded and tantivy.Query.boolean_query(
            [(_SHOULD, tantivy.Query.all_query()), (_NEVER, excluded)],
        )

    def _clauses(self, query: Clauses) -> tantivy.Query | None:
        must, never = self._compiled(query.must), self._compiled(query.must_not)
        should = self._flattened(query.should)
        if not must and not should:
            return None
        if not must and not never:
            return _either(should)
        wanted = [(_MUST, part) for part in must]
        if should:
            wanted += (
                [(_SHOULD, part) for part in should] if must else [(_MUST, part) for part in _present(_either(should))]
            )
        return tantivy.Query.boolean_query([*wanted, *((_NEVER, part) for part in never)])

    def _compiled(self, parts: Iterable[Query]) -> list[tantivy.Query]:
        return [compiled for part in parts if (compiled := self.compile(part)) is not None]

    def _flattened(self, parts: Iterable[Query]) -> list[tantivy.Query]:
        """One flat list where it means the same: tantivy skips what cannot win only in a flat disjunction."""
        flat: list[tantivy.Query] = []
        for part in parts:
            if isinstance(part, Words | Phrase | Prefix | Wildcard | Fuzzy | Regex):
                flat.extend(self._leaf(part))
            elif (compiled := self.compile(part)) is not None:
                flat.append(compiled)
        return flat

    def _leaf(self, leaf: Leaf) -> list[tantivy.Query]:
        columns = [self.columns[name] for name in self.fields]
        match leaf:
            case Words(text):
                return [
                    part
                    for column, field in columns
                    for part in self._weighted(field, self._words(text, column, field))
                ]
            case Phrase():
                return [
                    part
                    for column, field in columns
                    for part in self._weighted(field, self._phrase(leaf, column, field))
                ]
            case _:
                matching = _either([self._pattern(leaf, column, field) for column, field in columns])
                return [tantivy.Query.const_score_query(part, 1.0) for part in _present(matching)]

    def _weighted(self, field: IndexField, parts: list[tantivy.Query]) -> list[tantivy.Query]:
        weight = self.weights.get(field.name)
        return parts if weight is None else [tantivy.Query.boost_query(part, weight) for part in parts]

    def _words(self, text: str, column: str, field: IndexField) -> list[tantivy.Query]:
        stacked = self._stacked(text, field)
        expanded = self._expanded(text, field)
        if expanded is not None:
            terms = list(word_queries(self.schema, column, expanded))
        elif stacked is None:
            terms = [self._term(column, term) for term in field.search_analyzer.terms(text)]
        else:
            terms = []
        return _best(
            self._in_mode(stacked_queries.word_queries(self.schema, column, stacked or ())), self._in_mode(terms)
        )

    def _in_mode(self, terms: list[tantivy.Query]) -> list[tantivy.Query]:
        if self.mode == "any" or len(terms) < 2:
            return terms
        return [tantivy.Query.boolean_query([(_MUST, term) for term in terms])]

    def _stacked(self, text: str, field: IndexField) -> stacked_queries.Places | None:
        """The terms at every position; None where an analyzer puts no more than one there."""
        analyzer = field.search_analyzer
        return self.allowance.places(text, analyzer) if isinstance(analyzer, Chain) else None

    def _expanded(self, text: str, field: IndexField) -> Iterator[tuple[Terms, ...]] | None:
        """The text with its synonyms; None where the field has none."""
        synonyms = None if field.synonym_map is None else self.find_synonyms(field.synonym_map)
        if synonyms is None:
            return None
        return synonyms.expand(field.search_analyzer.positions(text), field.search_analyzer)

    def _phrase(self, phrase: Phrase, column: str, field: IndexField) -> list[tantivy.Query]:
        stacked = self._stacked(phrase.text, field)
        expanded = self._expanded(phrase.text, field)
        if expanded is not None:
            found = _present(phrase_query(self.schema, column, expanded, phrase.slop))
        elif stacked is None:
            places = field.search_analyzer.positions(phrase.text)
            found = _present(place_query(self.schema, column, places, phrase.slop))
        else:
            found = []
        return _best(_present(stacked_queries.phrase_query(self.schema, column, stacked or (), phrase.slop)), found)

    def _term(self, column: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self.schema, column, term)

    def _pattern(self, pattern: Pattern, column: str, field: IndexField) -> tantivy.Query:
        fold = field.search_analyzer.fold
        match pattern:
            case Prefix(text):
                return tantivy.Query.fuzzy_term_query(self.schema, column, fold(text), distance=0, prefix=True)
            case Fuzzy(text, edits) if edits and len(text) <= MAX_FUZZY:
                return tantivy.Query.fuzzy_term_query(self.schema, column, fold(text), distance=edits)
            case Fuzzy(text):
                return self._term(column, fold(text))
            case Wildcard(parts, gaps):
                return self._regex(column, _shape([fold(part) for part in parts], gaps))
            case Regex(pattern=expression):
                return self._regex(column, expression)

    def _regex(self, column: str, expression: str) -> tantivy.Query:
        try:
            return tantivy.Query.regex_query(self.schema, column, expression)
        except ValueError as error:
            raise InvalidArgument("A pattern of the search text is not valid, or too large an automaton.") from error


def _shape(parts: Sequence[str], gaps: str) -> str:
    signs = {"?": lucene_regex.ANY, "*": f"{lucene_regex.ANY}*"}
    first, *others = map(lucene_regex.literal, parts)
    return first + "".join(signs[gap] + part for gap, part in zip(gaps, others, strict=True))


def _best(some: list[tantivy.Query], others: list[tantivy.Query]) -> list[tantivy.Query]:
    """Where both are there, they are two ways of saying the same: the better one counts."""
    if not some or not others:
        return some or others
    return [tantivy.Query.disjunction_max_query(_present(_either(some)) + _present(_either(others)))]


def _present(query: tantivy.Query | None) -> list[tantivy.Query]:
    return [] if query is None else [query]


def _either(parts: Sequence[tantivy.Query]) -> tantivy.Query | None:
    return _joined(_SHOULD, parts)


def _joined(occur: tantivy.Occur, parts: Sequence[tantivy.Query]) -> tantivy.Query | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return tantivy.Query.boolean_query([(occur, part) for part in parts])
