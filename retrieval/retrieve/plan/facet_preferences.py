"""Finds the facets that the question of a call names, while the plan is made, and raises the rank of the documents that
have them. This is a soft boost by rule, never a filter.

These rules decide whether a value counts as named. A value of several words is enough by itself. A single word must be
written as a name, be in quotation marks, or stand beside the name of its field ("the sports category"). In date fields
a year in the question names every value that begins with this year. People often shorten the name of a publisher or
website. So `Verge` also stands for `The Verge`, `example` for `example.com`, and `Daily News` for `Daily News -
Health`.

The score of a preferred document rises by a part of its distance to the best score of its search. So the document never
passes the best document. A score below the threshold does not rise. Where all documents have the value, or no document
has it, nothing changes. `SHARE` was chosen on one half of a public collection, whose documents were given publishers at
random. Without preferences nDCG@10 of MultiHop-RAG, whose questions name publishers and dates, falls by 1.3.

Prompts show facts of the indexes: the languages of the texts, and values of fields. Values that a
conversation could mean come first; a few others show what a field holds.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from retrieval import threads
from retrieval.call.budget import Run
from retrieval.errors import BackendError
from retrieval.model.conversation import question_of
from retrieval.model.json_value import JsonValue
from retrieval.model.search import Facets, Hit, Page, Preference, Preferences, SearchTarget
from retrieval.ports import IndexFacets
from retrieval.text.content_words import SILENT, UNSPACED, is_silent, nfkc, unspaced, vocabulary
from retrieval.text.languages.language import language_of

SHARE: Final = 0.3
"""The part of the distance to the best score by which a document rises if it meets all preferences."""

LONGEST_VALUE: Final = 80
MOST_VALUES: Final = 1_000
"""The most values of a document's field that are compared with those that the question names."""

MOST_WORDS: Final = 6
LONGEST_QUESTION: Final = 2_000

_WORD: Final = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d(?!\d)")
_DOMAIN: Final = re.compile(r"\.[a-z]{2,6}$", re.IGNORECASE)
_SECTION: Final = re.compile(r" [-–|] ")
_ENDS: Final = re.compile(r"[.!?:…]\s*$")
_MARKS: Final = "\"'“”„‘’«»「」『』"

