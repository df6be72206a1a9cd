"""Facets that a question names: documents that have them rank higher. A soft boost by rule, never a filter.

A value counts as named only where there is no doubt: several words of it; one word that is written as a name, or in
marks, or beside the name of its field ("the sports category"); a year, for values that begin with one. A source is
often called less than its whole name, so `The Verge` is also `Verge`, `example.com` `example`, and
`Daily News - Health` `Daily News`.

A document gets a part of what it lacks to the best score of its search: it never passes the best, it never passes a
threshold by it, and where all or no documents have the value nothing changes. The share was chosen on one half of
a public collection whose documents were given sources by lot (docs/retrieve.md).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from retrieval.model.facets import Facets, Preference
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Hit, Page, SearchTarget
from retrieval.text.content_words import is_silent, unspaced
from retrieval.text.languages.recognition import language_of
from retrieval.text.normal_form import nfkc

SHARE: Final = 0.3
"""Of what a document lacks to the best score."""

LONGEST_VALUE: Final = 80
MOST_WORDS: Final = 6
LONGEST_QUESTION: Final = 2_000

_WORD: Final = re.compile(r"[^\W_]+")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d(?!\d)")
_DOMAIN: Final = re.compile(r"\.[a-z]{2,6}$", re.IGNORECASE)
_SECTION: Final = re.compile(r" [-–|] ")
_ENDS: Final = re.compile(r"[.!?:…]\s*$")
_MARKS: Final = "\"'“”„‘’«»「」『』"

Spoken: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""Forms of values, in lower case, with the values that they may mean in each field."""


class _Word(NamedTuple):
    text: str
    written: str
    start: int
    end: int


def named(question: str, facets: Facets) -> tuple[Preference, ...]:
    """What a question names, by field."""
    question = nfkc(question[:LONGEST_QUESTION])[:LONGEST_QUESTION]
    words = [_Word(one[0].casefold(), one[0], one.start(), one.end()) for one in _WORD.finditer(question)]
    years = frozenset(one.text for one in words if _YEAR.fullmatch(one.text))
    values: defaultdict[str, set[str]] = defaultdict(set)
    spoken, longest = _spoken(facets)
    for form, field in _named(question, words, spoken, longest=longest):
        values[field].update(spoken[form][field])
    dated = _dated(facets) if years else ()
    return tuple(
        Preference(
            field=field,
            values=frozenset(values.get(field, ())),
            years=years if field in dated else frozenset(),
        )
        for field in dict.fromkeys((*values, *dated))
    )


def preferred(page: Page, target: SearchTarget) -> Page:
    """The page with the scores of documents that the question prefers, without the fields read only for that."""
    wanted = target.preferences
    hidden = {one.field for one in wanted}.difference(target.fields, target.source_fields)
    shares = [_matching(one, wanted) for one in page.hits]
    best = max((one.score for one in page.hits if one.score is not None), default=0.0)
    moved = len(set(shares)) > 1
    hits = [
        hit._replace(score=_raised(hit.score, best, target, share if moved else 0.0), source=_without(hit, hidden))
        for hit, share in zip(page.hits, shares, strict=True)
    ]
    if moved:
        hits = [hit for hit, _ in sorted(zip(hits, shares, strict=True), key=_order)]
    return replace(page, hits=tuple(hits), preferred=sum(map(bool, shares)) if moved else 0)


def _order(preferred: tuple[Hit, float]) -> tuple[float, float]:
    """By score; of documents with the same score a preferred one is first."""
    hit, share = preferred
    return (0.0, 0.0) if hit.score is None else (-hit.score - 1, -share)


def _raised(score: float | None, best: float, target: SearchTarget, share: float) -> float | None:
    if score is None or not share or score < target.threshold:
        return score
    return score + SHARE * share * (best - score)


def _matching(hit: Hit, wanted: Sequence[Preference]) -> float:
    """The share of the preferences that a document meets."""
    return sum(_meets(hit.source.get(one.field), one) for one in wanted) / len(wanted)


