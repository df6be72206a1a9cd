"""The evidence without a model: it measures how much of the question the chunks mention, and understands nothing.

The confidence comes from the signals of what was returned (`signals`), ranked within the index where it is calibrated.
tests/benchmarks/evidence.py measures how good it is. Rules do not understand texts, so they are never certain.

The possible quotes count too: if there are none, if none has the kind of answer that the question asks for, or if the
question is too vague, the evidence is not enough, and the confidence is lower. A chunk that may answer and cannot be
quoted lends its signals to no quote of another.

The meaning of scores is published: 4 answers the question completely, 3 is relevant but lacks details, 2 answers it in
part, 1 a small part of it (https://learn.microsoft.com/azure/search/semantic-search-overview).
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Final, TypeAlias

from retrieval.engine import answer_kinds, follow_up, missing_information, parts, quotes, relevance, signals, unquotable
from retrieval.engine.answer_kinds import Kind
from retrieval.engine.quotes import Quote
from retrieval.model.answer import AnswerRequest
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import Message, question_of, split
from retrieval.model.evidence import Evidence, Judgement, KeyPoint, Part, Selected
from retrieval.model.search import LONGEST_SEARCH, Searched
from retrieval.text import content_words, small_talk
from retrieval.text.clipped import ends
from retrieval.text.how_many import how_many
from retrieval.text.standalone_question import standalone

CERTAIN: Final = 0.95
"""The confidence if all signals are at their maximum."""

UNANSWERED: Final = 0.8
"""The factor on the confidence if no quote has what was asked for."""

UNQUOTED: Final = 0.5
"""The factor on the confidence if a chunk may answer and nothing can be quoted."""

SUFFICIENT: Final = 0.55
"""The confidence from which on it is enough, where the index is not calibrated."""

Words: TypeAlias = Mapping[str, Set[str]]
"""The words of each chunk, by its id."""


def judgement(
    request: AnswerRequest,
    chunks: Sequence[Chunk],
    *,
    searched: Sequence[Searched],
    most: int,
    found: Sequence[Chunk] = (),
) -> Judgement:
    """At most `most` chunks, and a prior of whether they are enough. `searched` are all searches of the call so far,
    `found` the chunks that a follow-up led to.

    While the first chunks name something that was not searched yet, they are not enough: the follow-up searches it.
    Courtesies around the question are ignored.
    """
    request = replace(request, messages=small_talk.without(request.messages))
    conversation = split(request.messages)[1]
    question = standalone(conversation)
    first = [chunk for chunk in chunks if chunk.round == 0]
    said: Words = {chunk.id: content_words.said_in(chunk) for chunk in chunks}
    found = found or [chunk for chunk in chunks if chunk.round]
    complete = any((chunk.reference.hit.score or 0.0) >= follow_up.COMPLETE for chunk in first)
    searching = request.limits.follow_ups and not found and not complete
    lead = follow_up.lead(request.question, [one.reference for one in first]) if searching else None
    selected = _select(first, found, most=most)
    heard, calibration = _heard(first), request.calibration
    shown = [one.chunk for one in selected]
    quoted = parts.quoted(conversation, shown)
    mute = _mute(conversation, (*heard[: signals.READ], *found[: signals.READ]), shown)
    if quoted:
        heard, found = [one for one in heard if one.id not in mute], [one for one in found if one.id not in mute]
    measured = signals.signals(request.question, heard, (*heard[: signals.READ], *found[: signals.READ]))
    confidence = round(CERTAIN * signals.together(measured, calibration), 3) if chunks else 0.0
    lacking = _lacking(request.question, quoted, said)
    judged = [_part(one, shown, said) for one in parts.asked(conversation)]
    vague = answer_kinds.is_vague(question)
    answered = bool(quoted) and not lacking and not vague
    confidence = confidence if answered else round((UNQUOTED if mute and not quoted else UNANSWERED) * confidence, 3)
    answered = all(one.answered for one in judged) and not vague
    enough = None if calibration is None else calibration.evidence_threshold
    sufficient = answered and confidence >= (SUFFICIENT if enough is None else enough) and lead is None
    evidence = Evidence(
        sufficient=sufficient,
        confidence=confidence,
        key_points=tuple(KeyPoint(text=quote.line, chunks=(quote.chunk.id,)) for quote in quoted),
        missing=()
        if sufficient
        else _unanswered(judged) or _missing(request.question, said, lacking if quoted else frozenset()),
        follow_ups=() if lead is None else (lead.query,),
        parts=tuple(judged),
        signals=measured,
        by="rules",
    )
    return Judgement(selected=selected, evidence=evidence, notes=_notes(searched))


def _mute(conversation: Sequence[Message], read: Sequence[Chunk], shown: Sequence[Chunk]) -> Set[str]:
    """The ids of chunks to read that may answer, and of which nothing that does can be quoted, in any part."""
    asked = parts.asked(conversation)
    ids = [frozenset(one.id for one in unquotable.mute(part, read, beside=shown)) for part in asked]
    return frozenset.intersection(*ids)


def _part(conversation: Sequence[Message], chunks: Sequence[Chunk], said: Words) -> Part:
    """A part is answered where a quote has much of it, and the quotes have the kind of answer that it asks for."""
    quoted, text = quotes.of_conversation(conversation, chunks), question_of(conversation)
    near = [one for one in quoted if one.share >= quotes.ENOUGH]
    lacking = _lacking(text, quoted, said) or _lacking(text, near, said)
    return replace(parts.part(conversation, chunks, said, near=near), answered=bool(near) and not lacking)


def _select(first: Sequence[Chunk], found: Sequence[Chunk], *, most: int) -> tuple[Selected, ...]:
    """The first chunks in their order, and in the last places those of the follow-up."""
    kept = first[: most - min(len(found), most // 2)]
    order = {chunk.id: chunk for chunk in (*kept, *found[: most - len(kept)], *first, *found)}
    return tuple(Selected(chunk=chunk, rationale=_rationale(chunk)) for chunk in list(order.values())[:most])


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."


def _heard(first: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that are not small talk, best first."""
    ranked = sorted(first, key=lambda one: -(one.reference.hit.score or 0.0))
    start = next((at for at, one in enumerate(ranked) if not relevance.is_conversation(one.text)), len(ranked))
    return ranked[start:]


