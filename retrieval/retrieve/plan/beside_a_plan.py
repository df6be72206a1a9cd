"""What the rules search beside a model's plan.

In a conversation it is the rules' query, since a plan may lose the earlier turns. A weak plan has too few of the
question's content words, or of the conversation's. The question, or the rules' query, is then searched first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.model.conversation import up_to_question
from retrieval.model.retrieval import Beside, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.retrieve.plan import plan, plan_by_rules
from retrieval.text.clipped import LONGEST_READ, ends
from retrieval.text.follow_up_question import terms
from retrieval.text.languages.recognition import language_of, recognised

LEAST: Final = 0.35
"""The least share of content words, by their weights, that a plan has in common with what was asked. It is the share of
the shorter one's words. On every second question of three collections good plans have .52 or more, invented ones .29 or
less; this was chosen between them. On the other half these are .62 and .25."""

BEGINNING: Final = 4
"""Words with the same first four letters count as the same word."""

BEFORE_RULES: Final = 5
"""The documents of a plan that none of the rules' query displaces."""

BEFORE_WEAK: Final = 10
"""The documents of the rules' query that none of a weak plan displaces: with invented queries, the first ten are those
without a model."""

MOST_TURNS: Final = 20
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
        return common < LEAST * min(sum(self.weights.values()), len(known))


def rules_query(request: RetrievalRequest) -> RulesQuery:
    """The rules' query for a request: in a conversation its weighed words, else the question."""
    query, is_conversation = plan_by_rules.whole_query(request), plan.is_conversation(request)
    turns = [message.text for message in up_to_question(request.messages) if message.role == "user"]
    language = next(filter(None, map(recognised, reversed(turns[-MOST_TURNS:]))), None)
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
        queries = plan.distinct((rules.query, *planned.queries))[:most]
        beside = _beside(queries[1:], after=BEFORE_WEAK)
        return replace(planned, queries=queries, beside=beside, notes=(*planned.notes, WEAK))
    if not rules.is_conversation:
        return plan.completed(planned, request, most=most)
    queries = plan.distinct((*planned.queries, rules.query))[:most]
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
    return word.casefold()[:BEGINNING]
