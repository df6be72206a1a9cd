"""The grounds of an answer: the chunks of this run, and the words of the retrieved texts and the question.

They also decide whether a sentence may say, without a source, that something is missing. Every name, code, address,
figure and quotation in such a sentence was retrieved or is in the question. So the sentence only tells a reader that
something is missing. The language of the sentence decides which words count as names.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from retrieval.model.retrieval import Chunk
from retrieval.text import brackets
from retrieval.text.content_words import SILENT, nfkc, unspaced, vocabulary
from retrieval.text.figures import unknown_figures
from retrieval.text.languages.language import Language, language_of
from retrieval.text.links import without_addresses
from retrieval.text.quotations import quoted, same
from retrieval.text.sentences import sentences
from retrieval.text.text_values import Clause, ReadChunk, Reading

LONGEST: Final = 400
"""The most characters of an admission."""

_CODE: Final = re.compile(r"`([^`]*+)`")
_WORD: Final = re.compile(r"[^\s`“”„«»「」『』《》\"，。；：！？、（）()]++")
_MARKED: Final = re.compile(r"[「『《〈]([^」』》〉]*+)[」』》〉]")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
_TECHNICAL: Final = re.compile(r"[0-9_/\\@#$%=<>{}\[\]*+|~^&]|[^\W\d_]\.[^\W_]|^-|[^\W\d_]:[^\W_]")


@dataclass(frozen=True, eq=False)
class Known:
    """The question, and texts that were retrieved."""

    texts: Sequence[Reading]

    def admits(self, text: str) -> bool:
        """Whether the text is one sentence that names only known things."""
        text = nfkc(text)
        reading = Reading(text)
        if len(text) > LONGEST or len(sentences(text)) > 1:
            return False
        figures, addressed = [known.figures for known in self.texts], (known.addresses for known in self.texts)
        if any(unknown_figures(text, figures)) or reading.addresses.difference(*addressed):
            return False
        names = _names(without_addresses(_CODE.sub(" ", text)))
        return all(_flat(run) in self._text for run in _verbatim(text)) and all(
            vocabulary(name) - SILENT <= self._words for name in names
        )

    @cached_property
    def _text(self) -> str:
        return _flat(" ".join(reading.text for reading in self.texts))

    @cached_property
    def _words(self) -> Set[str]:
        return frozenset[str]().union(*(reading.words for reading in self.texts))


def _flat(text: str) -> str:
    """A text in the form in which code and quotations of an admission are looked up."""
    return " ".join(nfkc(text).split()).casefold()


def _verbatim(text: str) -> Iterator[str]:
    """The code, titles and quotations in a text, which must be known word for word."""
    yield from _CODE.findall(text)
    yield from _MARKED.findall(text)
    yield from (text[start:end].rstrip(".,") for start, end in quoted(text))


def _names(text: str) -> Iterator[str]:
    """The words that name something. Such a word has a capital, is a technical term, or is in Latin letters in a text
    that has Chinese, Japanese or Korean characters."""
    language, among_signs = language_of(text), unspaced(text)
    words = [word.strip(".,;:!?'’‘…–—") for word in _WORD.findall(text)]
    for place, word in enumerate(words):
        capital = word[:1].isupper() and place > 0 and not _is_usual(word, language)
        beside = [words[at] for at in (place - 1, place + 1) if 0 <= at < len(words)]
        if (
            _TECHNICAL.search(word)
            or any(letter.isupper() for letter in word[1:])
            or (among_signs and _LATIN.search(word))
            or (capital and (language.names != "runs" or _in_a_run(beside, place, language)))
        ):
            yield word


def _in_a_run(beside: list[str], place: int, language: Language) -> bool:
    """Whether a neighbouring word has a capital too. The first word of the text does not count."""
    others = beside[1:] if place == 1 else beside
    return any(word[:1].isupper() and not _is_usual(word, language) for word in others)


def _is_usual(word: str, language: Language) -> bool:
    return word.casefold() in language.never_names


LEAST_DIGITS: Final = 3

ABOUT: Final = frozenset(
    """document source text chunk excerpt passage material context answer question information detail mention state
    stated mentioned tell told contain cover include specify specified provide provided given found available clear
    unclear missing sufficient insufficient enough complete incomplete following summary short overall however therefore
    also thus see below above note regarding concerning based according retrieved whether""".split()
)
"""Words with which an answer speaks about its documents. They do not count as content words."""


@dataclass(frozen=True, kw_only=True)
class Basis(Known):
    """`sources` are the chunks that may be cited, by their ids.

    `over` are the ids of chunks that were shown and may not be cited. `texts` are the retrieved texts with their
    labels, and the question.
    """

    asked: Reading
    sources: Mapping[str, ReadChunk]
    over: Collection[str]

    def knows(self, text: str, *, few: int = 0, short: int = 0) -> bool:
        """Whether at least half of the content words of a text, and all its figures of at least three digits, are in
        the retrieved texts or the question.

        The words also pass if there are at most `short` content words, or if at most `few` of them are unknown.
        """
        telling = vocabulary(without_addresses(text)) - SILENT - ABOUT
        unknown = telling - self._words
        figures = unknown_figures(text, [reading.figures for reading in self.texts])
        holds = len(telling) <= short or 2 * len(unknown) <= len(telling) or len(unknown) <= few
        return holds and all(figure.length < LEAST_DIGITS for figure in figures)

    def repeats(self, text: str, ids: Sequence[str]) -> bool:
        """Whether the chunks of these ids have all words and figures of the text, and have a negation exactly if the
        text has one. For the negation, chunks in an unknown language are ignored."""
        chunks, reading = [self.sources[name] for name in ids], Reading(text)
        texts = [text for chunk in chunks for text in chunk.texts]
        known = all(any(word in text.words for text in texts) for word in reading.words)
        known = known and not any(unknown_figures(text, [text.figures for text in texts]))
        return known and _denies_alike(reading, [text.text for text in chunks])

    def asks_about(self, quotation: str) -> bool:
        """Whether the user quoted these words."""
        return bool(self._quoted) and same(quotation) in self._quoted

    def known(self, ids: Collection[str]) -> Known:
        """The question, and the texts of the chunks of these ids, or of all chunks where no id is given."""
        chunks = [chunk for name, chunk in self.sources.items() if not ids or name in ids]
        return Known([self.asked, *(text for chunk in chunks for text in chunk.texts)])

    def foreign(self, text: str, known: Sequence[str]) -> Set[str]:
        """The addresses of a text that are in none of the known chunks. An address without a scheme may have a scheme
        in the chunk."""
        claimed = Reading(text)
        cited = [self.sources[name] for name in known] if claimed.addresses or claimed.bare else []
        texts = [text for chunk in cited for text in (chunk.text, *chunk.beside[:1])]
        foreign = claimed.addresses.difference(*(reading.addresses for reading in texts))
        if not claimed.bare:
            return foreign
        whole = (address.partition("://")[2] or address for reading in texts for address in reading.addresses)
        return foreign | claimed.bare.difference(
            (address.casefold() for address in whole), *(reading.bare for reading in texts)
        )

    def brackets(self, text: str, ids: Sequence[str]) -> Set[str]:
        """The square brackets of a text, with their words, that stand so in the chunks of these ids and do not look
        like a citation."""
        texts = [reading for name in ids for reading in self.sources[name].texts]
        bracketed = {brackets.form(text[start : end + 1]) for start, end in brackets.pairs(text)}
        known = (form for form in bracketed if any(form in reading.brackets for reading in texts))
        return frozenset(form for form in known if not brackets.cites(form, self._labels))

    @cached_property
    def _labels(self) -> Set[str]:
        labels = (source.chunk.source for source in self.sources.values())
        return frozenset(part for label in labels for part in brackets.parts_of_label(label))

    @cached_property
    def _quoted(self) -> Set[str]:
        return frozenset(same(self.asked.text[start:end]) for start, end in quoted(self.asked.text))


def basis(chunks: Sequence[Chunk], *, over: Collection[str], asked: str) -> Basis:
    """The grounds of an answer to the question `asked` from these chunks. The chunks in `over` may not be cited."""
    read, question = [ReadChunk(chunk) for chunk in chunks], Reading(asked)
    return Basis(
        asked=question,
        sources={source.chunk.id: source for source in read if source.chunk.id not in over},
        over=over,
        texts=(question, *(text for source in read for text in source.texts)),
    )


def _denies_alike(text: Reading, chunks: Sequence[Reading]) -> bool:
    """Whether a sentence of the chunks has a negation if the text has one, and has none if the text has none. Only the
    sentences that share the largest number of words with the text are compared. Of these sentences only the clauses
    with the shared words count."""
    most, alike = 0, False
    for chunk in chunks:
        if chunk.language is None:
            continue
        denied = chunk.language.denies(text.text)
        for sentence in chunk.sentences:
            shared = (text.words & sentence.words) - chunk.language.negations
            if len(shared) < most or not shared:
                continue
            agrees = denied in _denials(shared, sentence.clauses)
            most, alike = len(shared), agrees or (alike and len(shared) == most)
    return alike


def _denials(shared: Set[str], clauses: Sequence[Clause]) -> Set[bool]:
    """For each of the shortest runs of clauses that have all these words: whether a clause in it has a negation."""
    shortest, denials, start = len(clauses) + 1, set[bool](), 0
    counts = Counter[str]()
    for end, clause in enumerate(clauses, start=1):
        counts.update(clause.words & shared)
        while shared <= counts.keys():
            run = end - start
            if run <= shortest:
                denials = {*(denials if run == shortest else ()), any(clause.denies for clause in clauses[start:end])}
                shortest = run
            counts -= Counter(clauses[start].words & shared)
            start += 1
    return denials