def _lacking(question: str, quoted: Sequence[Quote], said: Words) -> frozenset[Kind]:
    """The kinds of answers that the question asks for and no quote on its topic gives."""
    asked = ends(" ".join(question.split()), LONGEST_SEARCH)
    wanted = answer_kinds.asked_for(asked)
    lines = [quote.line for quote in _of_the_matter(asked, quoted, said)] if wanted else []
    return frozenset(
        kind for kind in wanted if not any(answer_kinds.gives(kind, line, question=asked) for line in lines)
    )


def _of_the_matter(question: str, quoted: Sequence[Quote], said: Words) -> Sequence[Quote]:
    """The quotes of chunks with the rarest word of the question that any quoted chunk has; of two words, the name."""
    weighed, written = content_words.weights(question, list(said.values())), content_words.as_written(question)
    known = weighed.keys() & frozenset[str]().union(*(said[quote.chunk.id] for quote in quoted))
    order = [(weighed[word], written[word][0].isupper(), word) for word in known]
    rarest = max(order)[2] if order else None
    return [quote for quote in quoted if rarest is None or rarest in said[quote.chunk.id]]


def _unanswered(judged: Sequence[Part]) -> tuple[str, ...]:
    """Of several parts those that nothing answers."""
    unanswered = tuple(one.text for one in judged if not one.answered)
    return unanswered[: missing_information.MOST] if len(judged) > 1 else ()


def _missing(question: str, said: Words, lacking: Set[Kind]) -> tuple[str, ...]:
    return missing_information.with_kinds(missing_information.questions(question, list(said.values())), lacking)


def _notes(searched: Sequence[Searched]) -> tuple[str, ...]:
    failed, all = sum(one.error is not None for one in searched), how_many(len(searched), "search")
    return (f"{failed} of {all} failed; their documents were not judged.",) if failed else ()