Spoken: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""The forms of values in lower case, each with the values that it may mean in each field."""


class _QuestionWord(NamedTuple):
    text: str
    written: str
    start: int
    end: int


def preferences_of(question: str, facets: Facets) -> tuple[Preference, ...]:
    """The preferences of a question, by field."""
    question = nfkc(question[:LONGEST_QUESTION])[:LONGEST_QUESTION]
    words = [
        _QuestionWord(match[0].casefold(), match[0], match.start(), match.end()) for match in _WORD.finditer(question)
    ]
    years = frozenset(word.text for word in words if _YEAR.fullmatch(word.text))
    values: defaultdict[str, set[str]] = defaultdict(set)
    spoken, longest = _spoken(facets)
    for form, field in _forms_named(question, words, spoken, longest=longest):
        values[field].update(spoken[form][field])
    date_fields = _date_fields(facets) if years else ()
    return tuple(
        Preference(
            field=field,
            values=frozenset(values.get(field, ())),
            years=years if field in date_fields else frozenset(),
        )
        for field in dict.fromkeys((*values, *date_fields))
    )


def with_preferences(page: Page, target: SearchTarget) -> Page:
    """The page with raised scores of the preferred documents, without the fields that only the preferences need."""
    preferences = target.preferences
    hidden_fields = {preference.field for preference in preferences}.difference(target.fields, target.source_fields)
    shares = [_matching(hit, preferences) for hit in page.hits]
    best = max((hit.score for hit in page.hits if hit.score is not None), default=0.0)
    is_reordered = len(set(shares)) > 1
    hits = [
        hit._replace(
            raised=_raised_score(hit.score, best, target, share) if is_reordered else None,
            source={name: value for name, value in hit.source.items() if name not in hidden_fields}
            if hidden_fields
            else hit.source,
        )
        for hit, share in zip(page.hits, shares, strict=True)
    ]
    if is_reordered:
        hits = [hit for hit, _ in sorted(zip(hits, shares, strict=True), key=_order)]
    return replace(page, hits=tuple(hits), preferred=sum(map(bool, shares)) if is_reordered else 0)


def _order(hit_and_share: tuple[Hit, float]) -> tuple[float, float]:
    """The sort key by score. Among documents with the same score a preferred document comes first."""
    hit, share = hit_and_share
    return (0.0, 0.0) if hit.placing is None else (-hit.placing - 1, -share)


def _raised_score(score: float | None, best: float, target: SearchTarget, share: float) -> float | None:
    if score is None or not share or score < target.threshold:
        return None
    return score + SHARE * share * (best - score)


def _matching(hit: Hit, preferences: Sequence[Preference]) -> float:
    """The share of the preferences that a document meets."""
    return sum(_meets(hit.source.get(preference.field), preference) for preference in preferences) / len(preferences)


def _meets(value: JsonValue, preference: Preference) -> bool:
    values = value[:MOST_VALUES] if isinstance(value, list) else (value,)
    texts = [str(text) for text in values if isinstance(text, str | int | float)]
    return any(text in preference.values or text[:4] in preference.years for text in texts)


def _forms_named(
    question: str, words: Sequence[_QuestionWord], spoken: Spoken, *, longest: int
) -> set[tuple[str, str]]:
    """The forms in the question that count as named, each with its field."""
    capitals = language_of(question).names == "capitals"
    forms: set[tuple[str, str]] = set()
    for at, word in enumerate(words):
        for count in range(1, min(longest, len(words) - at) + 1):
            run = words[at : at + count]
            form = " ".join(word.text for word in run)
            if form in spoken:
                neighbours = {
                    neighbour.text for neighbour in (*words[max(at - 1, 0) : at], *words[at + count : at + count + 1])
                }
                certain = _certain(question, run, capitals=capitals)
                forms |= {
                    (form, field) for field in spoken[form] if certain or not neighbours.isdisjoint(_of_name(field))
                }
        if unspaced(word.text):
            forms |= {(form, field) for form in _parts(word.text) for field in spoken.get(form, ())}
    return forms


def _parts(text: str) -> Iterator[str]:
    """The parts of a text without spaces between words. Any part may be a value."""
    return (text[at:end] for at in range(len(text) - 1) for end in range(at + 2, min(at + 12, len(text)) + 1))


def _certain(question: str, run: Sequence[_QuestionWord], *, capitals: bool) -> bool:
    """Whether a quotation mark stands before the words, the words are several and not all stop words, or they are one
    word that is written as a name."""
    first = run[0]
    before = question[max(first.start - 2, 0) : first.start]
    if before and before[-1] in _MARKS and not (before[-1] in "'’" and before[0].isalnum()):
        return True
    if len(run) > 1:
        return not all(is_silent(word.text) for word in run)
    return _is_name(question, first, capitals=capitals)


def _is_name(question: str, word: _QuestionWord, *, capitals: bool) -> bool:
    """Whether a word is written as a name. A capital after the first letter is enough. In a language where only names
    have capitals, a first capital is enough if the word does not begin a sentence."""
    inner = word.written[1:]
    if inner != inner.lower():
        return True
    before = question[max(word.start - 8, 0) : word.start].rstrip()
    begins = not before or _ENDS.search(before[-2:]) is not None
    return capitals and word.written[0].isupper() and not begins and not is_silent(word.text)


@lru_cache(maxsize=256)
def _of_name(field: str) -> frozenset[str]:
    """The words of a field's name, each also with and without a plural ending."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", field).replace("_", " ").casefold())
    plurals = (f"{word[:-1]}ies" if word.endswith("y") else f"{word}s" for word in words)
    return frozenset((*words, *plurals, *(word[:-1] for word in words if word.endswith("s"))))


@lru_cache(maxsize=64)
def _spoken(facets: Facets) -> tuple[Spoken, int]:
    """The forms of all values, and the number of words in the longest form."""
    forms: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for field, values in facets.values.items():
        for value in values:
            for form in _forms(value):
                forms[form][field].append(value)
    return forms, max((form.count(" ") + 1 for form in forms), default=0)


def _forms(value: str) -> set[str]:
    """The forms in which people write a value. Each form has at most six words, and at least one letter."""
    if len(value) > LONGEST_VALUE:
        return set()
    short = _DOMAIN.sub("", _SECTION.split(value)[0].strip())
    word_lists = ([word.casefold() for word in _WORD.findall(nfkc(text))] for text in (value, short))
    forms = [form for words in word_lists for form in (words, words[1:] if words[:1] == ["the"] else words)]
    return {" ".join(form) for form in forms if 0 < len(form) <= MOST_WORDS and any(map(str.isalpha, "".join(form)))}


@lru_cache(maxsize=64)
def _date_fields(facets: Facets) -> tuple[str, ...]:
    """The date fields, and fields whose values all begin with a year."""
    names = (name for name, values in facets.values.items() if values and all(map(_YEAR.match, values)))
    return (*facets.dates, *names)


async def facets_of(run: Run, *, until: float) -> Mapping[str, Facets]:
    """The facets of each index with reranking. Indexes that cannot be read are left out. If the facets are not read by
    `until`, a time of the event loop, the result is empty."""
    if run.ports.facets is None:
        return {}
    names = dict.fromkeys(
        target.index for target in run.request.targets if target.recall.rerank and target.server is None
    )
    try:
        async with asyncio.timeout_at(until):
            readings = [_facets(run.ports.facets, index) for index in names]
            facets_read = (
                await asyncio.gather(*readings) if len(readings) > 1 else [await reading for reading in readings]
            )
    except TimeoutError:
        return {}
    return {index: of_index for index, of_index in zip(names, facets_read, strict=True) if of_index is not None}


