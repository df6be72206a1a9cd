"""The plan without a model, and what the rules search beside a model's plan.

A conversation becomes one search by weighed words, and a message that stands alone is searched as it is too. The words
of the last message weigh 1. A word of an earlier message of the user weighs at most .35 to the power of the message's
age in turns. The eight rarest words of the last answer weigh at most .2, since the next question is mostly about the
last answer. A word that stands in several messages has the sum of its weights. A message that asks several questions is
searched as a whole: a search for each changed all@10 of a sample of MTRAG by .2 [0, .6].

Beside a model's plan of a conversation stands the rules' query, since a plan may lose the earlier turns. A weak plan
has too few of the question's content words, or of the conversation's. The question, or the rules' query, is then
searched first.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from retrieval.model.conversation import Message, question_of, up_to_question
from retrieval.model.retrieval import Beside, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, Weighed
from retrieval.retrieve.plan import plan_by_model, plan_limits
from retrieval.text.languages.language import KNOWN, language_of, recognised
from retrieval.text.length import LONGEST_READ, as_search, clip, ends
from retrieval.text.source_labels import without
from retrieval.text.user_message import (
    MOST_TURNS,
    conversation_without_courtesies,
    leans_on_earlier_turns,
    standalone,
    terms,
    words,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of words; a word of the user's last message weighs 1.

    They were chosen and measured on a sample of MTRAG (docs/calling/retrieve.md). The weight of a user's word is
    multiplied by `decay` for each turn of age. The `rarest` words of the last answer weigh `answered`. A question with
    at most `fragment` words is too short for a ranker. So the ranker gets it with words of earlier messages: without
    that, nDCG@10 falls by 1.1 [.4, 2.1]. A question with at most `vague` words is too short for
    a useful vector. So its vector is made with the `embedded` heaviest words of earlier messages. `vague` and
    `embedded` were chosen on one half of the sample, and measured on the other half. Words that weigh less than `least`
    are left out.
    """

    decay: float = 0.35
    answered: float = 0.2
    rarest: int = 8
    fragment: int = 2
    vague: int = 3
    embedded: int = 4
    least: float = 0.05


WEIGHTS: Final = Weights()

MOST_WORDS: Final = 40
"""The most words of a search. A service that takes no weights gets at most `MOST_SHOWN` of them beside a question."""
MOST_SHOWN: Final = 12


def weighed_words(conversation: Sequence[Message]) -> Weighed | None:
    """The words of a conversation that ends with the user's last message; None where the messages before it have no
    words."""
    earlier, asked = conversation[:-1], ends(conversation[-1].text, LONGEST_READ)
    if not (earlier_words := _earlier_words(earlier)):
        return None
    own = dict.fromkeys(terms(asked), 1.0)
    spelled = {word.casefold(): word for word in (*earlier_words, *own)}
    weights = defaultdict(float, {word.casefold(): weight for word, weight in own.items()})
    for word, weight in earlier_words.items():
        weights[word.casefold()] += weight
    order = sorted(weights, key=lambda word: -weights[word])[:MOST_WORDS]
    heaviest = [(spelled[word], weight) for word in order if (weight := round(weights[word], 2)) >= WEIGHTS.least]
    ranked = standalone(conversation) if len(own) <= WEIGHTS.fragment else asked
    embedded = _carrying(asked, heaviest, most=WEIGHTS.embedded) if len(own) <= WEIGHTS.vague else asked
    return Weighed(words=tuple(heaviest), ranked=_searched(ranked), embedded=_searched(embedded))


def shown_query(question: str, weighed: Weighed) -> str:
    """The question with the heaviest words that it lacks, for the activity and for services that take no weights."""
    return clip(_carrying(question, weighed.words, most=MOST_SHOWN), LONGEST_SEARCH)


def _carrying(question: str, heaviest: Sequence[tuple[str, float]], *, most: int) -> str:
    """The question with at most `most` of the heaviest words that it lacks."""
    own = {word.casefold() for word in words(question)}
    return " ".join([question, *[word for word, _ in heaviest if word.casefold() not in own][:most]])


