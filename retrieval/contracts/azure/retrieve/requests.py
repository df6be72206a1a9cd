"""Turns a request of any version since 2025-08-01-preview into a `RetrievalRequest`. A member that a version lacks is
None or empty.

`knowledgeSourceParams` configure the sources of an agent. A source without parameters is a target too. A request can
exclude a source with `neverQuerySource`. `search_target` makes a search target from the definitions of its knowledge
source and its agent, for every contract. The caller's own parameters are applied later.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.kinds.indexes import hints_of
from retrieval.contracts.azure.kinds.table import KINDS
from retrieval.contracts.azure.members_by_version import names_of, versions_with, versions_with_kind
from retrieval.contracts.azure.request_body import Wire, conversation, filter_of, read, refuse_control_characters
from retrieval.contracts.azure.retrieve.request_shapes import Intent, RetrieveRequest, SourceParams
from retrieval.errors import BadRequest, OtherVersion
from retrieval.filters.tree import Filter, all_of
from retrieval.model.definitions import (
    INGESTED,
    SUBQUERIES_BY_EFFORT,
    Agent,
    Effort,
    OutputMode,
    Source,
    SourceKind,
    Target,
)
from retrieval.model.retrieval import USUAL_DOCUMENTS, Limits, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, Recall, SearchTarget
from retrieval.text.length import ends

DEFAULT_OUTPUT_TOKENS: Final = 5_000

PARAMS: Final = "knowledgeSourceParams"
_PARAMS: Final = "knowledge_source_params"
INTENTS: Final = """'intents' (what to search for), as in "intents": [{"type": "semantic", "search": "…"}]"""
DROPPING: Final = "Some clients, as JavaScript 13.0.0, leave 'messages' out in silence: give them 'intents'."
NO_INPUT: Final = f"Nothing is asked. Send 'messages' (a conversation) or {INTENTS}. {DROPPING}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The defaults and rules of a version. `effort`, and `runtime` in seconds, apply if neither the caller nor the
    agent nor the deployment states a value. `threshold` applies if neither the caller, the agent nor the source states
    one; 0 keeps every document.

    `of_intents` is the default effort for a body with intents alone if no written answer is wanted. `no_input` is the
    error text for a body without messages and intents. `most_queries` is the maximum number of queries of a plan, by
    effort. It is empty if the version has no such limit. `usual_documents` is the number of documents in a grounding
    text, by the effort that the record says, if nobody states a number. `unknown` are the fields of an agent that the
    version ignores, even if another version has stored them. `unknown_efforts` are the stored efforts that it ignores.
    """

    threshold: float
    effort: Effort = "low"
    of_intents: Effort | None = None
    runtime: float = 60.0
    no_input: str = NO_INPUT
    most_queries: Mapping[Effort, int] = field(default_factory=lambda: SUBQUERIES_BY_EFFORT)
    usual_documents: Mapping[Effort, int] = field(default_factory=lambda: USUAL_DOCUMENTS)
    unknown: Sequence[str] = ()
    unknown_efforts: Sequence[Effort] = ()


def read_as(shape: type[Wire], body: bytes) -> RetrieveRequest:
    """The body in a version's shape. A member that the version lacks is None. Raises BadRequest."""
    members = dict(read(body, shape, names=names_of(shape), elsewhere=versions_with))
    params = [SourceParams.model_construct(**dict(source)) for source in members.pop(_PARAMS, None) or ()]
    return RetrieveRequest.model_construct(**members, knowledge_source_params=params)


