"""Chunks as a search finds them, by hand and by chance, and a request that asks of them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import strategies as st

from retrieval.errors import BackendError
from retrieval.model.conversation import Message
from retrieval.model.retrieval import ANSWER_LIMITS, Chunk, Reference, RetrievalRequest
from retrieval.model.search import Hit, Page, Searched, SearchTarget, Subquery
from retrieval.text.source_labels import label

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TARGET = SearchTarget(index="atlas", threshold=0)
QUESTION = "What government position was held by the woman who portrayed Corliss Archer in Kiss and Tell?"


def asked(*turns: str, follow_ups: int = 1) -> RetrievalRequest:
    """A request whose turns are the user's and the assistant's by turns; the last is the user's."""
    roles = ["user", "assistant"]
    messages = [Message(role=roles[place % 2], text=text) for place, text in enumerate(turns[::-1])][::-1]
    limits = replace(ANSWER_LIMITS, follow_ups=follow_ups)
    return RetrievalRequest(
        output="answer", messages=tuple(messages), targets=(TARGET,), limits=limits, nonce="n", cited_by="label"
    )


def chunk(
    number: int, text: str, *, title: str | None = None, score: float | None = 2.5, round: int = 0, subquery: int = 0
) -> Chunk:
    """Chunk `c<number>` of the document `k<number>`."""
    hit = Hit(key=f"k{number}", score=score, title=title, content=text)
    reference = Reference(hit=hit, target=TARGET, subquery=subquery)
    return Chunk(id=f"c{number}", source=label(hit), text=text, reference=reference, round=round)


def searched(search: str, found: Sequence[Chunk] = (), *, error: BackendError | None = None) -> Searched:
    page = Page(hits=tuple(one.reference.hit for one in found))
    return Searched(
        subquery=Subquery(search=search, target=TARGET), page=page, error=error, started_at=NOON, elapsed_ms=1
    )


_signs = st.characters(exclude_categories=["Cs"])
texts = st.one_of(
    st.text(_signs, max_size=300),
    st.lists(
        st.sampled_from(
            "Kiss and Tell Corliss Archer. Shirley Temple! [c1] “quoted” \n - <b> `x` 東京は 首都です。 3.5 e.g. J. "
            "U.S. … burn.[1] Archer[2] [3] # | https://evil.example/x ![i](u) &#91; government position?".split(" ")
        ),
        max_size=40,
    ).map(" ".join),
)
scores = st.one_of(st.none(), st.floats(0, 4))


@st.composite
def chunk_lists(draw: st.DrawFn) -> list[Chunk]:
    """Up to nine chunks, those of the second round after those of the first."""
    drawn = draw(st.lists(st.tuples(texts, st.one_of(st.none(), texts), scores, st.integers(0, 1)), max_size=9))
    drawn.sort(key=lambda one: one[3])
    return [
        chunk(number, text, title=title, score=score, round=round)
        for number, (text, title, score, round) in enumerate(drawn, 1)
    ]
