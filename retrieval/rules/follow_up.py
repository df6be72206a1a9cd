"""The follow-up without a model: one search for the names that the first documents bring, and what it is worth.

A question that needs two documents often does not name the thing that joins them: the first document has the name of
"the star of *Kiss and Tell*", and the second is about that name. The search is made without the service's ranker, which
would score its documents for the names; they are scored here, by the names and by the document that brought them.

The weights were chosen on HotpotQA, MuSiQue and 2WikiMultiHopQA, and read on four other sets (docs/retrieve.md).
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from retrieval.model.plan import PlannedQuery
from retrieval.model.retrieval import Key, Reference
from retrieval.model.search import Searched
from retrieval.rules.names import names_in
from retrieval.text.clipped import LONGEST_READ, clip, ends
from retrieval.text.content_words import rarity
from retrieval.text.languages.recognition import language_of
from retrieval.text.source_labels import passage, title_of

DOCUMENTS: Final = 3
"""So many documents bring names, or one of each search where there are more."""

NAMES: Final = 6
"""Of each document: the rarest."""

COMPLETE: Final = 3.5
"""From here on a score is nearer to "answers the question completely" than to the level below it, and nothing lacks."""

COMMON: Final = 0.5
"""A name that more of the documents have leads nowhere: the people of a chat, the product of a manual."""

ASKED: Final = 0.35
"""The weight of the question's own words beside a name's."""

ENTITLED: Final = 0.5
"""What it adds that a document's title is the name."""

BROUGHT: Final = 0.8
"""How much the score of the document that brought the name counts."""

LINKED: Final = 1.0
"""The least strength of a document that is linked."""

MOST_LINKED: Final = 16

GOAL: Final = "What is said of names that the first documents bring"
LONGEST_QUERY: Final = 1_000
BEGINNING: Final = 3
"""Of a sentence with a full stop, so many words tell whether it asks: "Tell me who …"."""
COMPARED: Final = 25
"""Documents of a round that are compared with names: the best."""

