"""The chunks of documents that a model reads: their choice, without near duplicates and within a number and a budget of
tokens, and their fences (tags with a nonce) in a prompt. A server whose context is small gets a shorter question:
with fewer chunks, then with fewer earlier turns.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from itertools import starmap
from typing import Final, TypeAlias

from retrieval.call import shown_conversation
from retrieval.call.run import Question, Value
from retrieval.model.activity import OmitReason
from retrieval.model.answer import Chunk, Gathered
from retrieval.model.retrieval import Key, Reference, RetrievalRequest
from retrieval.ports import ModelServer
from retrieval.text import near_duplicates
from retrieval.text.clipped import clip
from retrieval.text.links import without_targets
from retrieval.text.source_labels import source_texts
from retrieval.text.tokens import each

LONGEST_CHUNK: Final = 4_000

MOST_CHUNKS: Final = 16
"""The most chunks of a round. The number was chosen on half of MTRAG's questions. In the other half, all gold passages
are among 16 chunks for .802 of the questions, among 12 chunks for .771, and among 10 chunks for .735. For HotpotQA the
shares are .86, .84 and .76 (`tests.benchmarks.shown`)."""
MOST_LOCALLY: Final = 8
"""The most chunks of a round for a model of CHAT_URL, which reads as few as forty tokens a second. The chunks that a
strong model cites are among the first eight in 26 of 27 answers."""
CHUNK_TOKENS: Final = 8_000

LONGEST_VALUES: Final = 300


def most_chunks(server: ModelServer | None) -> int:
    """The most chunks of a round that a model reads, which may be that of a `server` on a developer's machine."""
    return MOST_CHUNKS if server is None else MOST_LOCALLY


def gather(
    references: Sequence[Reference], *, known: Sequence[Chunk] = (), most: int, tokens: int, round: int = 0
) -> Gathered:
    """The chunks of references, in their order: at most `most` chunks with at most `tokens` tokens in all.

    `known` chunks are not returned again, and do not count against `most` and `tokens`. New chunks get the next ids. A
    text that does not fit into the rest of the budget is skipped; a smaller text after it may fit. Every reference
    becomes a chunk or is counted as omitted. Once there are `most` chunks, or 200 texts were compared, every further
    new reference counts as `limit`.
    """
    known_keys = {chunk.reference.key for chunk in known}
    new = [reference for reference in references if reference.key not in known_keys]
    distinct, left_out = near_duplicates.choose(
        new,
        read=lambda batch, room: _read(batch, round=round),
        most=most,
        room=tokens,
        earlier=[chunk.text for chunk in known],
    )
    given = {chunk.reference.key for chunk in distinct}
    lost: dict[Key, OmitReason] = {key: "limit" for reference in new if (key := reference.key) not in given}
    lost.update({chunk.reference.key: reason for chunk, reason in left_out})
    omitted: Counter[OmitReason] = Counter(reason for _, reason in left_out)
    omitted["known"] = len(references) - len(new)
    omitted["limit"] = len(references) - len(distinct) - omitted.total()
    first = 1 + max((int(chunk.id[1:]) for chunk in known), default=0)
    chunks = tuple(replace(chunk, id=f"c{number}") for number, chunk in enumerate(distinct, first))
    return Gathered(chunks=chunks, omitted=dict(+omitted), lost=lost)


def _read(references: Sequence[Reference], *, round: int) -> list[tuple[Chunk, str, int]]:
    """The chunk of each reference, with its text and its tokens."""
    texts = source_texts([reference.hit for reference in references], longest=LONGEST_CHUNK)
    chunks = [
        Chunk(
            id="",
            source=label,
            text=text,
            reference=reference,
            round=round,
            heading=heading,
            date=reference.hit.date or "",
        )
        for reference, (label, heading, text) in zip(references, texts, strict=True)
    ]
    return [(chunk, chunk.text, size) for chunk, size in zip(chunks, _sizes(chunks), strict=True)]


def described(chunks: Sequence[Chunk], *, nonce: str, targets: bool = True) -> str:
    """The chunks between fences, each with its heading or else its source, its date, and the values of its facets. No
    text or label can open or close a fence, or contain the nonce. Without `targets` a link in a text is reduced to its
    label; citations are checked against the unchanged texts."""
    return "\n".join(
        _fence(
            chunk.text if targets else without_targets(chunk.text),
            {"id": chunk.id, "source": chunk.heading or chunk.source}
            | ({"date": chunk.date} if chunk.date else {})
            | ({"values": values} if (values := _values(chunk)) else {}),
            nonce=nonce,
        )
        for chunk in chunks
    )


def _values(chunk: Chunk) -> str:
    """The facet values of a document that are not part of its heading."""
    pairs = chunk.reference.hit.facets
    return clip("; ".join(f"{name}: {value}" for name, value in pairs if value not in chunk.heading), LONGEST_VALUES)


def _fence(text: str, attributes: Mapping[str, str], *, nonce: str) -> str:
    attributes_text = "".join(f' {name}="{escape(_without(value, nonce))}"' for name, value in attributes.items())
    return f"<chunk-{nonce}{attributes_text}>{_escape(_without(text, nonce))}</chunk-{nonce}>"


def _sizes(chunks: Sequence[Chunk]) -> list[int]:
    """An estimate of the tokens of each chunk: its text, heading or source, and date."""
    shown = [(_escape(chunk.text), escape(chunk.source), escape(chunk.heading), chunk.date) for chunk in chunks]
    return [text + max(source, heading) + date for text, source, heading, date in starmap(each, shown)]


def _escape(text: str) -> str:
    return escape(text, quote=False)


def _without(text: str, nonce: str) -> str:
    return text.replace(nonce, "\ufffd")


SHARES: Final = (0.75, 0.5, 0.375, 0.25)
"""The shares of the chunks that are kept with the whole conversation, one after the other."""
CHARACTERS: Final = (6_000, 3_000, 1_500, 600)
"""The characters of the conversation that are kept then, one after the other; first with the fewest chunks above, then
with one."""

FEWER_CHUNKS: Final = "The server's context has room for {kept} of {all} chunks."
FEWER_TURNS: Final = "The server's context has room for the latest {room} characters of the conversation."

Make: TypeAlias = Callable[[RetrievalRequest, tuple[Chunk, ...]], Question[Value]]


def shortenable(make: Make[Value], request: RetrievalRequest, chunks: Sequence[Chunk] = ()) -> Question[Value]:
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
        of_chunks = FEWER_CHUNKS.format(kept=count, all=len(chunks)) if count < len(chunks) else ""
        of_turns = "" if room is None else FEWER_TURNS.format(room=room)
        yield " ".join(filter(None, (of_chunks, of_turns))), make(replace(request, messages=messages), chunks[:count])
