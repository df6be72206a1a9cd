"""The answer of a retrieval that asks for one, written from its grounded references; all that it cites is checked.

It is the answer workflow's writer: the same prompt, the same check, the same rules where no model writes. Only what
stands in brackets behind a claim differs: `[ref_id:3]`, the position of a reference. Reference: Knowledge Retrieval -
Retrieve, `outputMode` answerSynthesis.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call import chunks, search
from retrieval.call.budget import READING, Asked, ModelCalls, Question
from retrieval.call.rounds import CHUNK_TOKENS, MOST_CHUNKS, RULES_SECONDS
from retrieval.citations import check as citations
from retrieval.citations import frame
from retrieval.citations.blocks import Block
from retrieval.model.activity import SearchActivity, SynthesisActivity
from retrieval.model.answer import AnswerLimits, AnswerRequest, Removed, Written
from retrieval.model.chunk import Gathered
from retrieval.model.conversation import Message
from retrieval.model.definitions import ModelDeployment
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.model.search import Searched
from retrieval.ports import Clock
from retrieval.rules import matches
from retrieval.steps import prompts, write
from retrieval.text.how_many import how_many
from retrieval.text.languages.recognition import language_of_conversation
from retrieval.text.source_labels import extent

NOT_SHOWN: Final = "The writer was shown {shown} of {all}: {reason}."
REMOVED: Final = "{count} × {kind} removed from the answer: {reason}"
UNQUOTED: Final = "{count} without quotation marks: no chunk has the words as they were quoted."
UNFOUNDED: Final = "Not in the documents that are cited with it: {figures}."
UNGROUNDED: Final = "The model's answer cited nothing and was not used."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What an answer may rest on. `names` are how chunks are cited, by their ids: `ref_id:3`."""

    asked: AnswerRequest
    gathered: Gathered
    names: dict[str, str]


async def synthesised(
    outcome: Outcome, *, calls: ModelCalls, clock: Clock, deployment: ModelDeployment | None
) -> Outcome:
    """The outcome with its answer, and a record of how it was written. A model that fails is no error.

    The time is what `calls` have left.
    """
    started_at = clock()
    before = calls.seconds_left
    size = sum(extent(one.hit) for one in outcome.references)
    ground = await threads.work(size, partial(_ground, outcome))
    drafted = await _drafted(ground, calls, today=started_at.date(), outcome=outcome)
    kept, notes = await _kept(ground, None if drafted is None else drafted.value)
    step = None if drafted is None else drafted.record
    by_rules = partial(_best_matches, ground, outcome, failed=matches.why(step))
    if step is None:
        written, step = calls.by_rules("answer", by_rules)
    else:
        written = kept or by_rules()
    record = SynthesisActivity(
        elapsed_ms=round(1000 * (before - calls.seconds_left)),
        started_at=started_at,
        model=deployment if step.prompt is not None else None,
        by=written.by,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        error=step.error,
        notes=(*_omitted(ground.gathered), *notes),
    )
    return replace(outcome, answer=written.markdown, activity=(*outcome.activity, record))


def _ground(outcome: Outcome) -> Ground:
    """The chunks of the grounded references, best first, within what a writer is shown."""
    references = [outcome.references[place] for place in outcome.grounding.included]
    gathered = chunks.gather(references, most=MOST_CHUNKS, tokens=CHUNK_TOKENS)
    places = {one.key: place for place, one in enumerate(outcome.references)}
    known = {one.id: one.reference for one in gathered.chunks}
    names = {name: f"ref_id:{places[one.key]}" for name, one in known.items()}
    return Ground(asked=_asked(outcome.request), gathered=gathered, names=names)


def _asked(request: RetrievalRequest) -> AnswerRequest:
    """The call as the writer knows it: what the caller planned is the question where there is no conversation."""
    messages = request.messages or (Message(role="user", text="\n".join(request.queries)),)
    return AnswerRequest(
        messages=prompts.guided(messages, request.answer_instructions),
        targets=request.targets,
        limits=AnswerLimits(follow_ups=0, runtime=request.max_runtime),
        calibration=request.calibration,
        nonce=request.nonce,
        cited_by="label",
    )


async def _drafted(
    ground: Ground, calls: ModelCalls, *, today: date, outcome: Outcome
) -> Asked[tuple[Block, ...]] | None:
    """What a model wrote; None where there is no model, or nothing to write from."""
    if calls.model is None or not ground.gathered.chunks:
        return None
    prompt = write.prompt(ground.asked, ground.gathered.chunks, today=today, queries=search.queries(_searched(outcome)))
    question = Question(step="answer", version=write.PROMPT, prompt=prompt, read=write.read)
    return await calls.ask(question, until=calls.deadline - RULES_SECONDS)


async def _kept(ground: Ground, draft: Sequence[Block] | None) -> tuple[Written | None, tuple[str, ...]]:
    """The draft as far as its citations hold, and what was removed of it; nothing where it cites nothing.

    A draft that only says what is missing is kept.
    """
    if draft is None:
        return None, ()
    messages = ground.asked.messages
    check = partial(
        citations.check,
        draft,
        chunks=ground.gathered.chunks,
        by="model",
        asked=prompts.shown(messages),
        names=ground.names,
        language=language_of_conversation(messages),
    )
    written = await threads.work(READING * sum(len(block.text) for block in draft), check)
    removed = (*_counted(written.removed), *_without_marks(written), *_without_ground(written))
    if not written.citations and not written.missing:
        return None, (*removed, UNGROUNDED)
    return frame.ended(written, messages) if written.missing else written, removed


def _best_matches(ground: Ground, outcome: Outcome, *, failed: str) -> Written:
    any_found = any(one.page.found for one in _searched(outcome))
    found = ground.gathered.chunks
    return matches.answer(ground.asked, found, failed=failed, any_found=any_found, names=ground.names)


def _searched(outcome: Outcome) -> list[Searched]:
    return [one.searched for one in outcome.activity if isinstance(one, SearchActivity)]


def _counted(removed: Sequence[Removed]) -> tuple[str, ...]:
    counts = Counter((one.kind, one.reason) for one in removed)
    return tuple(REMOVED.format(count=count, kind=kind, reason=reason) for (kind, reason), count in counts.items())


def _without_marks(written: Written) -> tuple[str, ...]:
    count = len(written.unquoted)
    return (UNQUOTED.format(count=how_many(count, "quotation")),) if count else ()


def _without_ground(written: Written) -> tuple[str, ...]:
    figures = "; ".join(dict.fromkeys(one.figure for one in written.unfounded))
    return (UNFOUNDED.format(figures=figures),) if figures else ()


def _omitted(gathered: Gathered) -> tuple[str, ...]:
    count = sum(gathered.omitted.values())
    if not count:
        return ()
    reason = ", ".join(f"{name} {number}" for name, number in gathered.omitted.items())
    shown = len(gathered.chunks)
    return (NOT_SHOWN.format(shown=shown, all=how_many(count + shown, "document"), reason=reason),)
