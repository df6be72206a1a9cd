"""The search of a follow-up where no model says what is missing: for the names in the first documents."""

from collections.abc import Sequence

from retrieval.call import search
from retrieval.call.run import Run
from retrieval.model.conversation import question_of
from retrieval.model.retrieval import QueryPlan, Reference
from retrieval.model.search import Searched
from retrieval.rules import follow_up
from retrieval.rules.follow_up import Lead
from retrieval.steps import plan


def pays(run: Run, planned: QueryPlan, searched: Sequence[Searched]) -> bool:
    """Whether names are worth a search: not within a conversation, and not after a document that answers the
    question."""
    request = run.request
    if plan.is_conversation(request) or follow_up.answers(plan.whole_question(request), searched):
        return False
    return bool(planned.next) or follow_up.relates(question_of(request.messages))


def lead_of(run: Run, planned: QueryPlan, searched: Sequence[Searched], references: Sequence[Reference]) -> Lead | None:
    """The search for the names in the documents of a first round, best first.

    None where they name nothing new, and where no target that answered can be searched for names.
    """
    question = question_of(run.request.messages)
    lead = follow_up.lead(question, references, searches=len(planned.queries), next=planned.next)
    return lead if lead is not None and search.for_names(lead.query, searched) else None
