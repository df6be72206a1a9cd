"""Suggestions: documents in which every word typed occurs, the last one perhaps only begun.

All words must be in one field. Documents come by how much of their fields the words are, unless `$orderby` says else.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.engine import filters, ordering
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.engine.suggestion_index import FieldWords, SuggestionIndex, words
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.features.suggest_options import CompletionOptions, SuggestOptions
from retrieval.local.search_service.query import projection


@dataclass(frozen=True, slots=True)
class Suggested:
    """A document in its place; `path` is the field whose text is shown."""

    ordinal: int
    score: float
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed, as sets of words to look for: each of `whole` for a word, `begun` for the last."""

    whole: Sequence[frozenset[str]]
    begun: frozenset[str]
    last: str

    @classmethod
    def read(cls, options: CompletionOptions, suggestions: SuggestionIndex) -> "Typed | None":
        """None where the text has no word."""
        *before, last = [token.term for token in words(options.search)] or [""]
        fuzzy = options.fuzzy is True
        if not last:
            return None
        return cls(
            whole=[frozenset(suggestions.like(word, fuzzy=fuzzy)) for word in before],
            begun=frozenset(suggestions.beginning(last, fuzzy=fuzzy)),
            last=last,
        )


def source(options: CompletionOptions, index: LocalIndex) -> tuple[SuggestionIndex, Sequence[str]]:
    """The suggester's words and the fields to look in. Raises InvalidArgument for a name that is not there."""
    suggestions = index.suggestions.get(options.suggester_name)
    if suggestions is None:
        raise InvalidArgument(f"The index has no suggester {options.suggester_name[:128]!r}.")
    for path in options.search_fields or ():
        if path not in suggestions.fields:
            raise InvalidArgument(f"The field {path[:128]!r} in searchFields is not one of the suggester.")
    return suggestions, [path for path in suggestions.fields if path in (options.search_fields or suggestions.fields)]


def suggest(index: LocalIndex, options: SuggestOptions) -> dict[str, Any]:
    """The answer as the wire has it. Raises InvalidArgument, BadFilter, Unsupported."""
    suggestions, fields = source(options, index)
    shape = projection.shape(options.select or (index.definition.key,), index.definition)
    clauses = ordering.read(options.orderby, index.definition.paths) if options.orderby else ()
    allowed = allowed_documents(options, index)
    typed = Typed.read(options, suggestions)
    found = [] if typed is None else _matches(typed, suggestions, fields)
    if allowed is not None:
        found = [one for one in found if one.ordinal in allowed]
    found = ordering.ordered(sorted(found, key=lambda one: one.ordinal), clauses, index.document)
    rows = [] if typed is None else [_row(one, typed, index, options) for one in found[: options.page]]
    return covered(options, [{**row, **projection.project(index.document(n), shape)} for n, row in rows])


def _row(one: Suggested, typed: Typed, index: LocalIndex, options: SuggestOptions) -> tuple[int, dict[str, Any]]:
    text = _text(index.document(one.ordinal), one.path, typed)
    return one.ordinal, {"@search.text": text if options.tags is None else _marked(text, typed, options.tags)}


def allowed_documents(options: CompletionOptions, index: LocalIndex) -> frozenset[int] | None:
    """Ordinals of what the filter leaves; None without one."""
    if options.filter is None:
        return None
    return frozenset(filters.compile_filter(options.filter, index).ordinals(index))


def covered(options: CompletionOptions, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The envelope: all of the index is always covered, which is said to who asked."""
    coverage = {} if options.minimum_coverage is None else {"@search.coverage": 100.0}
    return {**coverage, "value": rows}


def _matches(typed: Typed, suggestions: SuggestionIndex, fields: Sequence[str]) -> list[Suggested]:
    scores: dict[int, float] = {}
    shown: dict[int, str] = {}
    for path in fields:
        for ordinal, share in _in_field(typed, suggestions.fields[path]):
            scores[ordinal] = scores.get(ordinal, 0.0) + share
            shown.setdefault(ordinal, path)
    return [Suggested(ordinal, score, shown[ordinal]) for ordinal, score in scores.items()]


def _in_field(typed: Typed, field: FieldWords) -> Iterator[tuple[int, float]]:
    counts = [_counted(group, field) for group in (typed.begun, *typed.whole)]
    first, *others = counts
    for ordinal, count in first.items():
        if all(ordinal in other for other in others):
            yield ordinal, field.share(ordinal, count + sum(other[ordinal] for other in others))


def _counted(group: Iterable[str], field: FieldWords) -> Mapping[int, int]:
    """How often the documents have a word of the group."""
    found: dict[int, int] = {}
    for word in sorted(group):
        for ordinal, count in field.documents(word).items():
            found[ordinal] = found.get(ordinal, 0) + count
    return found


def _text(document: Document, path: str, typed: Typed) -> str:
    """The value of the field; of several the first with most of the words."""
    texts = [str(text) for text in paths.values(document, path)]
    groups = (typed.begun, *typed.whole)
    present = [{token.term for token in words(text)} for text in texts]
    return max(zip(texts, present, strict=True), key=lambda pair: sum(bool(pair[1] & group) for group in groups))[0]


def _marked(text: str, typed: Typed, tags: tuple[str, str]) -> str:
    """The text with tags around the words found; of one that was only begun, around its beginning."""
    before, after = tags
    parts: list[str] = []
    at = 0
    complete = frozenset().union(*typed.whole)
    for token in words(text):
        if token.term not in complete and token.term not in typed.begun:
            continue
        begun = token.term not in complete and token.term.startswith(typed.last)
        end = token.start + len(typed.last) if begun else token.end
        parts += [text[at : token.start], before, text[token.start : end], after]
        at = end
    return "".join([*parts, text[at:]])