def _meets(value: JsonValue, wanted: Preference) -> bool:
    values = value if isinstance(value, list) else (value,)
    texts = [str(one) for one in values if isinstance(one, str | int | float)]
    return any(text in wanted.values or text[:4] in wanted.years for text in texts)


def _without(hit: Hit, hidden: set[str]) -> Mapping[str, JsonValue]:
    return {name: value for name, value in hit.source.items() if name not in hidden} if hidden else hit.source


def _named(question: str, words: Sequence[_Word], spoken: Spoken, *, longest: int) -> set[tuple[str, str]]:
    """The forms that the question has, each with a field in which there is no doubt."""
    capitals = language_of(question).names == "capitals"
    found: set[tuple[str, str]] = set()
    for at, word in enumerate(words):
        for count in range(1, min(longest, len(words) - at) + 1):
            run = words[at : at + count]
            form = " ".join(one.text for one in run)
            if form in spoken:
                beside = {one.text for one in (*words[max(at - 1, 0) : at], *words[at + count : at + count + 1])}
                certain = _certain(question, run, capitals=capitals)
                found |= {(form, field) for field in spoken[form] if certain or not beside.isdisjoint(_of_name(field))}
        if unspaced(word.text):
            found |= {(form, field) for form in _parts(word.text) for field in spoken.get(form, ())}
    return found


def _parts(text: str) -> Iterator[str]:
    """What may be a value in a text without spaces between words: any part of it."""
    return (text[at:end] for at in range(len(text) - 1) for end in range(at + 2, min(at + 12, len(text)) + 1))


def _certain(question: str, run: Sequence[_Word], *, capitals: bool) -> bool:
    """Whether the words are in marks, are several, or are written as a name."""
    first = run[0]
    if first.start and question[first.start - 1] in _MARKS:
        return True
    if len(run) > 1:
        return not all(is_silent(one.text) for one in run)
    return _is_name(question, first, capitals=capitals)


def _is_name(question: str, word: _Word, *, capitals: bool) -> bool:
    """A capital within a word, or first where the language has it for names only and no sentence begins."""
    inner = word.written[1:]
    if inner != inner.lower():
        return True
    before = question[max(word.start - 8, 0) : word.start].rstrip()
    begins = not before or _ENDS.search(before[-2:]) is not None
    return capitals and word.written[0].isupper() and not begins and not is_silent(word.text)


@lru_cache(maxsize=256)
def _of_name(field: str) -> frozenset[str]:
    """The words of a field's name, in the singular and plural of English."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", field).replace("_", " ").casefold())
    plurals = (f"{one[:-1]}ies" if one.endswith("y") else f"{one}s" for one in words)
    return frozenset((*words, *plurals, *(one[:-1] for one in words if one.endswith("s"))))


@lru_cache(maxsize=64)
def _spoken(facets: Facets) -> tuple[Spoken, int]:
    """The forms of all values, and the words of the longest."""
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for field, values in facets.values.items():
        for value in values:
            for form in _forms(value):
                found[form][field].append(value)
    return found, max((form.count(" ") + 1 for form in found), default=0)


def _forms(value: str) -> set[str]:
    """A value as it may be called: at most six words, with a letter."""
    if len(value) > LONGEST_VALUE:
        return set()
    short = _DOMAIN.sub("", _SECTION.split(value)[0].strip())
    listed = ([one.casefold() for one in _WORD.findall(nfkc(text))] for text in (value, short))
    called = [form for words in listed for form in (words, words[1:] if words[:1] == ["the"] else words)]
    return {" ".join(form) for form in called if 0 < len(form) <= MOST_WORDS and any(map(str.isalpha, "".join(form)))}


@lru_cache(maxsize=64)
def _dated(facets: Facets) -> tuple[str, ...]:
    """The fields whose every value begins with a year."""
    found = (name for name, values in facets.values.items() if values and all(map(_YEAR.match, values)))
    return (*facets.dates, *found)
