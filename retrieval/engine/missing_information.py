"""Questions to the user by rules: for other words for a term that no text has, or for more about the topic.

They are in the language of the user's question. Only names, numbers and longer words are repeated. If the texts lack
most of the question, or its words cannot be divided, repeating some of them would not help.
"""

from collections.abc import Sequence, Set
from typing import Final

from retrieval.engine.answer_kinds import Kind
from retrieval.text import content_words
from retrieval.text.clipped import clip
from retrieval.text.languages.language import Language
from retrieval.text.languages.recognition import language_of

MOST: Final = 3
LONGEST_WORD: Final = 60
LETTERS: Final = 5
"""A shorter word more often belongs to grammar than to the topic."""


def questions(question: str, said: Sequence[Set[str]], *, language: Language | None = None) -> tuple[str, ...]:
    """One to three. `said` are the words of every text that was found; the language is the question's unless given."""
    frames = (language or language_of(question)).frames
    every = frozenset[str]().union(*said)
    written = content_words.as_written(question)
    unsaid = [text for word, text in written.items() if word not in every]
    if content_words.unspaced(question) or 2 * len(unsaid) > len(written):
        return (frames.more,)
    start = question.lstrip(" \t\r\n¡¿\"'“‘«(")
    named = [one for one in dict.fromkeys(unsaid) if _names(one, first=start.startswith(one))]
    asked = (frames.unmentioned.format(word=clip(one, LONGEST_WORD)) for one in named)
    return tuple(asked)[:MOST] or (frames.more,)


def with_kinds(asked: Sequence[str], lacking: Set[Kind]) -> tuple[str, ...]:
    """The same questions, after questions in the same language for the kinds of answers that no quote has."""
    frames = language_of(" ".join(asked)).frames
    kinds = [asking for kind, asking in frames.lacking.items() if kind in lacking]
    return (*kinds, *(one for one in asked if not kinds or one != frames.more))[:MOST]


def _names(word: str, *, first: bool) -> bool:
    """Whether it is a name; the `first` word of a question only with a figure or an inner capital."""
    if any(map(str.isdigit, word)) or (not word.isupper() and word[1:] != word[1:].lower()):
        return True
    if first:
        return len(word) > 1 and word.isupper()
    return word[0].isupper() or len(word) >= LETTERS
