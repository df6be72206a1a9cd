"""The follow-up: queries for what the first documents name and the question does not. No model is asked.

A question that needs two documents often does not name the thing that joins them: the first document has the name of
"the star of *Kiss and Tell*", and the second is about that name. Names are words with a capital or a figure, in Chinese
and Japanese the text in title marks or in katakana. The first word of a sentence always has a capital and is a name
only if it has a capital elsewhere too; text in capitals has no names. Names consist of words, so a document can put
only a name into a query, and no sentence or operator.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from retrieval.model.chunk import Chunk
from retrieval.model.plan import PlannedQuery
from retrieval.text.content_words import SILENT, as_written, is_silent, said_in, vocabulary, weights, words
from retrieval.text.sentences import sentences
from retrieval.text.source_labels import title_of
from retrieval.text.standalone_question import clip

DOCUMENTS: Final = 3
LONGEST_NAME: Final = 80
LONGEST_QUERY: Final = 400
RANK: Final = 0.3
"""How much less a name counts for every document before the one that has it."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_TITLE: Final = re.compile(r"[《『「]([^《『「」』》]{2,30})[》』」]|([\u30a1-\u30fa\u30fc]{3,30})")
JOINING: Final = frozenset("of the and de del della di da du des la le van von der den for in al el y".split())
_MOST_JOINING: Final = 2
_LONGEST_ACRONYM: Final = 5
_MOST_ACRONYMS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in a document, its words as they are compared, and how much of the question is near it."""

    text: str
    words: frozenset[str]
    near: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """How words are written in texts: those with a capital `inside` a sentence, and those that occur in `small` too."""

    inside: frozenset[str]
    small: frozenset[str]

    def common(self, run: Sequence[str]) -> bool:
        """Whether the first word of a run that begins a sentence has its capital for that reason alone."""
        word = run[0]
        if word in self.inside or any(map(str.isdigit, word)):
            return False
        return len(run) == 1 or word.casefold() in self.small

    def shouted(self, run: Sequence[str]) -> bool:
        """Whether capitals alone make a run of words look like a name."""
        if len(run) == 1 or not all(map(str.isupper, run)):
            return False
        return len(run) > _MOST_ACRONYMS or any(
            len(word) > _LONGEST_ACRONYM or is_silent(word) or word.casefold() in self.small for word in run
        )


def follow_ups(
    question: str, chunks: Sequence[Chunk], *, most: int = 3, said: Sequence[Set[str]] | None = None
) -> tuple[PlannedQuery, ...]:
    """At most `most` queries, each a name that the first three chunks have and the question lacks, with content words.

    Names near most of the question come first; no two share a word. `said` are the words of each chunk, if they are
    known already.
    """
    weighed = weights(question, [said_in(chunk) for chunk in chunks] if said is None else said)
    asked = frozenset(words(question))
    picked: list[Name] = []
    for name in sorted(_names(chunks[:DOCUMENTS], weighed, asked), key=lambda one: -one.near):
        if len(picked) < most and not any(name.words & one.words for one in picked):
            picked.append(name)
    tail = " ".join(dict.fromkeys(as_written(question).values()))
    return tuple(
        PlannedQuery(query=clip(f"{one.text} {tail}", LONGEST_QUERY), goal=f"What is said of {one.text}")
        for one in picked
    )


def named(question: str, chunks: Sequence[Chunk]) -> bool:
    """Whether the question names something: a word after its first is written as a name is.

    If the question is in one case: whether a content word of it is part of a name in the first three chunks.
    """
    if question not in (question.lower(), question.upper()):
        return any(_is_name(match[0]) for match in itertools.islice(_WORD.finditer(question), 1, None))
    tell = as_written(question).keys()
    cases = _cases(chunks[:DOCUMENTS])
    texts = (text for chunk in chunks[:DOCUMENTS] for text in _texts(chunk))
    return any(word in tell for text in texts for name in _named(text, cases) for word in words(name))


def _names(chunks: Sequence[Chunk], weighed: Mapping[str, float], asked: Set[str]) -> Iterator[Name]:
    """The names that are at least half new; `near` is the weight of the question in their sentence."""
    cases = _cases(chunks)
    for place, chunk in enumerate(chunks):
        for text in _texts(chunk):
            said = weighed.keys() & vocabulary(text)
            near = sum(weighed[word] for word in said) / (1 + RANK * place)
            for name in _named(text, cases) if near else ():
                parts = frozenset(word for word in words(name) if word not in SILENT)
                if parts and 2 * len(parts - asked) >= len(parts):
                    yield Name(text=name, words=parts, near=near)


def _texts(chunk: Chunk) -> Iterator[str]:
    """The title and each sentence."""
    yield title_of(chunk.reference.hit)
    yield from (chunk.text[one.start : one.end] for one in sentences(chunk.text))


def _cases(chunks: Sequence[Chunk]) -> Cases:
    """The cases in the texts of chunks; a title of one word is a name too. Headings and capitals do not count."""
    inside: set[str] = set()
    small: set[str] = set()
    for chunk in chunks:
        title = _WORD.fullmatch(title_of(chunk.reference.hit).strip())
        inside.update(() if title is None else (title[0],))
        for span in sentences(chunk.text):
            text = chunk.text[span.start : span.end]
            if not span.heading and not text.isupper():
                rest = _WORD.findall(text)[0 if span.before else 1 :]
                inside.update(word for word in rest if word[0].isupper())
                small.update(word for word in rest if word.islower())
    return Cases(inside=frozenset(inside), small=frozenset(small))


def _named(text: str, cases: Cases) -> Iterator[str]:
    """The names in a text: runs of words with a capital, small joining words between them, and titles in marks."""
    first = True
    for run in _runs(text):
        if run:
            yield from _name(run[1:] if first and cases.common(run) else run, cases)
        first = False
    yield from (match[1] or match[2] for match in _TITLE.finditer(text))


def _runs(text: str) -> Iterator[list[str]]:
    """Runs of words with a capital, with joining words between; the first is empty if the text begins in lower case."""
    run: list[str] = []
    joining: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        if run and not (gap == " " or (gap == ". " and len(run[-1]) == 1)):
            yield run
            run, joining = [], []
        if _is_name(word):
            run += [*joining, word]
            joining = []
        elif run and word in JOINING and len(joining) < _MOST_JOINING:
            joining.append(word)
        elif run or not end:
            yield run
            run, joining = [], []
        end = match.end()
    yield run


def _name(run: Sequence[str], cases: Cases) -> Iterator[str]:
    """The run as one text, without question and joining words at its beginning; none for a run in capitals."""
    start = next((at for at, one in enumerate(run) if not is_silent(one) and one not in JOINING), len(run))
    text = " ".join(run[start:])
    if 2 <= len(text) <= LONGEST_NAME and not cases.shouted(run[start:]):
        yield text


def _is_name(word: str) -> bool:
    return word[0].isupper() or (word.isalnum() and any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
