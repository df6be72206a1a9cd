"""`lexical-v1` replaces the semantic ranker. No model, no randomness: it scores how much of the query a document has.

Guaranteed, for one state of the index: a score is in [0, 4]; it is 0.0 exactly when no term of the query occurs in the
fields of the semantic configuration; the same input gives the same score on every run and platform; a passage that
holds every term of the query, under the document's title, scores 4.0. What one document has of the query is never less
with text of its language added at the end of a field; beside others the search's own order counts too. Words that ask
rather than tell ("what", "does") count only where there is nothing else. Query and document are read in the language of
the document. Scores are not comparable with Azure's:
https://learn.microsoft.com/azure/search/semantic-search-overview
"""

import math
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.models.ports import Candidates
from retrieval.local.search_service.text import languages
from retrieval.local.search_service.text.analyzer import Analyzer, Term
from retrieval.local.search_service.text.languages import LanguageTerms

LABEL = "lexical-v1"
RANKED = 50
"""Only so many of the best text results get a score, as in Azure."""

MAX_SCORE = 4.0
LEAST_SCORE = 0.01
"""What a document scores at least when a term of the query occurs in it."""

PASSAGE = 40
"""Words from the first to the last that one passage spans."""

_CLOSE = 20  # words; terms that stand so close together say most about each other
_NEIGHBOURS = 2  # places; the next word, or the one after a stop word
_SATURATION = 2.0  # occurrences after which another one counts for little, as k1 in BM25
_READ_CHARACTERS = 20_000  # of each field, about what Azure's ranker takes in (2,000 tokens)
_CACHED_WORDS = 8_000_000  # of all the readings kept, at eight bytes each

# How much each part counts; chosen on public test collections.
_PASSAGE_PART = 0.3
_DOCUMENT_PART = 0.35
_HEADING_PART = 0.15
_NEIGHBOUR_PART = 0.2

_WEIGHED_ORDER = 0.75
_PLAIN_ORDER = 0.25

_HALF = 0.26  # the share that scores half of the highest

_Places = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """What the ranker keeps of a document: its texts as terms, each with the place of its first word.

    Title and keywords come first; the content begins at the place `content`.
    """

    texts: tuple[tuple[int, tuple[Term, ...]], ...]
    content: int
    language: LanguageTerms

    @property
    def words(self) -> int:
        return sum(len(terms) for _, terms in self.texts)


class LexicalRanker:
    """`lexical-v1` as the ranker of every index."""

    label = LABEL

    def scores(self, query: str, among: Candidates) -> list[float]:
        return among.words()


