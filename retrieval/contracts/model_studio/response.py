"""The response of Retrieve, 2023-12-29: chunks with a text, a score and metadata, the highest score first."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_pascal

from retrieval.contracts.model_studio.scores import score
from retrieval.contracts.model_studio.workspaces import PublishedIndex
from retrieval.contracts.rendered import Rendered
from retrieval.filters.values import getter
from retrieval.model.activity import StepActivity
from retrieval.model.retrieval import Outcome, Reference

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


def render(outcome: Outcome, published: PublishedIndex, *, request_id: str) -> Rendered:
    """Renders the answer to a retrieval. If nothing was found, the answer is a success without nodes."""
    nodes = [
        _node(reference, score, published)
        for reference, score in zip(outcome.references, scores(outcome.references), strict=True)
    ]
    response = RetrieveResponse(message=_message(outcome), request_id=request_id, data=Data(nodes=nodes))
    content = response.model_dump_json(by_alias=True)
    return Rendered(status=200, body=content.encode(), headers={"x-acs-request-id": request_id})


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