def _searched(text: str) -> str:
    """The text on one line, with at most the characters that a search may have."""
    return ends(" ".join(text.split()), LONGEST_SEARCH)


def _earlier_words(earlier: Sequence[Message]) -> Mapping[str, float]:
    """The words of the earlier messages with their weights, by their spelling."""
    asked = [message.text for message in earlier if message.role == "user"]
    weights: defaultdict[str, float] = defaultdict(float)
    for age, text in enumerate(reversed(asked[-MOST_TURNS:]), start=1):
        for word in terms(clip(text, LONGEST_SEARCH)):
            weights[word] += WEIGHTS.decay**age
    answer = next((message.text for message in reversed(earlier) if message.role == "assistant"), "")
    lines = ends(answer, LONGEST_READ).splitlines()
    for word in _rarest(without("\n".join(line for line in lines if not _is_frame(line)))):
        weights[word] += WEIGHTS.answered
    return weights


def _is_frame(line: str) -> bool:
    """Whether a line of an answer only frames it: it has no words of the answer."""
    whole, openings = _frames()
    return line in whole or line.startswith(openings)


@cache
def _frames() -> tuple[frozenset[str], tuple[str, ...]]:
    """The lines that frame an answer in any known language, and the beginnings of those with a variable."""
    frames = [language.frames for language in KNOWN]
    texts = frozenset(text for frame in frames for text in vars(frame).values())
    return texts, tuple(text.partition("{")[0] for frame in frames for text in (frame.failed, frame.other_language))


def _rarest(answer: str) -> list[str]:
    """The rarest words of an answer, estimated without the statistics of an index: repeated words come first, then
    names and figures, then long words."""
    again = Counter(word.casefold() for word in words(answer))

    def rarity(word: str) -> tuple[int, bool, int]:
        named = word[0].isupper() or any(map(str.isdigit, word))
        return again[word.casefold()], named, len(word)

    return sorted(terms(answer), key=rarity, reverse=True)[: WEIGHTS.rarest]


def without_model(request: RetrievalRequest, *, courtesies: bool = True) -> QueryPlan:
    """The plan: the queries of the last user message. Without `courtesies`, greetings and thanks around the question
    are not searched."""
    _, most = plan_limits.bounds_of(request)
    messages = request.messages
    if not courtesies:
        messages = conversation_without_courtesies(messages)
    conversation, question = up_to_question(messages), question_of(request.messages)
    queries = whole_queries(conversation)[:most]
    in_context = [query.query for query in queries[1:]]
    return QueryPlan(
        queries=queries,
        beside=Beside(texts=frozenset(in_context), after=1) if in_context else None,
        history=history(conversation),
        by="rules",
        notes=_clipping_notes(question),
    )


def whole_queries(conversation: Sequence[Message]) -> tuple[PlannedQuery, ...]:
    """The queries for the last message, the leading one first. They are its words with those of the earlier turns. If
    the message stands alone, it is searched as it is before that, since earlier turns may bury its documents.

    Chosen on every second question of a sample of MTRAG, without a factor for a new topic, which this replaces.
    """
    weighed, alone = _weighed_query(conversation), conversation[-1:]
    if weighed.weighed is None or leans_on_earlier_turns(conversation[-1].text):
        return (weighed,)
    return plan_by_model.distinct((_weighed_query(alone), weighed))


def _weighed_query(conversation: Sequence[Message]) -> PlannedQuery:
    """The query for the last message, with the words of the conversation by their weights."""
    query = as_search(conversation[-1].text)
    weighed = weighed_words(conversation) if len(conversation) > 1 else None
    shown = query if weighed is None else shown_query(query, weighed)
    return PlannedQuery(query=shown, goal=plan_by_model.WHOLE_GOAL, weighed=weighed)


def history(conversation: Sequence[Message]) -> tuple[Message, ...]:
    """The turns before the last user message if that message depends on them; none if it stands alone."""
    *earlier, question = conversation
    return tuple(earlier) if earlier and leans_on_earlier_turns(question.text) else ()


