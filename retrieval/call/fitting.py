"""Shorter questions for a server whose context is small: with fewer chunks, then with fewer earlier turns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval.call import shown_conversation
from retrieval.call.model_calls import Question, Value
from retrieval.model.answer import Chunk
from retrieval.model.retrieval import RetrievalRequest

SHARES: Final = (0.75, 0.5, 0.375, 0.25)
"""The shares of the chunks that are kept with the whole conversation, one after the other."""
CHARACTERS: Final = (6_000, 3_000, 1_500, 600)
"""The characters of the conversation that are kept then, one after the other; first with the fewest chunks above, then
with one."""

FEWER_CHUNKS: Final = "The server's context has room for {kept} of {all} chunks."
FEWER_TURNS: Final = "The server's context has room for the latest {room} characters of the conversation."

Make: TypeAlias = Callable[[RetrievalRequest, tuple[Chunk, ...]], Question[Value]]


def question(make: Make[Value], request: RetrievalRequest, chunks: Sequence[Chunk] = ()) -> Question[Value]:
    """The question that `make` returns, which can be made again with fewer chunks and a shorter conversation."""
    whole = make(request, tuple(chunks))
    return replace(whole, shorter=partial(_shorter, make, request, tuple(chunks)))


def _shorter(
    make: Make[Value], request: RetrievalRequest, chunks: tuple[Chunk, ...]
) -> Iterator[tuple[str, Question[Value]]]:
    counts = list(dict.fromkeys(max(int(len(chunks) * share), 1) for share in SHARES)) if chunks else []
    fewest = counts[-1] if counts else 0
    size = sum(len(message.text) for message in request.messages)
    rooms = [room for room in CHARACTERS if room < size]
    for count, room in [
        *((count, None) for count in counts if count < len(chunks)),
        *((fewest, room) for room in rooms),
        *((min(count, fewest), rooms[-1] if rooms else None) for count in (3, 2, 1) if count < fewest),
    ]:
        messages = request.messages if room is None else shown_conversation.latest(request.messages, room)
        yield _note(count, len(chunks), room), make(replace(request, messages=messages), chunks[:count])


def _note(kept: int, all: int, room: int | None) -> str:
    of_chunks = FEWER_CHUNKS.format(kept=kept, all=all) if kept < all else ""
    of_turns = "" if room is None else FEWER_TURNS.format(room=room)
    return " ".join(filter(None, (of_chunks, of_turns)))
