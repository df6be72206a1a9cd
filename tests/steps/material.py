"""What the tests of the steps work on: chunks, requests, replies, and strategies for hostile ones."""

import json
from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from retrieval.answer import AnswerLimits, AnswerRequest, Chunk
from retrieval.model import Hit, Message, Prompt, Reference, SearchTarget
from retrieval.sources import label

TARGET: Final = SearchTarget(index="atlas", threshold=0)
NONCE: Final = "5f0c9a"


def reference(key: str, content: str | None, *, title: str | None = None, index: str = "atlas") -> Reference:
    target = SearchTarget(index=index, threshold=0)
    return Reference(hit=Hit(key=key, score=2.0, title=title, content=content), target=target, subquery=0)


def chunk(number: int, text: str, *, title: str | None = None) -> Chunk:
    """A chunk of the document `k1`, `k2`, …, which has the title `T1`, `T2`, … if none is given."""
    found = reference(f"k{number}", text, title=f"T{number}" if title is None else title)
    return Chunk(id=f"c{number}", source=label(found.hit), text=text, reference=found)


def user(text: str) -> Message:
    return Message(role="user", text=text)


def request(*messages: Message, queries: int = 3) -> AnswerRequest:
    return AnswerRequest(
        messages=messages or (user("When did the plant open?"),),
        targets=(TARGET,),
        limits=AnswerLimits(queries=queries),
        nonce=NONCE,
    )


def told(prompt: Prompt) -> dict[str, object]:
    """The JSON object that a prompt's data begin with."""
    found, _ = json.JSONDecoder().raw_decode(prompt.data)
    assert isinstance(found, dict)
    return found


def chunks_of(texts: Sequence[str]) -> tuple[Chunk, ...]:
    return tuple(chunk(number, text) for number, text in enumerate(texts, start=1))


json_values: Final[st.SearchStrategy[object]] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["c1", "c2", "[c1]"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)


def replies(*members: str) -> st.SearchStrategy[str]:
    """Any text, and JSON objects whose members are anything."""
    objects = st.fixed_dictionaries({}, optional=dict.fromkeys(members, json_values))
    return st.text(max_size=80) | objects.map(json.dumps)


PLANT: Final = (
    "The plant opened in 1998 and closed in 2011. It made “green paint” for ships – and\n  for art. "
    "See https://plant.example/history for more."
)
CAIRO: Final = "Cairo is the brightest city of the delta; it shines all night."
BEIJING: Final = "北京的夜晚非常明亮，可以从太空看到。长江沿岸也是如此。"
CHUNKS: Final = (chunk(1, PLANT), chunk(2, CAIRO), chunk(3, BEIJING))