def _clipping_notes(question: str) -> tuple[str, ...]:
    """The note about a last message that is longer than a search may be."""
    length = len(question)
    note = f"The last message has {length} characters; {LONGEST_SEARCH} of them, from both ends, were searched."
    return (note,) if length > LONGEST_SEARCH else ()


LEAST_SHARED: Final = 0.35
"""The least share of content words, by their weights, that a plan has in common with what was asked. It is the share of
the shorter one's words. On every second question of three collections good plans have .52 or more, invented ones .29 or
less; this was chosen between them. On the other half these are .62 and .25."""

SAME_BEGINNING: Final = 4
"""Words with the same first four letters count as the same word."""

BEFORE_RULES: Final = 5
"""The documents of a plan that none of the rules' query displaces."""

BEFORE_WEAK: Final = 10
"""The documents of the rules' query that none of a weak plan displaces: with invented queries, the first ten are those
without a model."""

LANGUAGE_TURNS: Final = 20
"""The most turns of the user whose language is read."""

WEAK: Final = "The plan shares hardly a word with what was asked, so that was searched first."


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesQuery:
    """The rules' query for what was asked. `weights` has the weights of its content words, by their beginnings. It is
    empty where the language of the user is not recognised. `language` is the code of that language."""

    query: PlannedQuery
    is_conversation: bool
    weights: Mapping[str, float]
    language: str

    def is_weak(self, queries: Sequence[PlannedQuery]) -> bool:
        """Whether queries of the user's language have too few of the content words, or any queries none at all."""
        text = " ".join(query.query for query in queries)
        known = {_beginning(word) for word in terms(ends(text, LONGEST_READ))}
        if not self.weights or not known:
            return bool(self.weights)
        if language_of(text).code != self.language:
            return False
        common = sum(weight for word, weight in self.weights.items() if word in known)
        return common < LEAST_SHARED * min(sum(self.weights.values()), len(known))


def rules_query(request: RetrievalRequest) -> RulesQuery:
    """The rules' query for a request: in a conversation its weighed words, else the question."""
    conversation = up_to_question(request.messages)
    query, is_conversation = whole_queries(conversation)[0], plan_limits.is_conversation(request)
    turns = [message.text for message in conversation if message.role == "user"]
    language = next(filter(None, map(recognised, reversed(turns[-LANGUAGE_TURNS:]))), None)
    weighed = [(term, 1.0) for term in terms(query.query)] if query.weighed is None else query.weighed.words
    return RulesQuery(
        query=query,
        is_conversation=is_conversation,
        weights={_beginning(word): weight for word, weight in weighed} if language else {},
        language=language.code if language else "",
    )


def completed(planned: QueryPlan, request: RetrievalRequest, rules: RulesQuery, *, most: int) -> QueryPlan:
    """A model's plan with what is searched beside it, at most `most` queries. A weak plan comes after the rules' query.
    In a conversation, the rules' query comes after the plan. Else see `completed` of the plan."""
    if rules.is_weak(planned.queries):
        queries = plan_by_model.distinct((rules.query, *planned.queries))[:most]
        beside = _beside(queries[1:], after=BEFORE_WEAK)
        return replace(planned, queries=queries, beside=beside, notes=(*planned.notes, WEAK))
    if not rules.is_conversation:
        return plan_by_model.completed(planned, request, most=most)
    queries = plan_by_model.distinct((*planned.queries, rules.query))[:most]
    return replace(planned, queries=queries, beside=_beside(queries[len(planned.queries) :], after=BEFORE_RULES))


def behind_rules(planned: QueryPlan, broken_off: Sequence[PlannedQuery], rules: RulesQuery) -> QueryPlan:
    """A plan by the rules beside the queries of a reply that broke off. Where these are weak, their documents follow
    those of the rules, as a weak plan's do."""
    if not (broken_off and rules.is_weak(broken_off)):
        return planned
    return replace(planned, beside=_beside(broken_off, after=BEFORE_WEAK))


def _beside(queries: Sequence[PlannedQuery], *, after: int) -> Beside | None:
    return Beside(texts=frozenset(query.query for query in queries), after=after) if queries else None


def _beginning(word: str) -> str:
    return word.casefold()[:SAME_BEGINNING]
