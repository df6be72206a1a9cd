"""The parameters of knowledge sources (`knowledgeSourceParams`), with the members of every version, into the hub.

They configure the sources of an agent and do not choose among them: a source without parameters is searched too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.contracts.azure.parts import filter_of
from retrieval.contracts.azure.query_hints import QueryHints, hints_of
from retrieval.contracts.azure.stored_source import narrow, search_target, source_of, value_or
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, ResultsProcessing, Target
from retrieval.model.search import Recall, SearchTarget

PARAMS: Final = "knowledgeSourceParams"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceParams:
    """The parameters of one source; None where the caller did not state one. `place` is theirs in the body, for
    errors."""

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


NO_PARAMS: Final = SourceParams()

SAMPLED: Final = ("searchIndex", "mcpServer")
"""The kind that Microsoft's samples give the parameters of an MCP server, and its own (knowledge-sources, §6)."""


def search_targets(agent: Agent, params: Sequence[SourceParams]) -> tuple[SearchTarget, ...]:
    """The targets to search. Raises BadRequest for a source that the agent lacks, and where no source is left to
    search."""
    by_name = _by_name(agent, params)
    targets = tuple(_search_target(target, by_name.get(target.source_name, NO_PARAMS)) for target in agent.targets)
    if all(target.never for target in targets):
        raise BadRequest("neverQuerySource excludes every knowledge source; one must be left to search.", target=PARAMS)
    return targets


def _by_name(agent: Agent, params: Sequence[SourceParams]) -> Mapping[str, SourceParams]:
    kinds = {target.source_name: source_of(target).kind for target in agent.targets}
    by_name: dict[str, SourceParams] = {}
    for source in params:
        name = source.knowledge_source_name
        if name not in kinds:
            names = ", ".join(map(repr, kinds))
            reason = f"The knowledge source {name[:200]!r} is not one of {agent.name!r}, which has {names}."
            raise BadRequest(reason, target=f"{source.place}.knowledgeSourceName")
        if source.kind != kinds[name] and (source.kind, kinds[name]) != SAMPLED:
            raise BadRequest(
                f"The knowledge source {name!r} is of the kind {kinds[name]}.", target=f"{source.place}.kind"
            )
        if name in by_name:
            reason = f"The parameters of the knowledge source {name!r} are given twice."
            raise BadRequest(reason, target=f"{source.place}.knowledgeSourceName")
        by_name[name] = source
    return by_name


def _search_target(target: Target, params: SourceParams) -> SearchTarget:
    defaults = search_target(target)
    rerank = defaults.recall.rerank if params.results_processing is None else params.results_processing == "rerank"
    _check(params, rerank=rerank)
    if defaults.server is not None:
        _check_server(params)
    narrowing = filter_of(params.filter_add_on, target=f"{params.place}.filterAddOn")
    never = bool(params.never_query_source)
    hints = params.query_hint_overrides
    return replace(
        narrow(defaults, narrowing),
        threshold=value_or(params.reranker_threshold, defaults.threshold),
        include_source_data=value_or(params.include_reference_source_data, defaults.include_source_data),
        include_references=value_or(params.include_references, defaults.include_references),
        max_documents=params.max_output_documents,
        recall=Recall(rerank=rerank),
        always=value_or(params.always_query_source, defaults.always) and not never,
        never=never,
        fail_on_error=bool(params.fail_on_error),
        hints=defaults.hints if hints is None else hints_of(hints.model_dump(by_alias=True)),
    )


def _check_server(params: SourceParams) -> None:
    """Checks parameters that no MCP server takes. Source of the first rule: knowledge-sources, §2.1."""
    if params.always_query_source:
        reason = "A knowledge source of the kind mcpServer has no alwaysQuerySource."
        raise BadRequest(reason, target=f"{params.place}.alwaysQuerySource")
    if params.filter_add_on is not None:
        reason = "The documents of an MCP server cannot be limited by a filter."
        raise BadRequest(reason, target=f"{params.place}.filterAddOn")


def _check(params: SourceParams, *, rerank: bool) -> None:
    """Checks parameters that exclude each other. Source of both rules: the how-to of 09/04/2026."""
    if params.always_query_source and params.never_query_source:
        reason = "alwaysQuerySource and neverQuerySource exclude each other."
        raise BadRequest(reason, target=f"{params.place}.neverQuerySource")
    if params.reranker_threshold is not None and not rerank:
        reason = "rerankerThreshold needs reranking, and resultsProcessing of this source is none."
        raise BadRequest(reason, target=f"{params.place}.rerankerThreshold")
