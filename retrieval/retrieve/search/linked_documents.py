"""The documents that have the names for which a follow-up searched, and the strength of each document's link to the
names.

The weights were chosen on 100 questions of HotpotQA and 50 of MuSiQue (docs/calling/retrieve.md). Without the links,
13 of 100 questions of MuSiQue that were kept back lose a document among the first ten.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from retrieval.model.retrieval import Key, Reference
from retrieval.retrieve.second_search import (
    MOST_COMPARED,
    Lead,
    NamingDocument,
    bare_title,
    name_words,
    words_by_document,
)
from retrieval.text.content_words import rarity

QUESTION_WEIGHT: Final = 0.6
"""The weight of the question's words. The words of a name have the weight 1. Without it all-gold@10 falls by 4 of 100
questions of HotpotQA and by 6 of 50 of MuSiQue."""

SOURCE_WEIGHT: Final = 0.8
"""The weight of the score of the first round's document in which the name was found. Without it recall@5 of HotpotQA
falls by 1.5 [0, 3.5]."""

TITLE_WEIGHT: Final = 0.25
"""The strength that a document gains where its title is the name. Without it all-gold@8 of HotpotQA falls by 2 and of
MuSiQue by 1 question."""

RANK_WEIGHT: Final = 0.3
RANK_HALF: Final = 5
"""The strength that the best document of the search for names gains, and the rank that gains half of it."""

MOST_LINKED: Final = 16

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""BM25's usual k1 and b."""

Weights: TypeAlias = Mapping[str, Mapping[Key, float]]
"""The weight of a word in each document that has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A document that is linked to a name in another document, its source. The reference keeps the score that a ranker
    gave it.

    `score`, 0 to 4, is compared with the threshold, and never shown: the score of the source times the link, or the
    document's own score if that is higher. It is None if the source has no score. `entitled` says that the title of the
    document is a name in its source.
    """

    reference: Reference
    score: float | None
    strength: float
    entitled: bool


def linked_documents(lead: Lead, first: Sequence[Reference], second: Sequence[Reference]) -> tuple[Linked, ...]:
    """The documents of two rounds that have words of the names, best first. If both rounds have a document, that of the
    second round is used.

    `first` must have every document from which the lead was made, in any order. `second` is in the order of its search.
    """
    second = second[:MOST_COMPARED]
    documents = {reference.key: reference for reference in (*first, *second)}
    gains = {reference.key: RANK_WEIGHT * RANK_HALF / (RANK_HALF + rank) for rank, reference in enumerate(second)}
    new = words_by_document([reference for reference in second if reference.key not in lead.said])
    texts = {**lead.said, **new}
    titles = {key: name_words(bare_title(documents[key])) for key in texts}
    words_wanted = lead.asked.union(*(words for source in lead.sources for words in source.searched.values()))
    weights = _weights(texts, words_wanted)
    asked = _asked_weights(lead.asked, weights)
    best = max((reference.hit.placing or 0.0 for reference in first), default=0.0) or 1.0
    linked: dict[Key, Linked] = {}
    for source in lead.sources:
        share = SOURCE_WEIGHT * (source.reference.hit.placing or 0.0) / best
        for key, link in _links(source, asked, weights):
            entitled = titles[key] in source.names
            strength = link + share + TITLE_WEIGHT * entitled + gains.get(key, 0.0)
            if key != source.reference.key and (key not in linked or linked[key].strength < strength):
                score = _score(documents[key], source.reference, 1.0 if entitled else link)
                linked[key] = Linked(reference=documents[key], score=score, strength=strength, entitled=entitled)
    return tuple(sorted(linked.values(), key=lambda link: -link.strength)[:MOST_LINKED])


def _links(source: NamingDocument, asked: Mapping[Key, float], weights: Weights) -> Iterator[tuple[Key, float]]:
    """The link of each document to a source's names, 0 to 1. Of a document's links to several names, the strongest
    counts.

    The link is 1 if no other document has a higher weight for a word of the name, or for the question.
    """
    links: dict[Key, float] = {}
    most_asked = max(asked.values(), default=0.0)
    for words in source.searched.values():
        of_name = [weights[word] for word in words if word in weights]
        whole = most_asked + sum(max(by_key.values()) for by_key in of_name)
        for key in {key for by_key in of_name for key in by_key}:
            score = asked.get(key, 0.0) + sum(by_key.get(key, 0.0) for by_key in of_name)
            links[key] = max(links.get(key, 0.0), score / whole)
    return iter(links.items())


def _asked_weights(asked: frozenset[str], weights: Weights) -> dict[Key, float]:
    """The weight of the question in each document that has a word of it."""
    sums: defaultdict[Key, float] = defaultdict(float)
    for word in asked:
        for key, weight in weights.get(word, {}).items():
            sums[key] += QUESTION_WEIGHT * weight
    return sums


def _weights(texts: Mapping[Key, Sequence[str]], words: frozenset[str]) -> dict[str, dict[Key, float]]:
    """BM25's weight of each wanted word in each text that has it. The statistics come from these texts alone."""
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


def _score(reference: Reference, source: Reference, link: float) -> float | None:
    if source.hit.placing is None:
        return None
    return max(round(min(link, 1.0) * source.hit.placing, 4), reference.hit.placing or 0.0)
