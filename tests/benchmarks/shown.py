"""What a judge and a writer see of a single question: the gold among the first chunks, and what the chunks take.

Of each collection every other question is the half on which the number of chunks was chosen; the other half reads it. A
plan by rules stands for a model's: one query. The tokens of the evidence are those of all chunks as retrieve fences
them, and as a judge and a writer read them; the project's own pages stand for a handbook with links.
"""

import asyncio
from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple

from azure.core.credentials import AzureKeyCredential

from retrieval.answer.answers import answer
from retrieval.call import prompts
from retrieval.call.ports import Ports
from retrieval.call.prompt_parts import described
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import AsyncInProcessTransport
from retrieval.model.conversation import Message
from retrieval.model.retrieval import ANSWER_LIMITS, Chunk, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.sources.search_index.index import AzureSearchIndex
from retrieval.text.length import tokens
from retrieval.writing import answer_blocks
from tests.benchmarks.collection import NOON, Collection, collections

NAMES: Final = ("mtragmini", "hotpot100")
SIZES: Final = (6, 8, 10, 12, 16)
HALVES: Final = ("chosen on", "read on")
NONCE: Final = "0123456789abcdef"
PAGES: Final = (
    "How long is a chunk of a loaded file?",
    "What does the effort medium cost?",
    "Which roles does the service need in the search service?",
    "How are citations checked?",
    "What happens when the model is throttled?",
    "How do imposed filters work?",
    "How is the local search service started?",
    "Which settings does a deployment need?",
    "How are telemetry and spans named?",
    "How many calls can an instance hold?",
)


class Shown(NamedTuple):
    gold: frozenset[str]
    keys: tuple[str, ...]


async def shown(collection: Collection) -> tuple[list[Shown], list[tuple[Chunk, ...]]]:
    """Of each question with one query its gold and the documents of its chunks, in their order; and the chunks."""
    found: list[Shown] = []
    chunks: list[tuple[Chunk, ...]] = []
    for question in (one for one in collection.questions if one.gold):
        given = await collection.answer(question, follow_ups=0)
        if given.plan is not None and len(given.plan.queries) == 1:
            keys = tuple(one.reference.hit.key for one in given.chunks)
            found.append(Shown(question.gold, keys))
            chunks.append(given.chunks)
    return found, chunks


async def pages() -> list[tuple[Chunk, ...]]:
    local = stand_in((("docs", "docs"),))
    index = AzureSearchIndex(
        local.endpoint,
        AzureKeyCredential(local.key),
        fields={},
        transport=lambda: AsyncInProcessTransport(local.service),
        comparable=False,
    )
    target = SearchTarget(index="docs", threshold=0)
    asked = (
        RetrievalRequest(
            output="answer",
            limits=ANSWER_LIMITS,
            messages=(Message(role="user", text=one),),
            targets=(target,),
            nonce=NONCE,
        )
        for one in PAGES
    )
    return [
        (await answer(one, Ports(index=index, schemas=index, model=None, clock=lambda: NOON))).chunks for one in asked
    ]


def of_sizes(name: str, questions: Sequence[Shown]) -> str:
    most = max(SIZES)
    lines = [f"  {name}, {len(questions)} questions: chunks, all gold, share of gold, questions that lose some"]
    for size in SIZES:
        whole = fmean(one.gold <= {*one.keys[:size]} for one in questions)
        share = fmean(len(one.gold & {*one.keys[:size]}) / len(one.gold) for one in questions)
        lost = sum(not one.gold.isdisjoint(one.keys[size:most]) for one in questions)
        lines.append(f"    {size:>2}  {whole:.3f}  {share:.3f}  {lost}")
    return "\n".join(lines)


def of_tokens(name: str, found: Sequence[tuple[Chunk, ...]]) -> str:
    whole, read = (fmean(tokens(described(one, nonce=NONCE, targets=here)) for one in found) for here in (True, False))
    count = fmean(map(len, found))
    return (
        f"  evidence of {name}, {count:.0f} chunks: {whole:,.0f} tokens, "
        f"{read:,.0f} with links by label ({read / whole - 1:+.1%})"
    )


async def main() -> None:
    print(f"  instructions of {answer_blocks.PROMPT}: {tokens(prompts.text(answer_blocks.PROMPT))} tokens")
    print(of_tokens("docs", await pages()), flush=True)
    for collection in collections(*NAMES):
        questions, chunks = await shown(collection)
        print(of_tokens(collection.name, chunks))
        for place, half in enumerate(HALVES):
            print(of_sizes(f"{collection.name}, {half}", questions[place::2]), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
