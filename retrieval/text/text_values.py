"""A text, and the values that rules compute from the text. Each value is computed at its first use and then cached."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from retrieval.model.retrieval import Chunk
from retrieval.text import brackets, links, normal_form
from retrieval.text.content_words import vocabulary
from retrieval.text.figures import figures_of
from retrieval.text.languages.language import recognised
from retrieval.text.sentences import sentences

_CLAUSE: Final = re.compile(r"[,;:()–—，；：、（）]")


class Clause(NamedTuple):
    """The words of a clause. `denies` is true if the clause has a negation."""

    words: frozenset[str]
    denies: bool


class Sentence(NamedTuple):
    """The words of a sentence, and its clauses."""

    words: frozenset[str]
    clauses: Sequence[Clause]


@dataclass(frozen=True, eq=False)
class Reading:
    """A text that other texts are compared with. `language` is None if it is not recognised. `words` are the different
    words in the form for comparing, and `figures` the figures that claims are compared with. `bare` are the pages and
    domains without a scheme. `written` is the text as `normal_form` normalizes it. `joined` is this form with links
    replaced by their labels, and without the separators between thousands. `brackets` are the square brackets with
    their words.
    """

    text: str

    language = cached_property(lambda self: recognised(self.text))
    words = cached_property(lambda self: vocabulary(self.text))
    figures = cached_property(lambda self: figures_of(self.text, self.language))
    addresses = cached_property(lambda self: links.addresses(self.text))
    bare = cached_property(lambda self: links.bare_addresses(self.text))
    brackets = cached_property(lambda self: brackets.literal(self.text))
    written = cached_property(lambda self: normal_form.literal(self.text))
    joined = cached_property(lambda self: normal_form.joined(self.text, links=True))

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of the text, at most 250; empty if the language is not recognised."""
        if self.language is None:
            return ()
        clauses = [_CLAUSE.split(self.text[span.start : span.end]) for span in sentences(self.text)]
        denies = self.language.denies
        return tuple(
            Sentence(vocabulary(" ".join(parts)), tuple(Clause(vocabulary(part), denies(part)) for part in parts))
            for parts in clauses
        )


@dataclass(frozen=True, eq=False)
class ReadChunk:
    """A chunk with the Reading of its text. `beside` has the Readings of the chunk's label, heading and date."""

    chunk: Chunk

    @cached_property
    def text(self) -> Reading:
        return Reading(self.chunk.text)

    @cached_property
    def beside(self) -> tuple[Reading, ...]:
        return tuple(Reading(text) for text in self.chunk.beside if text)

    @property
    def texts(self) -> tuple[Reading, ...]:
        return (self.text, *self.beside) if self.chunk.text else self.beside
