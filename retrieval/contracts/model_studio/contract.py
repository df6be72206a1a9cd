"""The contract of Retrieve, 2023-12-29, for the index that a call names: the retrieval request that the parameters
state, and the answer, which has chunks with a text, a score and metadata, the highest score first.

Model Studio's scores, 0 to 1, are converted to reranker scores, 0 to 4, by a straight line. No published source relates
these scores. A straight line keeps the order and can be inverted exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_pascal

from retrieval.contracts.azure.retrieve.requests import narrow, search_target
from retrieval.contracts.model_studio.parameters import Parameters
from retrieval.contracts.model_studio.workspaces import PublishedIndex
from retrieval.contracts.rendered import Rendered
from retrieval.filters.tree import Filter
from retrieval.filters.values import getter
from retrieval.model.activity import StepActivity
from retrieval.model.conversation import Message
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import Recall, SearchTarget

HIGHEST: Final = 4.0
"""The highest reranker score."""

DEFAULT_MIN_SCORE: Final = 0.01
"""The default threshold of a new knowledge base, as a Model Studio score of 0 to 1."""

TOLERANCE: Final = 1e-9
"""The amount that is subtracted from a converted Model Studio threshold, so that rounding does not exclude an equal
score."""

NO_LIMIT: Final = 1_000_000
"""The maximum number of tokens of the grounding text, if the agent has no limit. This contract does not return that
text."""

LONGEST_RUNTIME: Final = 9.0
"""The maximum runtime of a call, in seconds. The SDK waits ten seconds and does not retry."""

RERANKER: Final = "reranker"
RANK: Final = "rank"
SUCCESS: Final = "success"


class Out(BaseModel):
    """The base class of the shapes of an answer."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True, defer_build=True)


class Node(Out):
    text: str
    score: float
    metadata: dict[str, object]


class Data(Out):
    nodes: list[Node]


class RetrieveResponse(Out):
    code: str = "Success"
    message: str = SUCCESS
    request_id: str
    status: str = "200"
    success: bool = True
    data: Data


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The contract for a call whose parameters have already been read. They are read first because they name the index,
    and the index determines the agent. Therefore `parse` does not read the body."""

    parameters: Parameters
    published: PublishedIndex
    request_id: str

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request: a search for the query. With `EnableRewrite` and a history, the query is rewritten so that it
        makes sense without the history. Otherwise it is searched unchanged. Raises BadRequest."""
        turns = self.parameters.query_history if self.parameters.enable_rewrite else []
        history = tuple(Message(role=turn.role, text=turn.content) for turn in turns)
        return RetrievalRequest(
            messages=(*history, Message(role="user", text=self.parameters.query)),
            targets=(_target(self.parameters, self.published, agent),),
            effort="low" if history else "minimal",
            limits=Limits(
                queries=1,
                output_tokens=agent.max_output_tokens or NO_LIMIT,
                runtime=min(agent.max_runtime or LONGEST_RUNTIME, LONGEST_RUNTIME),
            ),
            user_token=user_token,
        )

    def render(self, outcome: Outcome) -> Rendered:
        """Renders the answer to a retrieval. If nothing was found, the answer is a success without nodes."""
        pairs = zip(outcome.references, scores(outcome.references), strict=True)
        data = Data(nodes=[_node(reference, score, self.published) for reference, score in pairs])
        response = RetrieveResponse(message=_message(outcome), request_id=self.request_id, data=data)
        headers = {"x-acs-request-id": self.request_id}
        return Rendered(status=200, body=response.model_dump_json(by_alias=True).encode(), headers=headers)


def reranker_score(score: float) -> float:
    """The reranker score of a score of Model Studio."""
    return score * HIGHEST


def score(reranker_score: float) -> float:
    """The score of 0 to 1. Reranker scores outside 0 to 4 are clamped."""
    return min(max(reranker_score / HIGHEST, 0.0), 1.0)


def _target(parameters: Parameters, published: PublishedIndex, agent: Agent) -> SearchTarget:
    index_filter, whole = (
        _filters(parameters, published) if "search_filters" in parameters.model_fields_set else (None, None)
    )
    shown_fields = (field.path.names[0] for field in published.fields.values() if field.retrievable)
    targets = (target for target in agent.targets if target.index == published.index)
    target = next(targets, Target(index=published.index))
    return replace(
        narrow(search_target(target), index_filter),
        check=whole,
        threshold=_threshold(parameters, target) if parameters.enable_reranking else 0.0,
        include_source_data=True,
        max_documents=parameters.rerank_top_n,
        recall=Recall(
            text=parameters.sparse_similarity_top_k,
            vectors=parameters.dense_similarity_top_k,
            rerank=parameters.enable_reranking,
        ),
        fields=tuple(dict.fromkeys(shown_fields)),
    )


def _filters(parameters: Parameters, published: PublishedIndex) -> tuple[Filter | None, Filter | None]:
    """The part of the filter that the index applies, and the whole filter. The whole filter is None if the index
    applies all of it."""
    from retrieval.contracts.model_studio import search_filters  # loaded here: many services never get such a filter
    from retrieval.contracts.model_studio.index_filter import push

    whole = search_filters.read(parameters.search_filters, published.fields)
    if whole is None:
        return None, None
    pushdown = push(whole, published.fields)
    return pushdown.filter, None if pushdown.exact else whole


def _threshold(parameters: Parameters, target: Target) -> float:
    """The threshold as a reranker score. If the call states no threshold, the agent's threshold for the index applies,
    or else the default of a knowledge base."""
    stated = parameters.rerank_min_score
    if stated is None and target.stated_threshold is not None:
        return target.stated_threshold
    return reranker_score(DEFAULT_MIN_SCORE if stated is None else stated) - TOLERANCE


def _message(outcome: Outcome) -> str:
    """The documented message. If the model failed to rewrite the query, the message says so too."""
    failure = next((step.error for step in outcome.activity if isinstance(step, StepActivity) and step.error), None)
    if failure is None:
        return SUCCESS
    return f"{SUCCESS}; EnableRewrite: the query was made to stand alone without the model ({failure})"


def _node(reference: Reference, score: float, published: PublishedIndex) -> Node:
    hit = reference.hit
    title, content = hit.title or "", hit.content or ""
    metadata: dict[str, object] = {
        "_id": hit.key,
        "_score": score,
        "_score_source": RANK if hit.score is None else RERANKER,
        "doc_id": hit.key,
        "doc_name": title,
        "title": title,
        "content": content,
        "pipeline_id": published.id,
        "workspace_id": published.workspace,
    }
    return Node(
        text=content, score=score, metadata={**metadata, **hit.source, **_fields_by_name(hit.source, published)}
    )


def _fields_by_name(source: Mapping[str, object], published: PublishedIndex) -> dict[str, object]:
    """The retrievable fields of a document, by the names that filters use for them."""
    return {name: getter(field.path)(source) for name, field in published.fields.items() if field.retrievable}


def scores(references: tuple[Reference, ...]) -> list[float]:
    """The score of each reference: that of the reranker, if there is one. A reference without a reranker score gets a
    fraction of the lowest reranker score, or of 1 if there is none. For example, three such references get 3/4, 2/4 and
    1/4 of the lowest score."""
    ranker_scores = [score(reference.hit.score) for reference in references if reference.hit.score is not None]
    ceiling, others_count = min(ranker_scores, default=1.0), len(references) - len(ranker_scores)
    return [*ranker_scores, *(ceiling * (1 - rank / (others_count + 1)) for rank in range(1, others_count + 1))]
