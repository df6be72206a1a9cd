"""Turns the definitions of `model.definitions` into JSON members and back. The module knows the members of all
versions. Their names are in snake_case.

The pydantic shapes of a version declare its members. `express` keeps only the members that a shape declares, and leaves
out values that the shape cannot express. `merge` applies an update in one version to the stored definition.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel
from pydantic.alias_generators import to_camel, to_snake

from retrieval.contracts.azure.kinds.indexes import REDACTED
from retrieval.contracts.azure.kinds.kind import Members, parameters_of, respell
from retrieval.contracts.azure.kinds.table import KINDS
from retrieval.contracts.azure.versioned import shapes_in
from retrieval.model.definitions import Agent, ModelDeployment, Source, SourceKind, Target

HasKey: TypeAlias = Callable[[ModelDeployment], bool]
"""Whether the configuration holds a key for a model."""

Shape = TypeVar("Shape", bound=BaseModel)
Value = TypeVar("Value", Agent, Source, Target)

_OF_THE_STORE: Final = frozenset({"index", "source", "filtered", "bound"})
"""The fields of a target that an update does not change."""


def express(shape: type[Shape], members: Members) -> Shape:
    """The shape, filled with the members that it can express. The members are not validated, so a stored definition can
    still be shown after a rule has become stricter."""
    values = {name: _expressible(field.annotation, members.get(name)) for name, field in shape.model_fields.items()}
    return shape.model_construct(**{name: value for name, value in values.items() if value is not None})


def agent_members(agent: Agent, has_key: HasKey) -> Members:
    """All members of an agent. If several targets have the same index, `target_indexes` has this index only once."""
    indexes: dict[str, Target] = {}
    for target in agent.targets:
        indexes.setdefault(target.index, target)
    runtime = None if agent.max_runtime is None else round(agent.max_runtime)
    return {
        "name": agent.name,
        "description": agent.description,
        "models": [] if agent.model is None else [_model_members(agent.model, has_key=has_key(agent.model))],
        "target_indexes": [_index_members(target) for target in indexes.values()],
        "knowledge_sources": [_reference_members(target) for target in agent.targets],
        "request_limits": _members_or_none(max_runtime_in_seconds=runtime, max_output_size=agent.max_output_tokens),
        "retrieve_defaults": _members_or_none(
            max_runtime_in_seconds=runtime,
            max_output_documents=agent.max_documents,
            max_output_size_in_tokens=agent.max_output_tokens,
        ),
        "output_configuration": _members_or_none(
            modality=agent.output_mode,
            answer_instructions=agent.answer_instructions,
            attempt_fast_path=agent.fast_path,
            include_activity=agent.include_activity,
        ),
        "output_mode": agent.output_mode,
        "ground_everything": agent.ground_everything,
        "retrieval_instructions": agent.retrieval_instructions,
        "answer_instructions": agent.answer_instructions,
        "retrieval_reasoning_effort": _members_or_none(kind=agent.effort),
        "cors_options": respell(agent.cors, to_snake),
        "tags": dict(agent.tags) or None,
    }


def agent_of(members: Members) -> Agent:
    """The agent, made from the members of one version. A target from `target_indexes` has an index, but no source."""
    limits = {**_part(members, "request_limits"), **_part(members, "retrieve_defaults")}
    output = _part(members, "output_configuration")
    models = members.get("models") or ()
    tokens = limits.get("max_output_size")
    return Agent(
        name=members["name"],
        targets=(
            *map(_index_target, members.get("target_indexes") or ()),
            *map(_source_target, members.get("knowledge_sources") or ()),
        ),
        model=_model(models[0]["azure_open_ai_parameters"]) if models else None,
        max_runtime=limits.get("max_runtime_in_seconds"),
        max_output_tokens=limits.get("max_output_size_in_tokens") if tokens is None else tokens,
        max_documents=limits.get("max_output_documents"),
        description=members.get("description"),
        effort=_part(members, "retrieval_reasoning_effort").get("kind"),
        output_mode=members.get("output_mode") or output.get("modality"),
        retrieval_instructions=members.get("retrieval_instructions"),
        answer_instructions=members.get("answer_instructions") or output.get("answer_instructions"),
        include_activity=output.get("include_activity"),
        ground_everything=members.get("ground_everything"),
        fast_path=output.get("attempt_fast_path"),
        tags=members.get("tags") or {},
        cors=respell(members.get("cors_options"), to_camel),
    )


def source_members(source: Source) -> Members:
    """All members of a knowledge source."""
    return {
        "name": source.name,
        "description": source.description,
        "kind": source.kind,
        "results_processing": source.results_processing,
        "cors_options": respell(source.cors, to_snake),
        parameters_of(source.kind): KINDS[source.kind].members(source),
    }


def source_of(members: Members) -> Source:
    """The knowledge source, made from the members of one version."""
    kind: SourceKind = members.get("kind") or "searchIndex"
    source = Source(
        name=members["name"],
        index="",
        kind=kind,
        description=members.get("description"),
        results_processing=members.get("results_processing"),
        cors=respell(members.get("cors_options"), to_camel),
    )
    return KINDS[kind].read(source, _part(members, parameters_of(kind)))


def merge_source(stored: Source, update: Source, view: Source) -> Source:
    """The stored source with the changes of an update. If the update has another kind, it replaces the stored source.
    The stored index and the stored created resources are kept if the update lacks them, since clients of Azure need not
    send them."""
    if stored.kind != update.kind:
        return update
    merged = merge(stored, update, view)
    return replace(merged, index=update.index or stored.index, created=update.created or stored.created)


def merge_agent(stored: Agent, update: Agent, view: Agent, *, key: Callable[[Target], str]) -> Agent:
    """The stored agent with the changes of an update in one version. `view` is the stored agent as that version shows
    it.

    `key` gives the name that a target has in the version. If the update changes the names or their order, the agent
    gets the targets that the update names, in the update's order.
    """
    updates, views = ({key(target): target for target in agent.targets} for agent in (update, view))

    def merge_target(target: Target) -> Target:
        return merge(target, updates[key(target)], views[key(target)], but=_OF_THE_STORE)

    def stored_targets(name: str) -> Sequence[Target]:
        return [merge_target(target) for target in stored.targets if key(target) == name]

    targets_as_sent = (target for name, new in updates.items() for target in stored_targets(name) or [new])
    targets = map(merge_target, stored.targets) if list(updates) == list(views) else targets_as_sent
    return replace(merge(stored, update, view, but={"targets"}), targets=tuple(targets))


def merge(stored: Value, update: Value, view: Value, *, but: Iterable[str] = ()) -> Value:
    """The stored value with the changes of an update. `view` is the stored value as the version of the update shows it.
    A field has changed if the update and `view` have different values for the field. Fields in `but` stay as they are
    stored."""
    names = {field.name for field in fields(stored)}.difference(but)
    values = ((name, getattr(stored, name), getattr(update, name), getattr(view, name)) for name in names)
    return replace(stored, **{name: _changed(*three) for name, *three in values})


def _changed(stored: Any, update: Any, view: Any) -> Any:
    """The value of the update if it differs from the view, else the stored value. If all three values are objects, they
    are merged member by member."""
    if update == view:
        return stored
    if not (isinstance(stored, Mapping) and isinstance(update, Mapping) and isinstance(view, Mapping)):
        return update
    names = dict.fromkeys((*stored, *update))
    changed = {name: _changed(*(value.get(name) for value in (stored, update, view))) for name in names}
    return {name: value for name, value in changed.items() if value is not None}


def _model_members(model: ModelDeployment, *, has_key: bool) -> Members:
    parameters = {
        "resource_uri": model.endpoint,
        "deployment_id": model.deployment,
        "api_key": REDACTED if has_key else None,
        "model_name": model.model_name,
    }
    return {"kind": "azureOpenAI", "azure_open_ai_parameters": parameters}


def _model(parameters: Members) -> ModelDeployment:
    return ModelDeployment(
        endpoint=parameters["resource_uri"],
        deployment=parameters["deployment_id"],
        api_key=parameters.get("api_key") or None,
        model_name=parameters.get("model_name"),
    )


def _index_members(target: Target) -> Members:
    return {
        "index_name": target.index,
        "default_reranker_threshold": target.stated_threshold,
        "default_include_reference_source_data": target.include_source_data,
        "default_max_docs_for_reranker": target.max_documents,
    }


def _index_target(members: Members) -> Target:
    return Target(
        index=members["index_name"],
        reranker_threshold=members.get("default_reranker_threshold"),
        include_source_data=members.get("default_include_reference_source_data"),
        max_documents=members.get("default_max_docs_for_reranker"),
    )


def _reference_members(target: Target) -> Members:
    return {
        "name": target.source_name,
        "include_references": target.include_references,
        "include_reference_source_data": target.include_source_data,
        "always_query_source": target.always_query,
        "max_sub_queries": target.max_subqueries,
        "reranker_threshold": target.stated_threshold,
        "enable_image_serving": target.image_serving,
        "enable_freshness": target.freshness,
    }


def _source_target(members: Members) -> Target:
    """A target that names only its source. Its index is empty, because the source has the index."""
    return Target(
        index="",
        source=members["name"],
        include_references=members.get("include_references"),
        include_source_data=members.get("include_reference_source_data"),
        always_query=members.get("always_query_source"),
        max_subqueries=members.get("max_sub_queries"),
        reranker_threshold=members.get("reranker_threshold"),
        image_serving=members.get("enable_image_serving"),
        freshness=members.get("enable_freshness"),
    )


def _part(members: Members, name: str) -> Members:
    return members.get(name) or {}


def _members_or_none(**members: object) -> Members | None:
    return members if any(value is not None for value in members.values()) else None


def _expressible(annotation: Any, value: Any) -> Any:
    """The value, without the parts that the annotation cannot express. None if the annotation cannot express the value
    at all."""
    shape = next(shapes_in(annotation), None)
    if shape is not None and isinstance(value, Mapping):
        inner, required = (
            express(shape, value),
            {name for name, field in shape.model_fields.items() if field.is_required()},
        )
        return inner if required <= inner.model_fields_set else None
    if shape is not None and isinstance(value, Sequence):
        return [express(shape, item) for item in value]
    words = _words(annotation)
    if words and isinstance(value, list):
        return [word for word in value if word in words]
    return None if words and value not in words else value


def _words(annotation: Any) -> tuple[object, ...]:
    """The values that the annotation lists in a `Literal`. Empty if it has no `Literal`."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for argument in get_args(annotation) for word in _words(argument))
