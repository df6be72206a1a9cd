"""Makes a search target from the definitions of its knowledge source and its agent. The caller's own parameters are
applied later.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from retrieval.contracts.azure.kinds.table import KINDS
from retrieval.contracts.azure.member_versions import versions_with_kind
from retrieval.contracts.azure.query_hints import hints_of
from retrieval.contracts.azure.request_body import filter_of
from retrieval.errors import OtherVersion
from retrieval.filters.tree import Filter, all_of
from retrieval.model.definitions import INGESTED, Agent, Source, SourceKind, Target
from retrieval.model.search import Recall, SearchTarget

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


def with_threshold(target: SearchTarget, threshold: float | None) -> SearchTarget:
    """The target with the threshold of the request; unchanged if the request states none."""
    return target if threshold is None else replace(target, threshold=threshold, threshold_by="request")


def narrow(target: SearchTarget, filter: Filter | None) -> SearchTarget:
    """The target with the caller's filter. The filter is joined by AND with the stored filter, so it can only narrow
    the search."""
    if filter is None:
        return target
    return replace(target, filter=all_of(part for part in (target.filter, filter) if part is not None))


def chunk_target(target: Target, filter: Filter | None, *, threshold: float | None = None) -> SearchTarget:
    """The target of a search whose documents become chunks. The default threshold is 0, because a later step judges
    whether a document that was found is useful."""
    return replace(
        with_threshold(narrow(search_target(target), filter), threshold),
        include_source_data=False,
        max_documents=target.max_documents,
    )


def value_or(value: Value | None, otherwise: Value) -> Value:
    """The value, or `otherwise` if the value is None."""
    return otherwise if value is None else value