def request_of(
    wire: RetrieveRequest, agent: Agent, kinds: Sequence[SourceKind], defaults: Defaults, *, user_token: str | None
) -> RetrievalRequest:
    """The request from a body that was read. A member that the body does not state comes from the agent, or else from
    the defaults of the version. `kinds` are those that the version has. Raises BadRequest."""
    check_kinds(agent, kinds)
    effort_as_unknown = ["effort"] if agent.effort in defaults.unknown_efforts else []
    ignored: dict[str, Any] = dict.fromkeys((*defaults.unknown, *effort_as_unknown))
    agent = replace(agent, **ignored)
    asked, mode = wire.retrieval_reasoning_effort, value_or(wire.output_mode, agent.output_mode)
    stated = asked.kind if asked else agent.effort
    if stated == "minimal":
        _check_minimal(wire, mode)
    if not wire.messages and not wire.intents:
        raise BadRequest(defaults.no_input, target="intents")
    only_searches = not wire.messages and mode != "answerSynthesis"
    usual_effort = defaults.of_intents if only_searches and defaults.of_intents else defaults.effort
    # AGENT_EFFORT takes the place of a version's default in a conversation; intents are searched as the version says.
    effort = stated or (agent.usual_effort if wire.messages and not wire.intents else None) or usual_effort
    size = value_or(wire.max_output_size_in_tokens, wire.max_output_size)
    return RetrievalRequest(
        messages=conversation(wire.messages) if wire.messages else (),
        queries=tuple(_search(intent, f"intents[{i}].search") for i, intent in enumerate(wire.intents or ())),
        targets=search_targets(agent, wire.knowledge_source_params or (), threshold=defaults.threshold),
        effort=effort,
        limits=Limits(
            queries=defaults.most_queries.get(effort),
            output_tokens=value_or(size, value_or(agent.max_output_tokens, DEFAULT_OUTPUT_TOKENS)),
            runtime=value_or(wire.max_runtime_in_seconds, value_or(agent.own_runtime, defaults.runtime)),
            documents=value_or(wire.max_output_documents, agent.max_documents),
            usual_documents=defaults.usual_documents,
        ),
        references="grounded",
        output="synthesis" if mode == "answerSynthesis" else "documents",
        instructions=agent.retrieval_instructions,
        answer_instructions=agent.answer_instructions,
        include_activity=value_or(wire.include_activity, value_or(agent.include_activity, True)),
        grounds_everything=_grounds_everything(wire, agent),
        user_token=user_token,
    )


def _grounds_everything(wire: RetrieveRequest, agent: Agent) -> bool | None:
    """Whether the grounding text has everything that the limits allow. A caller who states a limit gets it used up."""
    of_sources = (source.max_output_documents for source in wire.knowledge_source_params or ())
    stated = (wire.max_output_documents, wire.max_output_size, wire.max_output_size_in_tokens, *of_sources)
    return value_or(wire.ground_everything, any(limit is not None for limit in stated) or agent.ground_everything)


def _check_minimal(wire: RetrieveRequest, mode: OutputMode | None) -> None:
    """Refuses messages and a written answer where the caller or the agent states minimal effort. The error text about
    messages is Azure's own."""
    if wire.messages:
        reason = "Messages input not supported when 'minimal' reasoning effort is requested. Use intents input instead."
        raise BadRequest(reason, target="messages")
    if mode == "answerSynthesis":
        reason = "The output mode 'answerSynthesis' needs a reasoning effort above 'minimal'."
        raise BadRequest(reason, target="outputMode")


def _search(intent: Intent, place: str) -> str:
    """The text of an intent. If the text is too long for a search, only its beginning and its end are kept. Raises
    BadRequest for a blank text or a control character."""
    refuse_control_characters(intent.search, target=place)
    if not intent.search.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return ends(intent.search, LONGEST_SEARCH)


def search_targets(agent: Agent, params: Sequence[SourceParams], *, threshold: float) -> tuple[SearchTarget, ...]:
    """The agent's targets with the caller's parameters. `threshold` is the version's default. Raises BadRequest if the
    parameters are not valid, e.g. if they exclude every source."""
    by_name = _by_name(agent, params) if params else {}
    targets = tuple(
        _with_params(defaults, *by_name[defaults.source]) if defaults.source in by_name else defaults
        for defaults in (search_target(target, threshold=threshold) for target in agent.targets)
    )
    if all(target.never for target in targets):
        raise BadRequest("neverQuerySource excludes every knowledge source; one must be left to search.", target=PARAMS)
    return targets


def _by_name(agent: Agent, params: Sequence[SourceParams]) -> Mapping[str, tuple[SourceParams, str]]:
    """The parameters of each source, with their path in the body, by the name of the source. Raises BadRequest."""
    kinds = {target.source_name: source_of(target).kind for target in agent.targets}
    by_name: dict[str, tuple[SourceParams, str]] = {}
    for i, source in enumerate(params):
        name, place = source.knowledge_source_name, f"{PARAMS}[{i}]"
        if name not in kinds:
            names = ", ".join(map(repr, kinds))
            reason = f"The knowledge source {name[:200]!r} is not one of {agent.name!r}, which has {names}."
            raise BadRequest(reason, target=f"{place}.knowledgeSourceName")
        if source.kind not in (kinds[name], KINDS[kinds[name]].sampled_as):
            raise BadRequest(f"The knowledge source {name!r} is of the kind {kinds[name]}.", target=f"{place}.kind")
        if name in by_name:
            reason = f"The parameters of the knowledge source {name!r} are given twice."
            raise BadRequest(reason, target=f"{place}.knowledgeSourceName")
        by_name[name] = source, place
    return by_name


