"""Why an answer has its documents: each document that was found, the searches and words that brought it, and its fate.

It is a part of the typed answer where the caller asks with `detail=explained`. Documents that a filter took away after
the search are not shown, since the caller may not be allowed to see them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from retrieval.contracts.answer import prompts
from retrieval.contracts.answer.prompts import PromptShown
from retrieval.contracts.answer.shapes import Out
from retrieval.model.activity import DropReason, OmitReason, RoundActivity, SearchActivity
from retrieval.model.answer import Answer, Chunk
from retrieval.model.retrieval import Key, document_key
from retrieval.model.search import Hit, Searched
from retrieval.text import content_words
from retrieval.text.source_labels import label, passage, title_of, visible

LONGEST_TEXT: Final = 320
"""The most characters of a document that is not a chunk."""

BEFORE: Final = 80
"""The characters that are shown before the first word that the document shares with a search."""

READ: Final = 4_000
"""The characters of a document, and of its headings or keywords, in which words are looked for. A chunk has no more."""


class SearchMade(Out):
    """A search of `activity`: the one at this place of a round's `searches`.

    `threshold` is the one in force, null where none applied; `ranked` says whether a semantic ranker was asked.
    """

    round: int
    search: int
    source: str
    threshold: float | None
    ranked: bool
    started_ms: int


class Finding(Out):
    """A search that found the document, as a position in `explained.searches`.

    `rank` counts from 1 in the search's own order. `words` are those of the search that stand in the document, its
    title, or its headings or keywords, as they stand there.
    """

    search: int
    rank: int
    score: float | None
    words: list[str]


class DocumentFound(Out):
    """`score` is the best of its searches. It has a `chunk_id` where models read it, else a `reason`, null where
    nothing says so.

    `text` is the chunk's, or a piece of the document.
    """

    doc_key: str
    index: str
    title: str
    source: str
    text: str
    score: float | None
    threshold: float | None
    chunk_id: str | None
    reason: DropReason | OmitReason | None
    searches: list[Finding]


class Explained(Out):
    """`started_at` is the moment from which `started_ms` counts. The documents that models read come first, in the
    order in which they read them, then the others by their scores.

    `order` is `turns` where the searches take turns, instead of one list by scores. `prompts` is null for callers who
    may not read definitions.
    """

    started_at: datetime | None
    order: Literal["scores", "turns"]
    searches: list[SearchMade]
    documents: list[DocumentFound]
    prompts: list[PromptShown] | None


@dataclass(slots=True, kw_only=True)
class _Found:
    """A document with every search that found it."""

    hit: Hit
    threshold: float | None
    words: Mapping[str, str]
    findings: list[Finding] = field(default_factory=list)


def explain(answer: Answer, *, with_prompts: bool) -> Explained:
    """The explanation of an answer."""
    rounds = [record for record in answer.activity if isinstance(record, RoundActivity)]
    lost = {key: reason for record in rounds for key, reason in record.lost.items()}
    chunks = {chunk.reference.key: chunk for chunk in answer.chunks}
    entries = _found(rounds, hidden={key for key, reason in lost.items() if reason == "filter"})
    kept = [_document(entries[key], key, chunk=chunk, reason=None) for key, chunk in chunks.items() if key in entries]
    others = [_document(of, key, chunk=None, reason=lost.get(key)) for key, of in entries.items() if key not in chunks]
    return Explained(
        started_at=answer.started_at,
        order="turns" if any(record.in_turns for record in rounds) else "scores",
        searches=[_search(record, place, search, answer) for record, place, search in _searches(rounds)],
        documents=[*kept, *sorted(others, key=lambda document: -1.0 if document.score is None else -document.score)],
        prompts=prompts.shown(answer.activity) if with_prompts else None,
    )


def _searches(rounds: list[RoundActivity]) -> Iterator[tuple[RoundActivity, int, SearchActivity]]:
    for record in rounds:
        for place, search in enumerate(record.searches):
            yield record, place, search


def _found(rounds: list[RoundActivity], *, hidden: set[Key]) -> Mapping[Key, _Found]:
    by_key: dict[Key, _Found] = {}
    for position, (_, _, activity) in enumerate(_searches(rounds)):
        searched = activity.searched
        target, wanted = searched.subquery.target, _words(searched)
        for rank, hit in enumerate(searched.page.hits if target.include_references else (), 1):
            key = document_key(target, hit)
            if key in hidden:
                continue
            if key not in by_key:
                text = f"{title_of(hit)}\n{passage(hit)[:READ]}\n{(hit.terms or '')[:READ]}"
                by_key[key] = _Found(hit=hit, threshold=_threshold(searched), words=content_words.spellings(text))
            entry = by_key[key]
            if (hit.score or 0.0) > (entry.hit.score or 0.0):
                entry.hit, entry.threshold = hit, _threshold(searched)
            words = [spelling for word, spelling in entry.words.items() if word in wanted]
            entry.findings.append(Finding(search=position, rank=rank, score=hit.score, words=words))
    return by_key


def _words(searched: Searched) -> frozenset[str]:
    """The words of a search in the form in which they are compared."""
    weighed = searched.subquery.weighed
    if weighed is None:
        return content_words.of_question(searched.subquery.search)
    return frozenset(part for word, _ in weighed.words for part in content_words.words(word))


def _threshold(searched: Searched) -> float | None:
    target = searched.subquery.target
    return target.threshold if target.recall.rerank and not searched.page.cut else None


def _search(record: RoundActivity, place: int, activity: SearchActivity, answer: Answer) -> SearchMade:
    searched = activity.searched
    start = answer.started_at or searched.started_at
    return SearchMade(
        round=record.round,
        search=place,
        source=searched.subquery.target.source_name,
        threshold=_threshold(searched),
        ranked=searched.subquery.target.recall.rerank,
        started_ms=max(0, round((searched.started_at - start).total_seconds() * 1000)),
    )


def _document(entry: _Found, key: Key, *, chunk: Chunk | None, reason: DropReason | OmitReason | None) -> DocumentFound:
    hit = entry.hit
    return DocumentFound(
        doc_key=hit.key,
        index=key[0],
        title=title_of(hit) or hit.key,
        source=label(hit),
        text=_piece(entry) if chunk is None else chunk.text,
        score=hit.score,
        threshold=entry.threshold,
        chunk_id=None if chunk is None else chunk.id,
        reason=reason,
        searches=entry.findings,
    )


def _piece(entry: _Found) -> str:
    """A piece of the document around the first word that it shares with a search."""
    text = visible(passage(entry.hit)[:READ])
    places = [text.find(word) for finding in entry.findings for word in finding.words]
    first = min((place for place in places if place >= 0), default=0)
    start = text.find(" ", first - BEFORE, first) + 1 if first > LONGEST_TEXT - BEFORE else 0
    return ("… " if start else "") + text[start : start + LONGEST_TEXT]
