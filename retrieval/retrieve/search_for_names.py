"""The follow-up without a model: when it is worth its cost, and its one search for the names in the first documents.

A question that needs two documents often does not name the thing that connects them. For "the star of *Kiss and Tell*",
the first document has the name of the star, and the second document is about that person. The search does not use the
service's ranker, which does not know in which document the names were found. Instead `linked_documents` scores
documents by the names and by the score of that document.

Names are runs of words with a capital or figures, titles in brackets such as 《》, and runs of katakana, by the rules
of the text's language. Small joining words may stand within a name. German writes all nouns with a capital, so a
German name is an acronym or several capitalised words in a row. Chinese has no capitals. Names consist only of words,
except titles in brackets of at most 30 characters. So the text of a document adds no long sentences to a query.
Without names, 7 of 100 questions of MuSiQue that were kept back lose a document among the first ten.

The weights of links were chosen on 100 questions of HotpotQA and 50 of MuSiQue (docs/calling/retrieve.md). Without the
links, 13 of 100 questions of MuSiQue that were kept back lose a document among the first ten.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final, TypeAlias

from retrieval.model.conversation import question_of
from retrieval.model.retrieval import Key, PlannedQuery, QueryPlan, Reference, RetrievalRequest
from retrieval.model.search import Searched
from retrieval.retrieve.plan import plan_limits
from retrieval.text.content_words import rarity
from retrieval.text.languages.language import language_of
from retrieval.text.length import LONGEST_READ, clip, ends
from retrieval.text.source_labels import passage, title_of

NAMES_READ: Final = 2_000
"""The most characters of a text that are read."""

LONGEST: Final = 80

_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_TITLE: Final = re.compile(r"[《『「]([^《『「」』》]{2,30})[》』」]|([\u30a1-\u30fa\u30fc]{3,30})")
_ENDS: Final = frozenset(".!?:;\n#*•|")
_MOST_JOINING: Final = 2


def names_in(text: str, *, title: str = "") -> Iterator[str]:
    """The names in a title and in the beginning of its text, as they are written there. Titles in brackets and words in
    katakana are taken from the text only, and come last.

    The first word of a sentence always has a capital: alone it is a name only if it also occurs within a sentence or in
    the title.
    """
    text = text[:NAMES_READ]
    language = language_of(text)
    runs = [NameRun(words=run.words) for run in _runs(title, language.joining)] + list(_runs(text, language.joining))
    inside = {word for run in runs for word in run.words[run.begins :]}
    for run in runs:
        name = language.name_in(run.words)
        common = run.begins and len(name) == 1 and name[0] == run.words[0] and name[0] not in inside
        if name and not common and 2 <= len(written := " ".join(name)) <= LONGEST:
            yield written
            yield from _parts(name, language.joining)
    yield from (match[1] or match[2] for match in _TITLE.finditer(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRun:
    """A run of words with a capital, with joining words between them. `begins` says that the first word begins a
    sentence."""

    words: list[str]
    begins: bool = False


def _runs(text: str, joining_words: frozenset[str]) -> Iterator[NameRun]:
    words: list[str] = []
    joining: list[str] = []
    begins, end = False, 0
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        first, end = not end or any(map(_ENDS.__contains__, gap)), match.end()
        if words and not (gap == " " or (gap == ". " and len(words[-1]) == 1)):
            yield NameRun(words=words, begins=begins)
            words, joining = [], []
        if is_name(word):
            begins = begins if words else first
            words += [*joining, word]
            joining = []
        elif words and word in joining_words and len(joining) < _MOST_JOINING:
            joining.append(word)
        elif words:
            yield NameRun(words=words, begins=begins)
            words, joining = [], []
    if words:
        yield NameRun(words=words, begins=begins)


def _parts(name: Sequence[str], joining_words: frozenset[str]) -> Iterator[str]:
    """The parts between the joining words of a name, if they have several words ("Ada Lovelace and Karl Brandt")."""
    for is_joining, group in groupby(name, key=joining_words.__contains__):
        part = [*group]
        if not is_joining and 1 < len(part) < len(name):
            yield " ".join(part)


def is_name(word: str) -> bool:
    """Whether a word is written as a name is: with a capital, or with figures and letters."""
    return word[0].isupper() or (word.isalnum() and any(map(str.isdigit, word)) and any(map(str.isalpha, word)))


DOCUMENTS: Final = 3
"""The number of first documents whose names are searched. If the plan has more than three queries, there are as many
such documents as queries."""

NAMES: Final = 10
"""The most names of a document that are searched; the rarest names come first."""

COMPLETE: Final = 3.5
"""The reranker score, 0 to 4, from which a document counts as answering the question completely. Without this gate 100
questions of XQuAD need 14 more searches, and no measure changes."""

COMMON: Final = 0.5
"""A name may be in at most this share of the documents; three documents are always allowed. A more common name does not
help to find other documents. Examples are the people in a chat, and the product in a manual. Without this rule MuSiQue
loses a question of 50 and 2Wiki one of 100, while LiHua gains .8 [.1, 1.7] of recall@10."""

GOAL: Final = "What is said of names that the first documents bring"
LONGEST_QUERY: Final = 1_000
BEGINNING: Final = 3
"""In a text that ends with a full stop, only this number of first words can show that it asks something: "Tell me who
…"."""
MOST_COMPARED: Final = 25
"""The number of the best documents of a round that are compared with names."""

