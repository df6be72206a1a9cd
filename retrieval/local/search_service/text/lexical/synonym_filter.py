"""The token filter `synonym`: words, or runs of words, replaced by others while a text is analysed.

    incredible, unbelievable => amazing      what is left of the arrow becomes what is right of it
    incredible, unbelievable, amazing        each stands for all of them, or with `expand` off for the first

As Lucene's SynonymFilter: of the rules that apply the longest does; alternatives stand at one position, and words of a
longer one at the positions that follow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text import synonyms
from retrieval.local.search_service.text.analyzer import Token
from retrieval.local.search_service.text.lexical.limits import check_count
from retrieval.local.search_service.text.lexical.token_filters import TokenFilter

MAX_RULES: Final = 10_000
MAX_WORDS: Final = 16
"""Words of one alternative."""

MAX_ALTERNATIVES: Final = 100
"""Of all rules for the same words."""

_Words: TypeAlias = tuple[str, ...]
_Table: TypeAlias = Mapping[_Words, Sequence[_Words]]


def synonym(rules: Sequence[str], *, ignore_case: bool, expand: bool) -> TokenFilter:
    """Raises InvalidArgument naming the rule that cannot be read."""
    table = _table(rules, ignore_case=ignore_case, expand=expand)
    longest = max(map(len, table))

    def filtered(tokens: list[Token], most: int) -> list[Token]:
        words = [token.term.lower() if ignore_case else token.term for token in tokens]
        made = _Made()
        at = 0
        while at < len(tokens):
            length = _length(tokens, words, at, longest, table)
            check_count(made.count, most)
            made.take(tokens[at : at + max(length, 1)], table[tuple(words[at : at + length])] if length else ())
            at += max(length, 1)
        return made.finished()

    return filtered


def _length(tokens: Sequence[Token], words: Sequence[str], at: int, longest: int, table: _Table) -> int:
    """How many tokens from here on a rule replaces; they stand at positions that follow one another."""
    most = 1
    while most < longest and at + most < len(tokens):
        if tokens[at + most].position != tokens[at + most - 1].position + 1:
            break
        most += 1
    return next((length for length in range(most, 0, -1) if tuple(words[at : at + length]) in table), 0)


class _Made:
    """`_ahead` are words for the positions after the last."""

    def __init__(self) -> None:
        self._tokens: list[Token] = []
        self._ahead: list[list[str]] = []
        self._shift = 0

    @property
    def count(self) -> int:
        return len(self._tokens)

    def take(self, tokens: Sequence[Token], alternatives: Sequence[_Words]) -> None:
        """What `alternatives` make of the tokens; none: the tokens as they are."""
        if not alternatives:
            self._stand(tokens[0], [tokens[0].term], tokens[0])
            return
        for place, token in enumerate(tokens):
            terms = [words[place] for words in alternatives if place < len(words)]
            whole = token if len(tokens) == 1 or place else replace(token, end=tokens[-1].end)
            self._stand(token, terms, whole, alone={words[0] for words in alternatives if len(words) == 1})
        self._reserve([words[len(tokens) :] for words in alternatives])

    def _stand(self, token: Token, terms: list[str], whole: Token, alone: Iterable[str] = ()) -> None:
        """`alone` are terms that stand for as much of the text as `whole`."""
        before = self._tokens[-1].position if self._tokens else -1
        stacked = token.position - self._shift <= before
        ahead = self._ahead.pop(0) if self._ahead and not stacked else []
        if not terms and not ahead:
            self._shift += 1
            return
        position = token.position - self._shift
        for term in dict.fromkeys([*terms, *ahead]):
            self._tokens.append(replace(whole if term in alone else token, term=term, position=position))

    def _reserve(self, rests: Iterable[_Words]) -> None:
        for rest in rests:
            for place, word in enumerate(rest):
                if place == len(self._ahead):
                    self._ahead.append([])
                self._ahead[place].append(word)

    def finished(self) -> list[Token]:
        for terms in self._ahead:
            last = self._tokens[-1]
            self._tokens += [replace(last, term=term, position=last.position + 1) for term in dict.fromkeys(terms)]
        return self._tokens


def _table(rules: Sequence[str], *, ignore_case: bool, expand: bool) -> _Table:
    if len(rules) > MAX_RULES:
        raise InvalidArgument(f"A synonym filter has at most {MAX_RULES} rules.")
    found: dict[_Words, dict[_Words, None]] = {}
    for rule in rules:
        for left, right in _rule(rule.lower() if ignore_case else rule, expand=expand):
            found.setdefault(left, {}).update(dict.fromkeys(right))
            if len(found[left]) > MAX_ALTERNATIVES:
                raise InvalidArgument(f"The synonyms give {' '.join(left)[:80]!r} more than {MAX_ALTERNATIVES} others.")
    if not found:
        raise InvalidArgument("A synonym filter has one rule or more.")
    return {left: tuple(right) for left, right in found.items()}


def _rule(line: str, *, expand: bool) -> Iterable[tuple[_Words, list[_Words]]]:
    for rule in synonyms.read(line.replace("\n", " ")):
        sides = [[tuple(text.split()) for text in side] for side in (rule.left, rule.right)]
        if max(len(words) for side in sides for words in side) > MAX_WORDS:
            raise InvalidArgument(f"A synonym has at most {MAX_WORDS} words: {line[:80]!r}.")
        left, right = sides
        for words in left:
            yield words, right if expand or left != right else right[:1]
