"""What supports an answer: the chunks of this run, and the words that were retrieved or asked."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

from retrieval.citations import admissions
from retrieval.model.chunk import Chunk
from retrieval.text import addresses
from retrieval.text.content_words import SILENT, vocabulary
from retrieval.text.languages.recognition import language_of, recognised
from retrieval.text.normal_form import nfkc
from retrieval.text.quotations import Source, quoted, same
from retrieval.text.sentences import sentences

REMEMBERED: Final = 64
LEAST_DIGITS: Final = 3

ABOUT: Final = frozenset(
    """document source text chunk excerpt passage material context answer question information detail mention state
    stated mentioned tell told contain cover include specify specified provide provided given found available clear
    unclear missing sufficient insufficient enough complete incomplete following summary short overall however therefore
    also thus see below above note regarding concerning based according retrieved whether""".split()
)
"""Words of sentences that are about the documents, not from them."""

_CLAUSE: Final = re.compile(r"[,;:()–—，；：、（）]")
Clause: TypeAlias = tuple[Set[str], bool]
"""Its words, and whether it denies."""

_FIGURE: Final = re.compile(r"[0-9]++(?:[,.'’\u00a0\u202f][0-9]{3}(?![0-9]))*+")


@dataclass(frozen=True, kw_only=True)
class Basis:
    """`sources` are the chunks that may be cited, by their ids; `over` are ids that were shown and may not.

    `texts` are what was retrieved or asked, the labels of chunks among them.
    """

    asked: str
    sources: Mapping[str, Source]
    over: Collection[str]
    texts: Sequence[str]

    def knows(self, text: str, *, few: int = 0, short: int = 0) -> bool:
        """Whether half of its content words and all its figures were retrieved or asked; true for a text without words.

        It is enough if at most `few` words were not, or if it has at most `short` words.
        """
        telling = _telling(text)
        holds = (
            len(telling) <= short or 2 * len(unknown := telling - self._words) <= len(telling) or len(unknown) <= few
        )
        return holds and self._knows_figures(text)

    def repeats(self, text: str, ids: Sequence[str]) -> bool:
        """Whether the chunks of these ids know all its words and figures, and deny where it denies.

        The sentences that have most of its words decide. Where the language of a chunk is in doubt, nothing is known.
        """
        chunks = [self.sources[name].chunk for name in ids]
        said = [text for one in chunks for text in (one.text, *one.beside)]
        words, figures = vocabulary(text), frozenset(_figures(text, least=1))
        known = all(any(word in _vocabulary(one) for one in said) for word in words)
        known = known and all(any(figure in _all_figures(one, least=1) for one in said) for figure in figures)
        return known and _denies_alike(text, words, [one.text for one in chunks])

    def asks_about(self, quotation: str) -> bool:
        """Whether the words are those that the user quoted."""
        return bool(self._quoted) and same(quotation) in self._quoted

    def admits(self, text: str, known: admissions.Known) -> bool:
        """Whether it may say without a source that something is missing: it names only what is known."""
        return admissions.admits(text, frozenset(_figures(text, least=1)), known)

    def known(self, ids: Collection[str]) -> admissions.Known:
        """What was asked, and what stands in the chunks of these ids; in all chunks, if there is no id."""
        chunks = [one.chunk for name, one in self.sources.items() if not ids or name in ids]
        texts = (self.asked, *(text for one in chunks for text in (one.text, *one.beside)))
        return admissions.Known(
            text=admissions.flat(" ".join(texts)),
            words=frozenset[str]().union(*map(_vocabulary, texts)),
            figures=frozenset(figure for text in texts for figure in _figures(text, least=1)),
            addresses=frozenset[str]().union(*map(addresses.of, texts)),
        )

    def foreign(self, text: str, known: Sequence[str]) -> Set[str]:
        """The addresses of a text that are in none of the known chunks; those without a scheme may have one there."""
        found, bare = addresses.of(text), addresses.without_scheme(text)
        cited = [self.sources[name].chunk for name in known] if found or bare else []
        texts = [said for one in cited for said in (one.text, one.source)]
        foreign = found.difference(*map(addresses.of, texts))
        if not bare:
            return foreign
        whole = (address.partition("://")[2] or address for said in texts for address in addresses.of(said))
        return foreign | bare.difference((one.casefold() for one in whole), *map(addresses.without_scheme, texts))

    def _knows_figures(self, text: str) -> bool:
        said = frozenset(_figures(text))
        return not said or said <= self._figures

    @cached_property
    def _quoted(self) -> Set[str]:
        return frozenset(same(self.asked[start:end]) for start, end in quoted(self.asked))

    @cached_property
    def _words(self) -> Set[str]:
        return frozenset[str]().union(*map(_vocabulary, self.texts))

    @cached_property
    def _figures(self) -> Set[str]:
        return frozenset[str]().union(*map(_all_figures, self.texts))


def basis(chunks: Sequence[Chunk], *, over: Collection[str], asked: str) -> Basis:
    """The basis of an answer to `asked` over these chunks; those in `over` may not be cited."""
    return Basis(
        asked=asked,
        sources={one.id: Source(one) for one in chunks if one.id not in over},
        over=over,
        texts=(asked, *(text for one in chunks for text in (one.text, *one.beside))),
    )


@lru_cache(maxsize=REMEMBERED)
def _vocabulary(text: str) -> Set[str]:
    """The vocabulary of a chunk; every block is compared with it."""
    return vocabulary(text)


@lru_cache(maxsize=REMEMBERED)
def _all_figures(text: str, *, least: int = LEAST_DIGITS) -> Set[str]:
    return frozenset(_figures(text, least=least))


def _denies_alike(text: str, words: Set[str], texts: Sequence[str]) -> bool:
    """Whether a text denies as one of the sentences does that have most of its words, in the clauses that have them."""
    most, alike = 0, False
    for said in texts:
        language = recognised(said)
        if language is None:
            continue
        denied = language.denies(text)
        for spoken, clauses in _spoken(said):
            shared = (words & spoken) - language.negations
            if len(shared) < most or not shared:
                continue
            agrees = denied in _denials(shared, clauses)
            most, alike = len(shared), agrees or (alike and len(shared) == most)
    return alike


def _denials(shared: Set[str], clauses: Sequence[Clause]) -> Set[bool]:
    """Whether the shortest runs of clauses that have all these words deny."""
    shortest, denials, start = len(clauses) + 1, set[bool](), 0
    counts = Counter[str]()
    for end, (spoken, _) in enumerate(clauses, start=1):
        counts.update(spoken & shared)
        while shared <= counts.keys():
            run = end - start
            if run <= shortest:
                denials = {*(denials if run == shortest else ()), any(denies for _, denies in clauses[start:end])}
                shortest = run
            counts -= Counter(clauses[start][0] & shared)
            start += 1
    return denials


@lru_cache(maxsize=REMEMBERED)
def _spoken(text: str) -> Sequence[tuple[Set[str], Sequence[Clause]]]:
    """Of every sentence of a chunk, at most 250, its words, and its clauses with theirs."""
    language = language_of(text)
    said = [_CLAUSE.split(text[one.start : one.end]) for one in sentences(text)]
    return tuple(
        (vocabulary(" ".join(parts)), tuple((vocabulary(one), language.denies(one)) for one in parts)) for parts in said
    )


def _telling(text: str) -> Set[str]:
    """The content words; addresses are checked separately."""
    return vocabulary(addresses.without(text)) - SILENT - ABOUT


def _figures(text: str, *, least: int = LEAST_DIGITS) -> Iterator[str]:
    """The figures of so many digits or more, without what divides thousands."""
    for found in _FIGURE.findall(nfkc(addresses.without(text))):
        digits = "".join(one for one in found if one.isdigit())
        if len(digits) >= least:
            yield digits
