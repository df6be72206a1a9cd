"""Retrieves documents, and writes an answer from the grounded references. Every citation in the answer is checked.

The writer is the writer of the answer workflow, with the same prompt and the same check. Where no model writes, the
same rules write. The text in brackets behind a claim differs: `[ref_id:3]` has the position of a reference. There is no
list of sources. Reference: Knowledge Retrieval - Retrieve, `outputMode` answerSynthesis.

The languages of the documents, where no model answers a question that is in another language. Words of another
language find nothing, or what shares a name or a number with the question.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call import prompt_parts
from retrieval.call.budget import RULES_SECONDS, Run
from retrieval.call.model_calls import StepResult, ask
from retrieval.call.ports import Ports
from retrieval.call.prompt_parts import CHUNK_TOKENS, gather, most_chunks
from retrieval.model.answer import Written
from retrieval.model.conversation import Message
from retrieval.model.retrieval import Chunk, Gathered, Outcome, RetrievalRequest
from retrieval.model.search import Recall, Searched, Subquery
from retrieval.ports import Observer
from retrieval.retrieve import retrieve_documents
from retrieval.retrieve.plan import facet_preferences
from retrieval.retrieve.search import searching
from retrieval.text.counted_noun import how_many
from retrieval.text.languages.language import CODES, recognised, recognised_of_conversation
from retrieval.text.source_labels import extent
from retrieval.writing import answer_by_rules, shown_draft
from retrieval.writing.answer_blocks import Block
from retrieval.writing.markdown import marked_as_cut, with_missing

NOT_SHOWN: Final = "The writer was shown {shown} of {all}: {reason}."
REMOVED: Final = "{count} × {kind} removed from the answer: {reason}"
UNQUOTED: Final = "{count} without quotation marks: no chunk has the words as they were quoted."
UNFOUNDED: Final = "Not in the documents that are cited with it: {figures}."
UNUSED: Final = "The model's answer cited nothing and was not used."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The input of an answer's writer: the chunks, and the request. `names` maps the id of each chunk to the label that
    cites it, such as `ref_id:3`."""

    request: RetrievalRequest
    gathered: Gathered
    names: dict[str, str]


async def retrieve_and_write(
    request: RetrievalRequest, ports: Ports, *, start: float | None = None, observers: Sequence[Observer] = ()
) -> Outcome:
    """The outcome of `retrieve_documents.retrieve`, with an answer. Raises the same errors. Retrieval and writing share
    the request's runtime."""
    run = Run(request, ports, start=start, observers=observers)
    return await write_answer(await retrieve_documents.outcome_of(run), run)


async def write_answer(outcome: Outcome, run: Run) -> Outcome:
    """The outcome with its answer, and a record of how it was written. The failure of a model is not an error."""
    started_at = run.ports.clock()
    before = run.seconds_left
    size = sum(extent(reference.hit) for reference in outcome.references)
    ground = await threads.work(size, partial(_ground, outcome, most=most_chunks(run.ports.server)))
    draft_result = await _draft(run, ground, outcome)
    checked_draft, notes = await _check_draft(
        ground, None if draft_result is None else await shown_draft.draft_in(draft_result)
    )
    step = None if draft_result is None else draft_result.record
    languages = await _languages(run, ground, outcome)
    by_rules = partial(_best_matches, ground, outcome, failed=answer_by_rules.why(step), languages=languages)
    if step is None:
        written, step = run.by_rules("answer", by_rules)
    else:
        written = checked_draft or by_rules()
    record = replace(
        step,
        by=written.by,
        started_at=started_at,
        elapsed_ms=round(1000 * (before - run.seconds_left)),
        notes=(*_omission_notes(ground.gathered), *notes),
    )
    return replace(outcome, answer=written.markdown, activity=(*outcome.activity, record))


def _ground(outcome: Outcome, *, most: int) -> Ground:
    """The chunks of the grounded references, at most `most` of them, and the request for the writer. If there is
    no conversation, the caller's own queries are the question.
    """
    request, references = outcome.request, [outcome.references[place] for place in outcome.grounding.included]
    gathered = gather(references, most=most, tokens=CHUNK_TOKENS)
    places = {reference.key: place for place, reference in enumerate(outcome.references)}
    names = {chunk.id: f"ref_id:{places[chunk.reference.key]}" for chunk in gathered.chunks}
    messages = request.messages or (Message(role="user", text="\n".join(request.queries)),)
    guided = prompt_parts.guided(messages, request.answer_instructions)
    writer_request = replace(request, messages=guided, cited_by="label")
    return Ground(request=writer_request, gathered=gathered, names=names)


