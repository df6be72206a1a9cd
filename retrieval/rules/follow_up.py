"""The follow-up without a model: one search for the names in the first documents, and the scores of its documents.

A question that needs two documents often does not name the thing that joins them: the first document has the name of
"the star of *Kiss and Tell*", and the second is about that name. The search is made without the service's ranker, which
would score its documents for the names; they are scored here, by the names and by the document that brought them.

The weights were chosen on HotpotQA, MuSiQue and 2WikiMultiHopQA, and read on four others (docs/calling/retrieve.md).
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from retrieval.model.retrieval import Key, PlannedQuery, Reference
from retrieval.model.search import Searched
from retrieval.rules.names import names_in
from retrieval.text.clipped import LONGEST_READ, clip, ends
from retrieval.text.content_words import rarity
from retrieval.text.languages.recognition import language_of
from retrieval.text.source_labels import passage, title_of

DOCUMENTS: Final = 3
"""The number of documents whose names are searched, or one of each search where there are more searches."""

NAMES: Final = 6
"""The most names of a document: the rarest."""

COMPLETE: Final = 3.5
"""The score from which a document is nearer to "answers the question completely" than to the level below."""

COMMON: Final = 0.5
"""A name that more of the documents have leads nowhere: the people of a chat, the product of a manual."""

QUESTION_WEIGHT: Final = 0.35
"""The weight of the question's own words beside a name's."""

TITLE_WEIGHT: Final = 0.5
"""The strength that a document gains where its title is the name."""

SOURCE_WEIGHT: Final = 0.8
"""The weight of the score of the document that has the name."""

LINKED: Final = 1.0
"""The least strength of a document that is linked."""

MOST_LINKED: Final = 16

GOAL: Final = "What is said of names that the first documents bring"
LONGEST_QUERY: Final = 1_000
BEGINNING: Final = 3
"""The words of a sentence with a full stop that show whether it asks: "Tell me who …"."""
MOST_COMPARED: Final = 25
"""The most documents of a round that are compared with names: the best."""

READ: Final = 600
"""The characters of a document that are compared with names."""

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""BM25's usual k1 and b."""