class Ranker:
    """Scores documents of one index by one semantic configuration. It must be notified of every change.

    `stated` are the languages of fields by their names. A document is read in that of the field of its first text,
    content before heading, or else in that which its texts are recognised to be in.
    """

    def __init__(self, configuration: SemanticConfiguration, stated: Mapping[str, str] = MappingProxyType({})) -> None:
        self._configuration = configuration
        self._stated = stated
        self._frequencies: Counter[str] = Counter()
        self._documents = 0
        self._readings: OrderedDict[int, DocumentTerms] = OrderedDict()
        self._words = 0

    def add(self, document: Document) -> None:
        self._documents += 1
        self._frequencies.update(self._terms(document))

    def remove(self, ordinal: int, document: Document) -> None:
        self._documents -= 1
        self._frequencies.subtract(self._terms(document))
        self._forget(self._readings.pop(ordinal, None))

    def scores(self, query: str, documents: Iterable[tuple[int, Document]]) -> list[float]:
        """One score a document, in their order."""
        readings = [self._reading(ordinal, document) for ordinal, document in documents]
        questions = self._questions(query, (reading.language for reading in readings))
        return [questions[reading.language].score(reading) for reading in readings]

    def questions(self, query: str, documents: Iterable[tuple[int, Document]]) -> list["Question"]:
        """What the query asks of each document, in their order."""
        readings = self._readings
        read_in = [
            readings[ordinal].language if ordinal in readings else self._language(document)
            for ordinal, document in documents
        ]
        questions = self._questions(query, read_in)
        return [questions[language] for language in read_in]

    def _questions(self, query: str, wanted: Iterable[LanguageTerms]) -> dict[LanguageTerms, "Question"]:
        return {language: self._question(query, language) for language in set(wanted)}

    def _question(self, query: str, language: LanguageTerms) -> "Question":
        terms = list(dict.fromkeys(language.analyzer.terms(query)))
        telling = [term for term in terms if term not in language.silent] or terms
        return Question({term: self._rarity(term) for term in telling}, frozenset(terms), language.analyzer)

    def _language(self, document: Document) -> LanguageTerms:
        fields = (*self._configuration.content, *self._configuration.heading)
        texts = [(name, text) for name in fields for text in read_texts(document, (name,)) if text.strip()]
        of_field = self._stated.get(texts[0][0]) if texts else None
        return languages.terms_of(of_field or languages.recognised(" ".join(text for _, text in texts)))

    def _terms(self, document: Document) -> set[str]:
        """The terms of a reading, without the work of placing them."""
        positions = self._language(document).analyzer.positions
        found = set[Term]().union(*map(positions, read_texts(document, self._configuration.fields)))
        return {term for term in found if term is not None}

    def _rarity(self, term: str) -> int:
        """BM25's inverse document frequency in millionths; always positive."""
        frequency = self._frequencies[term]
        return 1 + round(1e6 * math.log(1 + (self._documents - frequency + 0.5) / (frequency + 0.5)))

    def _reading(self, ordinal: int, document: Document) -> DocumentTerms:
        """The reading of a document, from those kept or made now; the oldest are dropped when they grow too many."""
        reading = self._readings.get(ordinal)
        if reading is None:
            reading = self._readings[ordinal] = self._read(document)
            self._words += reading.words
            while self._words > _CACHED_WORDS and len(self._readings) > 1:
                self._forget(self._readings.popitem(last=False)[1])
        return reading

    def _read(self, document: Document) -> DocumentTerms:
        """Between two texts there is room, so that no passage reaches over both."""
        language = self._language(document)
        texts: list[tuple[int, tuple[Term, ...]]] = []
        at = content = 0
        for fields in (self._configuration.heading, self._configuration.content):
            content = at
            for text in read_texts(document, fields):
                texts.append((at, tuple(language.analyzer.positions(text))))
                at += len(texts[-1][1]) + PASSAGE
        return DocumentTerms(tuple(texts), content, language)

    def _forget(self, reading: DocumentTerms | None) -> None:
        self._words -= 0 if reading is None else reading.words


def with_weighed_order(scores: Sequence[float], found: Sequence[float]) -> list[float]:
    """The scores where the search's own order counts three quarters, the ranker's one.

    A search by weighed words knows what the ranker, which reads a text without weights, does not: what it scored 0 or 4
    too.
    """
    return _with_order(scores, found, _WEIGHED_ORDER)


def with_order(scores: Sequence[float], found: Sequence[float]) -> list[float]:
    """The scores where the search's own order counts a quarter. What the ranker scored 0 or 4 stays so."""
    both = _with_order(scores, found, _PLAIN_ORDER)
    return [
        score if score in (0.0, MAX_SCORE) else max(LEAST_SCORE, one) for score, one in zip(scores, both, strict=True)
    ]


def _with_order(scores: Sequence[float], found: Sequence[float], part: float) -> list[float]:
    """`found` is what the search scored the documents. The best one has the best score that the ranker gave."""
    best, most = max(scores, default=0.0), max(found, default=0.0)
    if not best or not most:
        return list(scores)
    both = [part * own / most + (1 - part) * score / MAX_SCORE for score, own in zip(scores, found, strict=True)]
    return [round(best * one / max(both), 4) for one in both]