def _with_params(defaults: SearchTarget, params: SourceParams, place: str) -> SearchTarget:
    rerank = defaults.recall.rerank if params.results_processing is None else params.results_processing == "rerank"
    _check(params, place, KINDS[defaults.kind].refused, rerank=rerank)
    narrowing = filter_of(params.filter_add_on, target=f"{place}.filterAddOn")
    never = bool(params.never_query_source)
    hints = params.query_hint_overrides
    return replace(
        narrow(defaults, narrowing, threshold=params.reranker_threshold),
        include_source_data=value_or(params.include_reference_source_data, defaults.include_source_data),
        include_references=value_or(params.include_references, defaults.include_references),
        max_documents=params.max_output_documents,
        recall=Recall(rerank=rerank),
        always=value_or(params.always_query_source, defaults.always) and not never,
        never=never,
        fail_on_error=bool(params.fail_on_error),
        hints=defaults.hints if hints is None else hints_of(hints.model_dump(by_alias=True)),
    )


def _check(params: SourceParams, place: str, refused: Mapping[str, str], *, rerank: bool) -> None:
    """Refuses parameters that exclude each other, by both rules of the how-to "Retrieve data" of 09/04/2026, and those
    that do not apply to the kind of the source. `refused` has the reason for each of these."""
    if params.always_query_source and params.never_query_source:
        reason = "alwaysQuerySource and neverQuerySource exclude each other."
        raise BadRequest(reason, target=f"{place}.neverQuerySource")
    if params.reranker_threshold is not None and not rerank:
        reason = "rerankerThreshold needs reranking, and resultsProcessing of this source is none."
        raise BadRequest(reason, target=f"{place}.rerankerThreshold")
    for name, reason in refused.items():
        if getattr(params, name) not in (None, False):
            raise BadRequest(reason, target=f"{place}.{to_camel(name)}")


Value = TypeVar("Value")


def source_of(target: Target) -> Source:
    """The knowledge source of a target: the stored source, or the implicit source of the target's index."""
    return target.bound or Source(name=target.source_name, index=target.index)


def check_kinds(agent: Agent, kinds: Collection[SourceKind]) -> None:
    """Raises OtherVersion if the agent has a knowledge source of a kind that the version lacks."""
    for source in map(source_of, agent.targets):
        if source.kind not in kinds:
            versions = ", ".join(versions_with_kind(source.kind))
            raise OtherVersion(
                f"The knowledge source {source.name!r} is of the kind {source.kind}, which this api-version does not "
                f"have. It exists in: {versions}."
            )


def search_target(target: Target, *, threshold: float = 0.0) -> SearchTarget:
    """The search target with the defaults of its agent and its knowledge source. `threshold` applies if neither states
    one; the default 0 keeps every document. Raises BadFilter if the stored base filter cannot be read."""
    source, stated_threshold = source_of(target), target.stated_threshold
    base_filter = filter_of(source.base_filter, target=f"baseFilter of the knowledge source {source.name!r}")
    return SearchTarget(
        index=source.index,
        filter=base_filter,
        base_filter=base_filter,
        threshold=value_or(stated_threshold, threshold),
        threshold_by="version" if stated_threshold is None else "definition",
        include_source_data=bool(target.include_source_data),
        recall=Recall(rerank=source.results_processing != "none"),
        source=source.name,
        kind=source.kind,
        server=source.server,
        ignoring=KINDS[source.kind].ignoring,
        origin=None if source.kind not in INGESTED else "name" if source.kind == "file" else "address",
        description=source.description,
        source_fields=source.source_fields,
        search_fields=source.search_fields,
        semantic_configuration=source.semantic_configuration,
        include_references=value_or(target.include_references, True),
        always=bool(target.always_query),
        hints=None if source.query_hints is None else hints_of(source.query_hints),
    )


def narrow(target: SearchTarget, filter: Filter | None, *, threshold: float | None = None) -> SearchTarget:
    """The target with the filter and the threshold of the request, if it states them. The filter is joined by AND with
    the stored filter, so it can only narrow the search."""
    if threshold is not None:
        target = replace(target, threshold=threshold, threshold_by="request")
    if filter is not None:
        target = replace(target, filter=all_of(part for part in (target.filter, filter) if part is not None))
    return target


def chunk_target(target: Target, filter: Filter | None, *, threshold: float | None = None) -> SearchTarget:
    """The target of a search whose documents become chunks. The default threshold is 0, because a later step judges
    whether a document that was found is useful."""
    return replace(
        narrow(search_target(target), filter, threshold=threshold),
        include_source_data=False,
        max_documents=target.max_documents,
    )


def value_or(value: Value | None, otherwise: Value) -> Value:
    """The value, or `otherwise` if the value is None."""
    return otherwise if value is None else value
