"""What an answer may rest on: the chunks of this run, their names, and the words that were retrieved or asked."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from unicodedata import normalize

from retrieval.answer import Chunk
from retrieval.steps.citing import addresses, admissions, cited
from retrieval.steps.citing.cited import Names
from retrieval.steps.citing.quotations import Source
from retrieval.steps.telling import SILENT, vocabulary

MOST_EXCUSED: Final = 3
"""Unknown words of a sentence that says that something is missing."""

LEAST_DIGITS: Final = 3

ABOUT: Final = frozenset(
    """document source text chunk excerpt passage material context answer question information detail mention state
    stated mentioned tell told contain cover include specify specified provide provided given found available clear
    unclear missing sufficient insufficient enough complete incomplete following summary short overall however therefore
    also thus see below above note regarding concerning based according retrieved whether""".split()
)
"""Words of sentences about the documents rather than from them."""

_FIGURE: Final = re.compile(r"[0-9]++(?:[,.'’\u00a0\u202f][0-9]{3}(?![0-9]))*+")


@dataclass(frozen=True, kw_only=True)
class Basis:
    """`sources` are the chunks that may be cited, by their ids; `over` are ids that were shown and may not.

    `texts` are what was retrieved or asked, the labels of chunks among them.
    """

    sources: Mapping[str, Source]
    over: Collection[str]
    names: Names
    texts: Sequence[str]

    def knows(self, text: str, *, few: int = 0, short: int = 0) -> bool:
        """Whether half of its telling words were retrieved or asked, and its figures were; of no words that is true.

        It is enough that only a `few` were not, or that it has no more words than is `short`.
        """
        telling = _telling(text)
        holds = (
            len(telling) <= short or 2 * len(unknown := telling - self._words) <= len(telling) or len(unknown) <= few
        )
        return holds and self._knows_figures(text)

    def excuses(self, text: str) -> bool:
        """Whether it says that something is missing, and next to nothing else that nobody has said."""
        if not admissions.made(text) or not self._knows_figures(text):
            return False
        return len(_telling(text) - self._words) <= MOST_EXCUSED and addresses.of([text]) <= addresses.of(self.texts)

    def _knows_figures(self, text: str) -> bool:
        said = frozenset(_figures(text))
        return not said or said <= self._figures

    @cached_property
    def _words(self) -> Set[str]:
        return frozenset().union(*map(vocabulary, self.texts))

    @cached_property
    def _figures(self) -> Set[str]:
        return frozenset(figure for text in self.texts for figure in _figures(text))


def basis(chunks: Sequence[Chunk], *, over: Collection[str], asked: str) -> Basis:
    """Of chunks of which those `over` may not be cited, and of what was asked."""
    return Basis(
        sources={one.id: Source(one) for one in chunks if one.id not in over},
        over=over,
        names=cited.names(chunks),
        texts=(asked, *(text for one in chunks for text in (one.text, one.source))),
    )


def _telling(text: str) -> Set[str]:
    """The words that say something; addresses are looked at by themselves."""
    return vocabulary(addresses.without(text)) - SILENT - ABOUT


def _figures(text: str) -> Iterator[str]:
    """The figures of three digits or more, without what divides thousands."""
    for found in _FIGURE.findall(normalize("NFKC", addresses.without(text))):
        digits = "".join(one for one in found if one.isdigit())
        if len(digits) >= LEAST_DIGITS:
            yield digits
