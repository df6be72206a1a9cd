"""Thirty questions to a town library's handbook and to the sample, answered without a model: printed for readers.

    python -m tests.answering.offline.handbook

The handbook was written for this: questions as titles, tables, steps, pages in German and Chinese, small talk, short
texts. `says` is what a useful answer has among its quotes; "" where the documents have no answer.
"""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from azure.core.credentials import AzureKeyCredential

from retrieval.answering.workflow import answer
from retrieval.backends.azure_search.index import AzureSearchIndex
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import AsyncInProcessTransport
from retrieval.model.answer import Answer, AnswerRequest
from retrieval.model.conversation import Message
from retrieval.model.search import SearchTarget

HANDBOOK: Final = Path(__file__).parent / "handbook.jsonl"
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question to the index of the handbook or of the sample. Turns of the user before it are `earlier`."""

    text: str
    says: str
    index: str = "handbook"
    earlier: tuple[str, ...] = ()


SAMPLE: Final = "earth-at-night"

QUESTIONS: Final = (
    Asked(text="How much is the fee for an adult card?", says="18 €"),
    Asked(text="When does the lending desk open on Thursday?", says="12:00 to 20:00"),
    Asked(text="How do I get a library card?", says="4. Sign the card."),
    Asked(text="I lost my locker key, what now?", says="Report it at the information desk"),
    Asked(text="How often can I renew a loan?", says="Twice, for two weeks each time"),
    Asked(text="Are dogs allowed?", says="Guide dogs, yes."),
    Asked(text="Who is the director of the library?", says="Dr. Helene Brandt"),
    Asked(text="When was the library opened?", says="31 March 1934"),
    Asked(text="Where was the architect of the east wing born?", says="Ostrand"),
    Asked(text="What does a colour copy in A3 cost?", says="0.80 €"),
    Asked(text="What do I pay if I bring a book back late?", says="0.50 €"),
    Asked(text="How do I set a new password?", says="4. Follow the link"),
    Asked(text="What should I do when the fire alarm rings?", says="Wait at the lime tree"),
    Asked(text="How long can I borrow a film?", says="2 weeks"),
    Asked(text="And a musical instrument?", says="3 months", earlier=("How long can I borrow a film?",)),
    Asked(text="How was your weekend?", says=""),
    Asked(text="Does the library lend bicycles?", says=""),
    Asked(text="Wann beginnt die Sommerpause?", says="31. Juli"),
    Asked(text="Wie bekomme ich einen Ausweis?", says="3. Jahresgebühr bezahlen."),
    Asked(text="Was kostet ein Ersatzausweis?", says="5 €"),
    Asked(text="Wann wurde die Bücherei eröffnet?", says="31. März 1934"),
    Asked(text="成人年费是多少？", says="18 欧元"),
    Asked(text="怎样办理借书证？", says="4. 在借书证上签名。"),
    Asked(text="图书馆周六几点开放？", says="周六上午十点"),
    Asked(
        text="How much gas is burned in flares each year, and which countries lead?",
        says="150 billion cubic meters",
        index=SAMPLE,
    ),
    Asked(text="Why is North Korea dark at night?", says="the light stops", index=SAMPLE),
    Asked(text="Which cities went dark in the blackout of August 2003?", says="Toronto", index=SAMPLE),
    Asked(
        text="How much brighter do American suburbs become with December holiday lights?",
        says="a fifth to a half",
        index=SAMPLE,
    ),
    Asked(text="lights?", says="", index=SAMPLE),
    Asked(text="Who won the football world cup in 1998?", says="", index=SAMPLE),
)


async def answered(asked: Asked) -> Answer:
    """The whole workflow over the local search service, with no model."""
    local = stand_in((("handbook", str(HANDBOOK)),))
    agent = next(one for one in local.agents if one.name == asked.index)
    index = AzureSearchIndex(
        local.endpoint,
        AzureKeyCredential(local.key),
        fields={},
        transport=lambda: AsyncInProcessTransport(local.service),
    )
    turns = [Message(role="user", text=text) for text in (*asked.earlier, asked.text)]
    targets = (SearchTarget(index=agent.targets[0].index, threshold=0),)
    request = AnswerRequest(messages=tuple(turns), targets=targets, nonce="handbook")
    return await answer(request, index=index, schemas=index, model=None, clock=lambda: NOON)


async def main() -> None:
    for number, asked in enumerate(QUESTIONS, 1):
        given = await answered(asked)
        evidence = given.judgement.evidence if given.judgement else None
        judged = "not retrieved" if evidence is None else f"{evidence.sufficient}, {evidence.confidence}"
        print(f"## {number}. {asked.text}  ({asked.index}; sufficient: {judged})\n\n{given.written.markdown}\n")


if __name__ == "__main__":
    asyncio.run(main())
