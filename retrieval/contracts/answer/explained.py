"""The explanation of an answer. For each document it shows the searches that found the document, the words that the
document shares with these searches, and whether the document became a chunk. It also has the prompts that were sent to
models. Only callers who may read the definitions see these prompts, because a prompt contains their instructions.

The typed answer contains the explanation if the query string has `detail=explained`. Documents that a filter removed
after the search are not shown, because the caller may not be allowed to see them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pydantic import Field

from retrieval.contracts.answer.shapes import Out
from retrieval.contracts.azure.errors import is_none
from retrieval.model.activity import AnswerActivity, DropReason, OmitReason, RoundActivity, SearchActivity, StepActivity
from retrieval.model.answer import Answer
from retrieval.model.retrieval import Chunk, Key, document_key
from retrieval.model.search import Hit, Searched
from retrieval.text import content_words
from retrieval.text.source_labels import label, passage, title_of, visible

LONGEST_DATA: Final = 16_000
"""The maximum number of characters of a prompt's data that are shown."""

LONGEST_TEXT: Final = 320
"""The maximum number of characters that are shown of a document that is not a chunk."""

BEFORE: Final = 80
"""The maximum number of characters that are shown before the first word shared with a search, if the beginning of the
document is not shown."""

READ: Final = 4_000
"""The maximum number of characters of a document's text in which words are looked for. The same maximum applies to the
headings or keywords of the document."""


class SearchMade(Out):
    """A search of `activity`. `search` is its position in the `searches` of the round `round`.

    `threshold` is the threshold that this service applied, or null if it applied none. `ranked` says whether the search
    asked for the semantic ranker.
    """

    round: int
    search: int
    source: str
    threshold: float | None
    ranked: bool
    started_ms: int


class Finding(Out):
    """A search that found the document. `search` is the position of the search in `explained.searches`.

    `rank` is the rank of the document in the results of the search, from 1. `words` are the words of the search that
    the document has in its text, its title, or its headings or keywords. They are spelled as in the document.
    """

    search: int
    rank: int
    score: float | None
    words: list[str]


class DocumentFound(Out):
    """A document that was found. `score` is its best score in all searches.

    If the document became a chunk, `chunk_id` is the id of the chunk, and `text` is the text of the chunk. Otherwise
    `text` is a piece of the document. `reason` then says why the document did not become a chunk, or is null if no
    reason was recorded.
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


class PromptShown(Out):
    """The prompt of a step. `activity` is the id of the step's record. `data` is the beginning of the data that the
    model got, and `left_out` is the number of characters that are not shown."""

    activity: int
    instructions: str
    data: str
    left_out: int


class Explained(Out):
    """The explanation of an answer. `started_at` is the time from which `started_ms` counts.

    The documents that became chunks come first, in the order of the chunks. The other documents follow, the highest
    score first. Documents without a score come last. `order` is `turns` if in any round the best chunk of each search
    came first, then the second chunk of each search, and so on. Otherwise it is `scores`. `prompts` is null for callers
    who may not read definitions. `model` is the name of the model that was asked; it is absent if none was.
    """

    started_at: datetime | None
    order: Literal["scores", "turns"]
    searches: list[SearchMade]
    documents: list[DocumentFound]
    prompts: list[PromptShown] | None
    model: str | None = Field(default=None, exclude_if=is_none)


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
        documents=[*kept, *sorted(others, key=lambda document: 1.0 if document.score is None else -document.score)],
        prompts=_prompts(answer.activity) if with_prompts else None,
        model=_model(answer),
    )


def _prompts(activity: Sequence[AnswerActivity]) -> list[PromptShown]:
    """The prompt of each step that called a model, including steps that failed."""
    return [
        PromptShown(
            activity=id,
            instructions=record.question.instructions,
            data=record.question.data[:LONGEST_DATA],
            left_out=max(len(record.question.data) - LONGEST_DATA, 0),
        )
        for id, record in enumerate(activity)
        if isinstance(record, StepActivity) and record.question is not None
    ]


def _model(answer: Answer) -> str | None:
    """The name of the model that was asked."""
    steps = [record.model for record in answer.activity if isinstance(record, StepActivity)]
    return next((model.model_name or model.deployment for model in steps if model is not None), None)


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
                by_key[key] = _Found(hit=hit, threshold=searched.threshold, words=content_words.spellings(text))
            entry = by_key[key]
            if (hit.score or 0.0) > (entry.hit.score or 0.0):
                entry.hit, entry.threshold = hit, searched.threshold
            words = [spelling for word, spelling in entry.words.items() if word in wanted]
            entry.findings.append(Finding(search=position, rank=rank, score=hit.score, words=words))
    return by_key


def _words(searched: Searched) -> frozenset[str]:
    """The words of a search, normalized for the comparison with the words of documents."""
    weighed = searched.subquery.weighed
    if weighed is None:
        return content_words.of_question(searched.subquery.search)
    return frozenset(part for word, _ in weighed.words for part in content_words.words(word))


def _search(record: RoundActivity, place: int, activity: SearchActivity, answer: Answer) -> SearchMade:
    searched = activity.searched
    start = answer.started_at or searched.started_at
    return SearchMade(
        round=record.round,
        search=place,
        source=searched.subquery.target.source_name,
        threshold=searched.threshold,
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
    earliest = first - BEFORE
    start = (text.find(" ", earliest, first) + 1 or earliest) if first > LONGEST_TEXT - BEFORE else 0
    return ("… " if start else "") + text[start : start + LONGEST_TEXT]
