"""The languages of the documents, where no model answers a question that is in another language. Words of another
language find nothing, or what shares a name or a number with the question."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from retrieval import threads
from retrieval.call.run import Run
from retrieval.model.answer import Chunk
from retrieval.model.conversation import Message
from retrieval.model.search import Recall, Subquery
from retrieval.retrieve.plan import facet_preferences
from retrieval.retrieve.search import searching
from retrieval.text.languages.recognition import CODES, recognised, recognised_of_conversation

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
    if chunks and (asked is None or asked.code in _languages(texts)):
        return ()
    if await _any_vectors(run):
        return ()
    texts += await _sample(run)
    found = await threads.work(sum(map(len, texts)), partial(_languages, texts))
    return () if asked is not None and asked.code in found else found


def _languages(texts: Sequence[str]) -> tuple[str, ...]:
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