def read_texts(document: Document, fields: Sequence[str]) -> Iterator[str]:
    """What is read of each field: text after text, up to the limit."""
    for name in fields:
        left = _READ_CHARACTERS
        for text in paths.values(document, name):
            if isinstance(text, str) and left > 0:
                yield text[:left]
                left -= len(text)


class Question:
    """The telling terms of a query with their weights, in its order; `terms` holds the asking words as well.

    Weights are whole numbers, so that sums are exact in whatever order they are made.
    """

    def __init__(self, weights: Mapping[str, int], terms: frozenset[str], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._weights = weights
        self._terms = terms
        self._total = sum(weights.values()) or 1
        self._pairs = {pair: min(weights[pair[0]], weights[pair[1]]) for pair in pairwise(weights)}
        self._pairs_total = sum(self._pairs.values()) or 1

    @property
    def weights(self) -> Mapping[str, int]:
        """How much each telling term counts."""
        return self._weights

    def score(self, reading: DocumentTerms) -> float:
        places = self._places(reading)
        if not places:
            asks = any(not self._terms.isdisjoint(terms) for _, terms in reading.texts)
            return LEAST_SCORE if asks else 0.0
        counts: dict[str, int] = {}
        for _, term in places:
            counts[term] = counts.get(term, 0) + 1
        heading = {term for place, term in places if place < reading.content}
        if len(counts) == len(self._weights) and _is_together(places, counts, heading):
            return MAX_SCORE
        return max(LEAST_SCORE, round(_scaled(self._share(places, counts, heading)), 4))

    def _places(self, reading: DocumentTerms) -> _Places:
        """Where the telling terms stand, in ascending order."""
        weights = self._weights
        return [
            (place, term)
            for at, terms in reading.texts
            for place, term in enumerate(terms, at)
            if term in weights and term is not None
        ]

    def _share(self, places: _Places, counts: Mapping[str, int], heading: Set[str]) -> float:
        """The parts of the score, each from 0 to 1, weighed together."""
        weights = self._weights
        headed = sum(weights[term] for term in heading)
        body = {term: weights[term] for term in counts if term not in heading}
        passage = headed + (_densest(places, body, _CLOSE) if body else 0)
        document = math.fsum(weights[term] * n / (n + _SATURATION) for term, n in counts.items())
        parts = _PASSAGE_PART * passage + _DOCUMENT_PART * document + _HEADING_PART * headed
        return parts / self._total + _NEIGHBOUR_PART * self._neighbours(places) / self._pairs_total

    def _neighbours(self, places: _Places) -> int:
        """The weight of the pairs that follow one another in the query, and somewhere in the document too."""
        pairs = self._pairs
        followed = {
            (left, right)
            for step in range(1, _NEIGHBOURS + 1)
            for (here, left), (there, right) in zip(places, places[step:], strict=False)
            if there - here <= _NEIGHBOURS and (left, right) in pairs
        }
        return sum(pairs[pair] for pair in followed)


def _is_together(places: _Places, terms: Iterable[str], heading: Set[str]) -> bool:
    """The heading and one passage hold every term between them."""
    missing = dict.fromkeys((term for term in terms if term not in heading), 1)
    return _densest(places, missing, PASSAGE) == len(missing)


def _densest(places: _Places, weights: Mapping[str, int], span: int) -> int:
    """The greatest weight of different terms that `span` words hold."""
    inside = dict.fromkeys(weights, 0)
    window: deque[tuple[int, str]] = deque()
    best = held = 0
    for place, term in places:
        if term not in inside:
            continue
        window.append((place, term))
        if not inside[term]:
            held += weights[term]
        inside[term] += 1
        while place - window[0][0] >= span:
            gone = window.popleft()[1]
            inside[gone] -= 1
            if not inside[gone]:
                held -= weights[gone]
        if held > best:
            best = held
    return best


def _scaled(share: float) -> float:
    """A share of 0 to 1 as a score: slow at both ends, so that what merely touches the query stays far from 2.5."""
    return MAX_SCORE * share**2 / (share**2 + _HALF**2)