async def shown_to_model(run: Run, facets_by_index: Mapping[str, Facets]) -> tuple[Facets, ...]:
    """The facets that a model may read; their values are read ahead of its prompt. Values of facets come
    from all documents of an index. So where a filter or permissions may hide documents from the caller, the values are
    left out."""
    request = run.request
    limited_indexes = {
        target.index for target in request.targets if target.filter is not None or target.check is not None
    }
    is_hidden = not run.ports.values_shown or request.user_token is not None
    shown = tuple(
        replace(of_index, values={}) if is_hidden or index in limited_indexes else of_index
        for index, of_index in facets_by_index.items()
    )
    for of_index in shown:
        if of_index.values:
            await threads.work(of_index.extent, partial(values_to_show, of_index))
    return shown


async def find(run: Run, facets_by_index: Mapping[str, Facets]) -> Preferences:
    """For each index, the facet values and years that the question names."""
    if not any(of_index.values or of_index.dates for of_index in facets_by_index.values()):
        return {}
    question = question_of(run.request.messages)
    by_index = {
        index: await threads.work(of_index.extent, partial(preferences_of, question, of_index))
        for index, of_index in facets_by_index.items()
    }
    return {index: preferences for index, preferences in by_index.items() if preferences}


async def _facets(port: IndexFacets, index: str) -> Facets | None:
    try:
        return await port.facets(index)
    except BackendError:
        return None


MOST_FIELDS: Final = 8
MOST_NAMED: Final = 8
SAMPLES: Final = 3
"""The values of a field that are shown where the conversation could mean fewer of them."""

LEAST_SHARE: Final = 1 / 3
"""The least share of a value's words in a conversation that could mean it."""

LONGEST_SHOWN: Final = 60
"""A longer value is left out: a part of it is no value of the field."""

LONGEST_READ: Final = 4_000
SHORTEST: Final = 4
"""The fewest letters of a value whose letters are looked for without regard to blanks ("The Verge", "theverge.com")."""

_ADDRESS: Final = re.compile(r"^(?:\w+://|www\.)|^[\w.-]+\.\w+/", re.ASCII)
_NO_LETTER: Final = re.compile(r"[\W_]+")


class _Value(NamedTuple):
    text: str
    words: frozenset[str]
    letters: str


def facts_of(facets: Sequence[Facets], said: str) -> dict[str, JsonValue]:
    """The `languages` of the indexes and `values` of their fields; each is missing where nothing is known. `said` is
    the text of the conversation, of which the end is read. An address is shown only if it is meant."""
    languages = list(dict.fromkeys(code for of_index in facets for code in of_index.languages))
    fields = {name: of_index for of_index in facets for name in of_index.values}
    end = said[-LONGEST_READ:]
    words, letters = vocabulary(end) - SILENT, _letters(end)
    meant = {name: _meant(values_to_show(of_index)[name], words, letters) for name, of_index in fields.items()}
    in_order = sorted(fields, key=lambda name: not meant[name])[:MOST_FIELDS]
    shown = {name: [*meant[name], *_others(values_to_show(fields[name])[name], meant[name])] for name in in_order}
    values: dict[str, JsonValue] = {name: [*texts] for name, texts in shown.items() if texts}
    facts: dict[str, JsonValue] = {"languages": [*languages]} if languages else {}
    return {**facts, "values": values} if values else facts


def _meant(values: Sequence[_Value], words: frozenset[str], letters: str) -> list[str]:
    """The values that could be meant, best first."""
    shares = [(_share(value, words, letters), value.text) for value in values]
    best = sorted((entry for entry in shares if entry[0] >= LEAST_SHARE), key=lambda entry: -entry[0])
    return [text for _, text in best[:MOST_NAMED]]


def _others(values: Sequence[_Value], meant: Sequence[str]) -> Iterator[str]:
    """The other values, so many that there are SAMPLES in all."""
    others = (text for text, _, _ in values if text not in meant and not _ADDRESS.search(text))
    return islice(others, max(SAMPLES - len(meant), 0))


def _share(value: _Value, words: frozenset[str], letters: str) -> float:
    """The share of the value's words that are said; 1 if its letters are."""
    if value.letters and value.letters in letters:
        return 1.0
    return len(value.words & words) / len(value.words) if value.words else 0.0


@lru_cache(maxsize=64)
def values_to_show(facets: Facets) -> Mapping[str, Sequence[_Value]]:
    """The values of an index as prompts show them. The first reading of 6,000 values takes up to 85 ms of processor
    time."""
    return {
        name: [_value(text) for text in texts if len(text) <= LONGEST_SHOWN] for name, texts in facets.values.items()
    }


def _value(text: str) -> _Value:
    letters = _letters(_DOMAIN.sub("", text))
    is_long = len(letters) >= (2 if unspaced(text) else SHORTEST)
    words = frozenset[str]() if _ADDRESS.search(text) else vocabulary(text) - SILENT
    return _Value(text, words, letters if is_long else "")


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.casefold())