_OPENING: Final = "\"'“”‘’«("
_WITHIN: Final = ",;'\"’”»)"
_SIGNS: Final = re.compile(r"[\W_]+")
_BETWEEN: Final = "\ue000"
_PUNCTUATION: Final = ".,;:!?()[]\"'“”‘’«»-–—/"

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingDocument:
    """A document with names that the question lacks; `searched` are the rarest of them, each with its words."""

    reference: Reference
    names: frozenset[Words]
    searched: Mapping[str, Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The query of a follow-up, and the documents that have its names. `asked` are the question's words, `said` those
    of every document of the first round."""

    query: PlannedQuery
    sources: tuple[NamingDocument, ...]
    asked: frozenset[str]
    said: Mapping[Key, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A document that the follow-up leads to; its reference has a score of 0 to 4 where its source has one. It is
    `entitled` where a name is its title."""

    reference: Reference
    strength: float
    entitled: bool


def lead(question: str, references: Sequence[Reference], *, searches: int = 1, next: str = "") -> Lead | None:
    """The lead in the documents of a first round, best first; None where a follow-up does not pay.

    It pays where the question names something and relates it to something else, or a plan has a `next` look-up, and the
    first documents name something that the question lacks.
    """
    question = ends(question, LONGEST_READ)
    if not next and not relates(question):
        return None
    question_words = frozenset(_words(question))
    first = references[: max(DOCUMENTS, searches)]
    names_by_document = [_names_in(reference, question_words) for reference in first]
    words_wanted = {word for names in names_by_document for words in names.values() for word in words}
    texts = _words_of(references[:MOST_COMPARED])
    frequency = Counter(word for text in texts.values() for word in words_wanted.intersection(text))
    sources = tuple(
        NamingDocument(
            reference=reference,
            names=frozenset(names.values()),
            searched=_rarest(names, frequency, most=max(DOCUMENTS, COMMON * len(texts))),
        )
        for reference, names in zip(first, names_by_document, strict=True)
        if names
    )
    names = dict.fromkeys(name for source in sources for name in source.searched)
    if not names:
        return None
    query = PlannedQuery(query=clip(" ".join([*names, question]), LONGEST_QUERY), goal=next or GOAL)
    return Lead(query=query, sources=sources, asked=question_words - language_of(question).silent, said=texts)


def answers(question: str, searched: Sequence[Searched]) -> bool:
    """Whether a document answers the question completely. Only searches for the question itself tell: a short query for
    its first step is answered completely by the document of that step."""
    own_searches = (search for search in searched if search.subquery.search == question)
    return any((hit.score or 0.0) >= COMPLETE for search in own_searches for hit in search.page.hits)


def relates(question: str) -> bool:
    """Whether a text asks something, names something after its first word, and relates that to something else."""
    language = language_of(question)
    _, _, remainder = question.partition(" ")
    words = _words(question)
    asks = question.rstrip().endswith("?") or not language.asking.isdisjoint(
        words[:BEGINNING] if question.rstrip().endswith(".") else words
    )
    return asks and language.names != "marks" and language.relates(remainder) and _names_something(question)


def _names_something(question: str) -> bool:
    """Whether a word after the first has a capital that no sentence's beginning and no run of capitals explains."""
    if question.isupper():
        return False
    language = language_of(question)
    if language.names == "runs":
        return any(names_in(question))
    for before, word in pairwise(question.split()):
        bare = word.lstrip(_OPENING)
        if (
            len(bare) > 1
            and bare[0].isupper()
            and (before[-1].islower() or before[-1] in _WITHIN or before[0].isupper())
        ):
            return True
    return False


def linked_documents(lead: Lead, first: Sequence[Reference], second: Sequence[Reference]) -> tuple[Linked, ...]:
    """The documents of two rounds that speak of the names, best first; those of the second take precedence.

    `first` has every document that the lead was made from, in any order.
    """
    documents = {reference.key: reference for reference in (*first, *second[:MOST_COMPARED])}
    words_wanted = lead.asked.union(*(words for source in lead.sources for words in source.searched.values()))
    words_by_key = {
        **lead.said,
        **_words_of([reference for reference in second[:MOST_COMPARED] if reference.key not in lead.said]),
    }
    weights, titles = (
        _weights(words_by_key, words_wanted),
        {key: tuple(_words(title_of(documents[key].hit))) for key in words_by_key},
    )
    question_weights: defaultdict[Key, float] = defaultdict(float)
    for word in lead.asked:
        for key, weight in weights.get(word, {}).items():
            question_weights[key] += QUESTION_WEIGHT * weight
    best = max((reference.hit.score or 0.0 for reference in first), default=0.0) or 1.0
    links: dict[Key, tuple[float, float, Reference]] = {}
    for source in lead.sources:
        own_key, source_share = source.reference.key, SOURCE_WEIGHT * (source.reference.hit.score or 0.0) / best
        for key, speaks in _links(source, question_weights, weights).items():
            link = speaks + (TITLE_WEIGHT if titles[key] in source.names else 0.0)
            if key != own_key and (key not in links or links[key][0] < link + source_share):
                links[key] = (link + source_share, link, source.reference)
    entitling = frozenset[Words]().union(*(source.names for source in lead.sources))
    strongest = sorted(links, key=lambda key: -links[key][0])[:MOST_LINKED]
    return tuple(
        Linked(
            reference=_with_score(documents[key], source, link),
            strength=strength,
            entitled=titles[key] in entitling,
        )
        for key in strongest
        for strength, link, source in (links[key],)
    )


def _names_in(reference: Reference, question_words: frozenset[str]) -> dict[str, Words]:
    """The names in a document that have a word which the question lacks, each with its words."""
    names_found = names_in(passage(reference.hit), title=title_of(reference.hit))
    names = {name: tuple(_words(name)) for name in names_found}
    return {name: words for name, words in names.items() if not question_words.issuperset(words)}


def _rarest(names: Mapping[str, Words], frequency: Mapping[str, int], *, most: float) -> dict[str, Words]:
    """The six rarest names, of those that so many texts have at most."""
    common = {name: sum(frequency[word] for word in words) / len(words) for name, words in names.items()}
    return {name: names[name] for name in sorted(common, key=common.__getitem__)[:NAMES] if common[name] <= most}


def _links(
    source: NamingDocument, question_weights: Mapping[Key, float], weights: Mapping[str, Mapping[Key, float]]
) -> dict[Key, float]:
    """The link of each document to a source's names, 0 to 1: its link to the name of which it speaks most."""
    links: dict[Key, float] = {}
    least = math.inf
    for words in source.searched.values():
        scores: defaultdict[Key, float] = defaultdict(float)
        for word in words:
            for key, weight in weights.get(word, {}).items():
                scores[key] += weight
        for key in scores:
            scores[key] += question_weights.get(key, 0.0)
        most = max((*scores.values(), *question_weights.values()), default=0.0)
        least = min(least, most)
        for key, score in scores.items():
            links[key] = max(links.get(key, 0.0), score / most)
    for key, score in question_weights.items():
        links[key] = max(links.get(key, 0.0), score / least)
    return links


def _weights(texts: Mapping[Key, Sequence[str]], words: frozenset[str]) -> dict[str, dict[Key, float]]:
    """BM25's weight of each wanted word in each text that has it. These texts are its only statistics."""
    mean = sum(map(len, texts.values())) / max(len(texts), 1) or 1.0
    weights: dict[str, dict[Key, float]] = {}
    for key, text in texts.items():
        length = _SATURATION * (1 - _LENGTH + _LENGTH * len(text) / mean)
        for word in words.intersection(text):
            count = text.count(word)
            weights.setdefault(word, {})[key] = (_SATURATION + 1) * count / (count + length)
    for by_key in weights.values():
        rare = rarity(len(by_key), of=len(texts))
        for key in by_key:
            by_key[key] *= rare
    return weights


def _with_score(reference: Reference, source: Reference, link: float) -> Reference:
    """The reference with the score of the document that has the name, times its link to it, or its own higher score."""
    if source.hit.score is None:
        return reference._replace(hit=reference.hit._replace(score=None))
    score = max(round(min(link, 1.0) * source.hit.score, 4), reference.hit.score or 0.0)
    return reference._replace(hit=reference.hit._replace(score=score))


def _words_of(references: Sequence[Reference]) -> dict[Key, list[str]]:
    """The words of the beginnings of documents. All are made at once, which takes a third of the time."""
    texts = (
        f"{title_of(reference.hit)} {passage(reference.hit)[:READ]}".replace(_BETWEEN, " ") for reference in references
    )
    together = _BETWEEN.join(texts).casefold()
    for sign in _PUNCTUATION:
        together = together.replace(sign, " ")
    word_lists = (text.split() for text in together.split(_BETWEEN))
    return dict(zip((reference.key for reference in references), word_lists, strict=True)) if references else {}


def _words(text: str) -> list[str]:
    return [word for word in _SIGNS.split(text.casefold()) if word]
