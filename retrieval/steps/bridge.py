"""The bridge: follow-up queries for what the first documents name and the question does not. No model is asked.

A question that needs two documents often names neither thing that joins them: "the star of *Kiss and Tell*" stands in
the first document by name, and the second is about that name. Names are words with a capital or a figure, in Chinese
and Japanese what stands in title marks or in katakana. They are made of words alone, so that a document can put a name
into a query and nothing else: no sentence, no operator.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from retrieval.answer import Chunk, PlannedQuery
from retrieval.carry_over import clip
from retrieval.steps.sentences import sentences
from retrieval.steps.telling import SILENT, as_written, said_in, vocabulary, weights, words

DOCUMENTS: Final = 3
LONGEST_NAME: Final = 80
LONGEST_QUERY: Final = 400
RANK: Final = 0.3
"""How much less a name counts for every document before its own."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_TITLE: Final = re.compile(r"[《『「]([^《『「」』》]{2,30})[》』」]|([\u30a1-\u30fa\u30fc]{3,30})")
_JOINING: Final = frozenset("of the and de del della di da du des la le van von der den for in al el y".split())
_MOST_JOINING: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """What a document calls something, its words as they are compared, and how much of the question stands near it."""

    text: str
    words: frozenset[str]
    near: float


def follow_ups(
    question: str, chunks: Sequence[Chunk], *, most: int = 3, said: Sequence[Set[str]] | None = None
) -> tuple[PlannedQuery, ...]:
    """At most `most` queries, each a name that the first three chunks have and the question lacks, and what it tells.

    Names that stand near most of the question come first; no two share a word. `said` are the words of each chunk, for
    who has them already.
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

    Of a question without capitals, whether a telling word of it is part of a name in the first three chunks.
    """
    if question != question.lower():
        return any(_is_name(match[0]) for match in itertools.islice(_WORD.finditer(question), 1, None))
    tell = as_written(question).keys()
    texts = (text for chunk in chunks[:DOCUMENTS] for text in _texts(chunk))
    return any(word in tell for text in texts for name in _named(text) for word in words(name))


def _names(chunks: Sequence[Chunk], weighed: Mapping[str, float], asked: Set[str]) -> Iterator[Name]:
    """The names that are at least half new; `near` is the weight of the question in their sentence."""
    for place, chunk in enumerate(chunks):
        for text in _texts(chunk):
            said = weighed.keys() & vocabulary(text)
            near = sum(weighed[word] for word in said) / (1 + RANK * place)
            for name in _named(text) if near else ():
                parts = frozenset(word for word in words(name) if word not in SILENT)
                if parts and 2 * len(parts - asked) >= len(parts):
                    yield Name(text=name, words=parts, near=near)


def _texts(chunk: Chunk) -> Iterator[str]:
    """The title and each sentence."""
    yield chunk.reference.hit.title or ""
    yield from (chunk.text[start:end] for start, end in sentences(chunk.text))


def _named(text: str) -> Iterator[str]:
    """The names in a text: runs of words with a capital, small joining words between them, and titles in marks."""
    run: list[str] = []
    joining: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        end = match.end()
        if run and not (gap == " " or (gap == ". " and len(run[-1]) == 1)):
            yield from _name(run)
            run, joining = [], []
        if _is_name(word):
            run += [*joining, word]
            joining = []
        elif run and word in _JOINING and len(joining) < _MOST_JOINING:
            joining.append(word)
        else:
            yield from _name(run)
            run, joining = [], []
    yield from _name(run)
    yield from (match[1] or match[2] for match in _TITLE.finditer(text))


def _name(run: Sequence[str]) -> Iterator[str]:
    """The run as one text, without what only asks or joins at its beginning."""
    start = next((at for at, word in enumerate(run) if word.casefold() not in SILENT), len(run))
    text = " ".join(run[start:])
    if 2 <= len(text) <= LONGEST_NAME:
        yield text


def _is_name(word: str) -> bool:
    return word[0].isupper() or (word.isalnum() and any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