READ: Final = 600
"""Characters of a document that are compared with names."""

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
class Source:
    """A document that brings names which the question lacks; `searched` are the rarest of them, each with its words."""

    reference: Reference
    names: frozenset[Words]
    searched: Mapping[str, Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """What a follow-up searches for, and the documents that name it. `asked` are the question's words, `said` those of
    every document of the first round."""

    query: PlannedQuery
    sources: tuple[Source, ...]
    asked: frozenset[str]
    said: Mapping[Key, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A document that the follow-up leads to; its reference has a score of 0 to 4 where its source has one. It is
    `entitled` where a name is its title."""

    reference: Reference
    strength: float
    entitled: bool


def lead(question: str, found: Sequence[Reference], *, searches: int = 1, next: str = "") -> Lead | None:
    """What to search for after the documents of a first round, best first; None where a follow-up does not pay.

    It pays where the question names something and relates it to something else, or a plan says what is to be looked up
    `next`, and the first documents name something that the question lacks.
    """
    question = ends(question, LONGEST_READ)
    if not next and not relates(question):
        return None
    said = frozenset(_words(question))
    first = found[: max(DOCUMENTS, searches)]
    brought = [_brought(one, said) for one in first]
    wanted = {word for names in brought for words in names.values() for word in words}
    texts = _said(found[:COMPARED])
    frequency = Counter(word for text in texts.values() for word in wanted.intersection(text))
    sources = tuple(
        Source(
            reference=one,
            names=frozenset(names.values()),
            searched=_rarest(names, frequency, most=max(DOCUMENTS, COMMON * len(texts))),
        )
        for one, names in zip(first, brought, strict=True)
        if names
    )
    names = dict.fromkeys(name for source in sources for name in source.searched)
    if not names:
        return None
    query = PlannedQuery(query=clip(" ".join([*names, question]), LONGEST_QUERY), goal=next or GOAL)
    return Lead(query=query, sources=sources, asked=said - language_of(question).silent, said=texts)


def answers(question: str, searched: Sequence[Searched]) -> bool:
    """Whether a document answers the question completely. Only searches for the question itself tell: a short query for
    its first step is answered completely by the document of that step."""
    own = (one for one in searched if one.subquery.search == question)
    return any((hit.score or 0.0) >= COMPLETE for one in own for hit in one.page.hits)


def relates(question: str) -> bool:
    """Whether it asks something, names something after its first word, and relates that to something else."""
    language = language_of(question)
    _, _, rest = question.partition(" ")
    words = _words(question)
    asks = question.rstrip().endswith("?") or not language.asking.isdisjoint(
        words[:BEGINNING] if question.rstrip().endswith(".") else words
    )
    return asks and language.names != "marks" and language.relates(rest) and _names_something(question)


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


def linked(lead: Lead, first: Sequence[Reference], second: Sequence[Reference]) -> tuple[Linked, ...]:
    """The documents of two rounds that speak of the names, best first; those of the second take precedence.

    `first` has every document that the lead was made from, in any order.
    """
    documents = {one.key: one for one in (*first, *second[:COMPARED])}
    wanted = lead.asked.union(*(words for source in lead.sources for words in source.searched.values()))
    said = {**lead.said, **_said([one for one in second[:COMPARED] if one.key not in lead.said])}
    weights, titles = _weights(said, wanted), {key: tuple(_words(title_of(documents[key].hit))) for key in said}
    own: defaultdict[Key, float] = defaultdict(float)
    for word in lead.asked:
        for key, weight in weights.get(word, {}).items():
            own[key] += ASKED * weight
    best = max((one.hit.score or 0.0 for one in first), default=0.0) or 1.0
    found: dict[Key, tuple[float, float, Reference]] = {}
    for source in lead.sources:
        own_key, brought = source.reference.key, BROUGHT * (source.reference.hit.score or 0.0) / best
        for key, speaks in _links(source, own, weights).items():
            link = speaks + (ENTITLED if titles[key] in source.names else 0.0)
            if key != own_key and (key not in found or found[key][0] < link + brought):
                found[key] = (link + brought, link, source.reference)
    entitling = frozenset[Words]().union(*(source.names for source in lead.sources))
    strongest = sorted(found, key=lambda key: -found[key][0])[:MOST_LINKED]
    return tuple(
        Linked(
            reference=_scored(documents[key], source, link),
            strength=strength,
            entitled=titles[key] in entitling,
        )
        for key in strongest
        for strength, link, source in (found[key],)
    )


def _brought(reference: Reference, said: frozenset[str]) -> dict[str, Words]:
    """The names in a document that have a word which the question lacks, each with its words."""
    found = names_in(passage(reference.hit), title=title_of(reference.hit))
    names = {name: tuple(_words(name)) for name in found}
    return {name: words for name, words in names.items() if not said.issuperset(words)}


def _rarest(names: Mapping[str, Words], frequency: Mapping[str, int], *, most: float) -> dict[str, Words]:
    """The six rarest names, of those that so many texts have at most."""
    common = {name: sum(frequency[word] for word in words) / len(words) for name, words in names.items()}
    return {name: names[name] for name in sorted(common, key=common.__getitem__)[:NAMES] if common[name] <= most}


def _links(source: Source, own: Mapping[Key, float], weights: Mapping[str, Mapping[Key, float]]) -> dict[Key, float]:
    """How much each document speaks of a source's names, 0 to 1: that of the name of which it speaks most."""
    links: dict[Key, float] = {}
    least = math.inf
    for words in source.searched.values():
        scores: defaultdict[Key, float] = defaultdict(float)
        for word in words:
            for key, weight in weights.get(word, {}).items():
                scores[key] += weight
        for key in scores:
            scores[key] += own.get(key, 0.0)
        most = max((*scores.values(), *own.values()), default=0.0)
        least = min(least, most)
        for key, score in scores.items():
            links[key] = max(links.get(key, 0.0), score / most)
    for key, score in own.items():
        links[key] = max(links.get(key, 0.0), score / least)
    return links


def _weights(texts: Mapping[Key, Sequence[str]], wanted: frozenset[str]) -> dict[str, dict[Key, float]]:
    """BM25's weight of each wanted word in each text that has it. These texts are its only statistics."""
    mean = sum(map(len, texts.values())) / max(len(texts), 1) or 1.0
    weights: dict[str, dict[Key, float]] = {}
    for key, text in texts.items():
        length = _SATURATION * (1 - _LENGTH + _LENGTH * len(text) / mean)
        for word in wanted.intersection(text):
            count = text.count(word)
            weights.setdefault(word, {})[key] = (_SATURATION + 1) * count / (count + length)
    for found in weights.values():
        rare = rarity(len(found), of=len(texts))
        for key in found:
            found[key] *= rare
    return weights


def _scored(reference: Reference, source: Reference, link: float) -> Reference:
    """With the score of the document that brought the name, as far as this one speaks of it, or its own higher one."""
    if source.hit.score is None:
        return reference._replace(hit=reference.hit._replace(score=None))
    score = max(round(min(link, 1.0) * source.hit.score, 4), reference.hit.score or 0.0)
    return reference._replace(hit=reference.hit._replace(score=score))


def _said(references: Sequence[Reference]) -> dict[Key, list[str]]:
    """The words of the beginnings of documents. All are made at once, which takes a third of the time."""
    texts = (f"{title_of(one.hit)} {passage(one.hit)[:READ]}".replace(_BETWEEN, " ") for one in references)
    together = _BETWEEN.join(texts).casefold()
    for sign in _PUNCTUATION:
        together = together.replace(sign, " ")
    said = (text.split() for text in together.split(_BETWEEN))
    return dict(zip((one.key for one in references), said, strict=True)) if references else {}


def _words(text: str) -> list[str]:
    return [word for word in _SIGNS.split(text.casefold()) if word]