async def _draft(run: Run, ground: Ground, outcome: Outcome) -> StepResult[tuple[Block, ...]] | None:
    """A model's draft and the record of its call; None where there is no model or no chunk."""
    if run.ports.model is None or not ground.gathered.chunks:
        return None
    queries = searching.queries(_searches(outcome))
    question = shown_draft.question(run, ground.request, ground.gathered.chunks, queries=queries)
    return await ask(run, question, until=run.deadline - RULES_SECONDS)


async def _check_draft(ground: Ground, draft: shown_draft.Draft | None) -> tuple[Written | None, tuple[str, ...]]:
    """The draft with the citations that pass the check, and notes about the faults found.

    A draft that cites nothing is dropped, unless it names missing points. A line says that a draft breaks off.
    """
    if draft is None:
        return None, ()
    written = await shown_draft.check_draft(draft, ground.request, ground.gathered.chunks, names=ground.names)
    removed = tuple(_notes(written))
    if not written.citations and not written.missing:
        return None, (*removed, UNUSED)
    if written.is_cut:
        return marked_as_cut(written, ground.request.messages), removed
    return with_missing(written, ground.request.messages) if written.missing else written, removed


async def _languages(run: Run, ground: Ground, outcome: Outcome) -> tuple[str, ...]:
    """The languages of the documents, if no model answers and the question is in another language."""
    if run.ports.model is not None or any(result.fault is not None for result in _searches(outcome)):
        return ()
    return await other_languages(run, ground.request.messages, ground.gathered.chunks)


def _best_matches(ground: Ground, outcome: Outcome, *, failed: str, languages: Sequence[str]) -> Written:
    searches = _searches(outcome)
    return answer_by_rules.answer(
        ground.request,
        ground.gathered.chunks,
        failed=failed,
        any_found=any(result.page.found for result in searches),
        any_failed=any(result.fault is not None for result in searches),
        languages=languages,
        names=ground.names,
    )


def _searches(outcome: Outcome) -> list[Searched]:
    return [record.searched for record in outcome.searches]


def _notes(written: Written) -> Iterator[str]:
    """What the check removed from a draft, and what it did not find in the documents."""
    counts = Counter((removal.kind, removal.reason) for removal in written.removed)
    for (kind, reason), count in counts.items():
        yield REMOVED.format(count=count, kind=kind, reason=reason)
    if written.unquoted:
        yield UNQUOTED.format(count=how_many(len(written.unquoted), "quotation"))
    if figures := "; ".join(dict.fromkeys(figure.figure for figure in written.unfounded)):
        yield UNFOUNDED.format(figures=figures)


def _omission_notes(gathered: Gathered) -> tuple[str, ...]:
    if not gathered.omitted:
        return ()
    shown, reason = len(gathered.chunks), ", ".join(f"{name} {number}" for name, number in gathered.omitted.items())
    all = how_many(sum(gathered.omitted.values()) + shown, "document")
    return (NOT_SHOWN.format(shown=shown, all=all, reason=reason),)


SAMPLE: Final = Recall(text=20, vectors=0, rerank=False)
"""The recall of the search for documents of any kind."""

READ: Final = 400
"""The most characters of a document by which its language is recognised."""


async def other_languages(run: Run, messages: Sequence[Message], chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The codes of the languages of the documents, if none of them is the language of the question. Empty if an index
    has vectors, if no language is recognised, or if documents were found for a question whose language is unknown.

    The languages are those of the chunks that were found, and of the first documents that the caller may read.
    """
    asked = recognised_of_conversation(messages)
    texts = [chunk.text[:READ] for chunk in chunks]
    if chunks and (asked is None or asked.code in _codes(texts)):
        return ()
    if await _any_vectors(run):
        return ()
    texts += await _sample(run)
    found = await threads.work(sum(map(len, texts)), partial(_codes, texts))
    return () if asked is not None and asked.code in found else found


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    known = {language.code for text in texts if (language := recognised(text)) is not None}
    return tuple(code for code in CODES if code in known)


async def _any_vectors(run: Run) -> bool:
    """Whether a target is searched by vectors too."""
    facets = await facet_preferences.facets_of(run, until=run.deadline)
    targets = [target for target in run.request.targets if target.recall.vectors != 0]
    return any(target.index in facets and facets[target.index].has_vectors for target in targets)


async def _sample(run: Run) -> list[str]:
    """The beginnings of some documents that the caller may read."""
    targets = [target for target in run.request.targets if not target.never and target.kind == "searchIndex"]
    sample = [
        Subquery(search="*", target=replace(target, recall=SAMPLE), user_token=run.request.user_token)
        for target in targets
    ]
    results = await searching.search_all(run, sample, until=run.deadline, is_told=False)
    return [(hit.content or "")[:READ] for result in results for hit in result.page.hits]
