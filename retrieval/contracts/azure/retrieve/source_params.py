"""The parameters of knowledge sources (`knowledgeSourceParams`), with the members of every version, into the hub.

They configure the sources of an agent and do not choose among them: what is not named is searched with its defaults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.contracts.azure.parts import filter_of
from retrieval.contracts.azure.query_hints import QueryHints, hints_of
from retrieval.contracts.azure.stored_source import narrowed, said, search_target, source_of
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, ResultsProcessing, Target
from retrieval.model.search import Recall, SearchTarget

PARAMS: Final = "knowledgeSourceParams"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceParams:
    """What is said of one source; None is unsaid. `place` is where in the body, for those who read an error."""

    place: str = PARAMS
    knowledge_source_name: str = ""
    kind: str = ""
    filter_add_on: str | None = None
    include_references: bool | None = None
    include_reference_source_data: bool | None = None
    reranker_threshold: float | None = None
    always_query_source: bool | None = None
    never_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: int | None = None
    enable_image_serving: bool | None = None
    results_processing: ResultsProcessing | None = None
    query_hint_overrides: QueryHints | None = None


UNSAID: Final = SourceParams()


def search_targets(agent: Agent, params: Sequence[SourceParams]) -> tuple[SearchTarget, ...]:
    """What is searched. Raises BadRequest for a source that the agent has not, and where none is left to search."""
    said = _by_name(agent, params)
    targets = tuple(_search_target(target, said.get(target.source_name, UNSAID)) for target in agent.targets)
    if all(target.never for target in targets):
        raise BadRequest("neverQuerySource excludes every knowledge source; one must be left to search.", target=PARAMS)
    return targets


def _by_name(agent: Agent, params: Sequence[SourceParams]) -> Mapping[str, SourceParams]:
    kinds = {target.source_name: source_of(target).kind for target in agent.targets}
    found: dict[str, SourceParams] = {}
    for one in params:
        name = one.knowledge_source_name
        if name not in kinds:
            known = ", ".join(map(repr, kinds))
            reason = f"The knowledge source {name[:200]!r} is not one of {agent.name!r}, which has {known}."
            raise BadRequest(reason, target=f"{one.place}.knowledgeSourceName")
        if one.kind != kinds[name]:
            raise BadRequest(f"The knowledge source {name!r} is of the kind {kinds[name]}.", target=f"{one.place}.kind")
        if name in found:
            reason = f"The parameters of the knowledge source {name!r} are given twice."
            raise BadRequest(reason, target=f"{one.place}.knowledgeSourceName")
        found[name] = one
    return found


def _search_target(target: Target, params: SourceParams) -> SearchTarget:
    stored = search_target(target)
    rerank = stored.recall.rerank if params.results_processing is None else params.results_processing == "rerank"
    _check(params, rerank=rerank)
    narrowing = filter_of(params.filter_add_on, target=f"{params.place}.filterAddOn")
    never = bool(params.never_query_source)
    hints = params.query_hint_overrides
    return replace(
        narrowed(stored, narrowing),
        threshold=said(params.reranker_threshold, stored.threshold),
        include_source_data=said(params.include_reference_source_data, stored.include_source_data),
        include_references=said(params.include_references, stored.include_references),
        max_documents=params.max_output_documents,
        recall=Recall(rerank=rerank),
        always=said(params.always_query_source, stored.always) and not never,
        never=never,
        fail_on_error=bool(params.fail_on_error),
        hints=stored.hints if hints is None else hints_of(hints.model_dump(by_alias=True)),
    )


def _check(params: SourceParams, *, rerank: bool) -> None:
    """Source of both rules: the how-to of 09/04/2026."""
    if params.always_query_source and params.never_query_source:
        reason = "alwaysQuerySource and neverQuerySource exclude each other."
        raise BadRequest(reason, target=f"{params.place}.neverQuerySource")
    if params.reranker_threshold is not None and not rerank:
        reason = "rerankerThreshold needs reranking, and resultsProcessing of this source is none."
        raise BadRequest(reason, target=f"{params.place}.rerankerThreshold")
