"""The writer of an answer and of a synthesis: its question, and its draft as far as its citations hold."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from retrieval import threads
from retrieval.call.budget import READING, Question
from retrieval.call.run import Run
from retrieval.citations.blocks import Block
from retrieval.citations.check import check
from retrieval.model.answer import Chunk, Written
from retrieval.model.retrieval import RetrievalRequest
from retrieval.steps import prompts, write
from retrieval.text.languages.recognition import language_of_conversation


def question(
    run: Run,
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    queries: Sequence[str],
    most: int | None = None,
) -> Question[tuple[Block, ...]]:
    """The question to the writer. It may cite `most` chunks where its answer selects them; None is any number."""
    prompt = write.prompt(request, chunks, today=run.ports.clock().date(), queries=queries, most=most)
    return Question(step="answer", version=write.PROMPT, prompt=prompt, read=write.read)


async def check_draft(
    draft: Sequence[Block],
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    names: Mapping[str, str] | None,
    selected: Collection[str] = (),
    over: Collection[str] = (),
) -> Written:
    """The draft with the citations that pass; chunks `over` the number that may be cited do not."""
    work = partial(
        check,
        draft,
        chunks=chunks,
        by="model",
        asked=prompts.shown_text(request.messages),
        selected=selected,
        names=names,
        over=over,
        language=language_of_conversation(request.messages),
    )
    return await threads.work(READING * sum(len(block.text) for block in draft), work)