READ: Final = 600
"""The most characters of a passage that are compared with names."""

_OPENING: Final = "\"'“”‘’«("
_WITHIN: Final = ",;'\"’”»)"
_SIGNS: Final = re.compile(r"[\W_]+")
_BETWEEN: Final = "\ue000"
_PUNCTUATION: Final = ".,;:!?()[]\"'“”‘’«»-–—/"

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingDocument:
    """A document with names that the question lacks. `searched` are the rarest of these names, each with its words."""

    reference: Reference
    names: frozenset[Words]
    searched: Mapping[str, Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The query of a follow-up, and the documents that have its names. `asked`: the question's content words. `said`
    has the words of each document of the first round that is compared with names."""

    query: PlannedQuery
    sources: tuple[NamingDocument, ...]
    asked: frozenset[str]
    said: Mapping[Key, Sequence[str]]


def searches_names(request: RetrievalRequest, planned: QueryPlan, searched: Sequence[Searched]) -> bool:
    """Whether a search for names is worth its cost. There must be no earlier turns, and no document that answers the
    question completely. The plan must have a next step, or the question must relate two things: without this gate,
    274 of SciFact's 300 questions would be searched twice, and HotpotQA and MuSiQue lose a question each."""
    if plan_limits.is_conversation(request) or answers(plan_limits.whole_question(request), searched):
        return False
    return bool(planned.next) or relates(question_of(request.messages))


def lead(question: str, references: Sequence[Reference], *, searches: int = 1, next: str = "") -> Lead | None:
    """The lead in the documents of a first round. `references` has these documents, best first. None where the first
    documents have no new names that are rare enough."""
    question = ends(question, LONGEST_READ)
    question_words = frozenset(words_in(question))
    first = references[: max(DOCUMENTS, searches)]
    names_by_document = [_names_in(reference, question_words) for reference in first]
    words_wanted = {word for names in names_by_document for words in names.values() for word in words}
    texts = words_by_document(references[:MOST_COMPARED])
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
    asked = clip(question, LONGEST_QUERY // 2)
    query = f"{clip(' '.join(names), LONGEST_QUERY - len(asked) - 1)} {asked}"
    planned = PlannedQuery(query=query, goal=next or GOAL)
    return Lead(query=planned, sources=sources, asked=question_words - language_of(question).silent, said=texts)


def answers(question: str, searched: Sequence[Searched]) -> bool:
    """Whether a document answers the question completely. Only searches for the whole question count. A document that
    answers one part of the question completely may not answer the whole question."""
    own_searches = (search for search in searched if search.subquery.search == question)
    return any((hit.score or 0.0) >= COMPLETE for search in own_searches for hit in search.page.hits)


def relates(question: str) -> bool:
    """Whether a text asks something, has a name after its first word, and relates one thing to another."""
    question = ends(question, LONGEST_READ)
    language = language_of(question)
    _, _, remainder = question.partition(" ")
    words = words_in(question)
    asks = question.rstrip().endswith("?") or not language.asking.isdisjoint(
        words[:BEGINNING] if question.rstrip().endswith(".") else words
    )
    return asks and language.names != "marks" and language.relates(remainder) and _names_something(question)


def _names_something(question: str) -> bool:
    """Whether a word after the first has a capital. The word before it must end in a small letter or `_WITHIN`, or
    begin with a capital. In German, `names_in` must find a name. In a text that is all in capitals no word counts."""
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


def bare_title(reference: Reference) -> str:
    """A document's title without the part in brackets at its end: "Mercury" for "Mercury (planet)"."""
    title = title_of(reference.hit)
    return (title.endswith(")") and title.rpartition("(")[0].strip()) or title


def name_words(name: str) -> Words:
    """The words of a name. Single letters are left out if at least two other words remain."""
    words = tuple(words_in(name))
    long = tuple(word for word in words if len(word) > 1 or word.isdigit())
    return long if len(long) > 1 else words


def words_by_document(references: Sequence[Reference]) -> dict[Key, list[str]]:
    """The words of the beginnings of documents. Punctuation is removed from all texts at once, in a third of the
    time."""
    texts = (
        f"{title_of(reference.hit)} {passage(reference.hit)[:READ]}".replace(_BETWEEN, " ") for reference in references
    )
    together = _BETWEEN.join(texts).casefold()
    for sign in _PUNCTUATION:
        together = together.replace(sign, " ")
    word_lists = (text.split() for text in together.split(_BETWEEN))
    return dict(zip((reference.key for reference in references), word_lists, strict=True)) if references else {}


def words_in(text: str) -> list[str]:
    return [word for word in _SIGNS.split(text.casefold()) if word]


def _names_in(reference: Reference, question_words: frozenset[str]) -> dict[str, Words]:
    """The names in a document that have a word which the question lacks, each with its words."""
    names_found = names_in(passage(reference.hit), title=bare_title(reference))
    names = {name: name_words(name) for name in names_found}
    return {name: words for name, words in names.items() if not question_words.issuperset(words)}


def _rarest(names: Mapping[str, Words], frequency: Mapping[str, int], *, most: float) -> dict[str, Words]:
    """At most ten names, rarest first. The words of a name are in at most `most` texts on average."""
    common = {name: sum(frequency[word] for word in words) / len(words) for name, words in names.items()}
    return {name: names[name] for name in sorted(common, key=common.__getitem__)[:NAMES] if common[name] <= most}


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
