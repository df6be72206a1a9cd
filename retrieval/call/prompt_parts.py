"""What prompts show of a conversation: the guidance (turns before the first user turn) and the latest turns; and of the
documents: chunks, without near duplicates and within a number and a budget of tokens, each between fences (tags with a
nonce). A server whose context is small gets a shorter question: with fewer chunks, then with fewer earlier turns.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from html import escape
from itertools import chain, starmap
from typing import Final, TypeAlias

from retrieval.call.budget import Value
from retrieval.call.model_calls import Question
from retrieval.model.activity import OmitReason
from retrieval.model.conversation import Message, question_place, split
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Chunk, Gathered, Key, Reference, RetrievalRequest
from retrieval.ports import ModelServer
from retrieval.text import near_duplicates
from retrieval.text.languages.language import KNOWN
from retrieval.text.length import clip, ends, tokens_of_each
from retrieval.text.links import without_targets
from retrieval.text.source_labels import source_texts

LONGEST_CONVERSATION: Final = 12_000
LONGEST_ANSWER: Final = 400
"""The most characters of an earlier answer beside a question that stands apart."""

NEAR: Final = 3
"""The most words between "last" and "months", counted with "months"."""

_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SPACED: Final = [language for language in KNOWN if language.spaced]
_NOW: Final = frozenset(chain.from_iterable(language.now for language in _SPACED))
_SIGNS: Final = re.compile(
    "|".join(map(re.escape, sorted({word for language in KNOWN for word in language.now if word > "\u2e80"})))
)


def shown_text(messages: Sequence[Message]) -> str:
    """The part of a conversation that prompts show, as one text without the roles."""
    parts = (_latest(part) for part in split(messages))
    return " ".join(turn["text"] for part in parts for turn in part)


def guided(messages: Sequence[Message], instructions: str | None) -> tuple[Message, ...]:
    """The messages, with an administrator's instructions at the end of the guidance, since the beginning of a long
    guidance is cut."""
    if not instructions:
        return tuple(messages)
    guidance, turns = split(messages)
    return (*guidance, Message(role="system", text=instructions), *turns)


def conversation(messages: Sequence[Message], about: Mapping[str, JsonValue]) -> str:
    """One line of JSON: the facts for the step, the guidance and the conversation.

    A long conversation is cut to its latest turns, and a long turn is cut to its beginning and its end.
    """
    guidance, turns = map(_latest, split(messages))
    return json.dumps({**about, "guidance": guidance, "conversation": turns}, ensure_ascii=False)


def members(messages: Sequence[Message]) -> dict[str, JsonValue]:
    """The `guidance`, the earlier turns as `conversation`, and last the last user message as `question`. The first two
    are left out where there are none. The question takes the room first, then the latest turns."""
    guidance, turns = split(messages)
    place = question_place(turns)
    question = ends(turns[place].text, LONGEST_CONVERSATION)
    others = [
        turn if turn.role == "user" else replace(turn, text=ends(turn.text, LONGEST_ANSWER))
        for turn in (*turns[:place], *turns[place + 1 :])
    ]
    earlier = _latest(others, LONGEST_CONVERSATION - len(question))
    parts: dict[str, JsonValue] = {"guidance": [*map(dict, _latest(guidance))], "conversation": [*map(dict, earlier)]}
    return {**{name: part for name, part in parts.items() if part}, "question": question}


def dated(messages: Sequence[Message], today: date) -> dict[str, JsonValue]:
    """`today` if a message of the user names a time that depends on it."""
    said = " ".join(message.text for message in messages if message.role == "user")
    return {"today": today.isoformat()} if has_relative_date(ends(said, LONGEST_CONVERSATION)) else {}


def latest(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    """The messages as they are shown in so many characters of guidance, and as many of conversation."""
    turns = [turn for part in split(messages) for turn in _latest(part, room)]
    return tuple(Message(role=turn["role"], text=turn["text"]) for turn in turns)


def _latest(messages: Sequence[Message], room: int = LONGEST_CONVERSATION) -> list[dict[str, str]]:
    """The latest turns in order, `room` characters at most."""
    turns: list[dict[str, str]] = []
    for message in reversed(messages):
        if room <= 0:
            break
        text = ends(message.text, room)
        turns.append({"role": message.role, "text": text})
        room -= len(text) if text == message.text else room
    return turns[::-1]


def has_relative_date(text: str) -> bool:
    """Whether a text names a time that depends on today's date: it has a word such as "today", or a word such as "last"
    near a word such as "year". The words of all languages count, since a text is often too short for its language to be
    recognised."""
    words = [match[0] for match in _WORD.finditer(text.casefold())]
    return not _NOW.isdisjoint(words) or _beside_a_period(words) or _SIGNS.search(text) is not None


def _beside_a_period(words: list[str]) -> bool:
    known = set(words)
    for language in _SPACED:
        if known.isdisjoint(language.periods) or known.isdisjoint(language.beside_periods):
            continue
        places = [at for at, word in enumerate(words) if word in language.periods]
        if any(
            language.beside_periods.intersection(words[max(at - NEAR, 0) : at + NEAR + 1]) - {words[at]}
            for at in places
        ):
            return True
    return False


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
    new = {key: reference for reference in references if (key := reference.key) not in known_keys}
    distinct, left_out = near_duplicates.choose(
        list(new.values()),
        read=lambda batch, room: _read(batch, round=round),
        most=most,
        room=tokens,
        earlier=[chunk.text for chunk in known],
    )
    given = {chunk.reference.key for chunk in distinct}
    lost: dict[Key, OmitReason] = {key: "limit" for key in new if key not in given}
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
    return [text + max(source, heading) + date for text, source, heading, date in starmap(tokens_of_each, shown)]


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
        messages = request.messages if room is None else latest(request.messages, room)
        of_chunks = FEWER_CHUNKS.format(kept=count, all=len(chunks)) if count < len(chunks) else ""
        of_turns = "" if room is None else FEWER_TURNS.format(room=room)
        yield " ".join(filter(None, (of_chunks, of_turns))), make(replace(request, messages=messages), chunks[:count])
