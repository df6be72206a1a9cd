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
from retrieval.contracts.azure.members_by_version import shapes_in
from retrieval.model.definitions import Agent, ModelDeployment, Source, SourceKind, Target

HasKey: TypeAlias = Callable[[ModelDeployment], bool]
"""Whether the configuration holds a key for a model."""

Shape = TypeVar("Shape", bound=BaseModel)
Value = TypeVar("Value", Agent, Source, Target)

Table: TypeAlias = Mapping[str, "str | Table"]
"""The field of the hub for each member. A member that is an object has a table of its own."""

_AGENT: Final[Table] = {
    "name": "name",
    "description": "description",
    "request_limits": {"max_runtime_in_seconds": "max_runtime", "max_output_size": "max_output_tokens"},
    "retrieve_defaults": {
        "max_runtime_in_seconds": "max_runtime",
        "max_output_documents": "max_documents",
        "max_output_size_in_tokens": "max_output_tokens",
    },
    "output_mode": "output_mode",
    "ground_everything": "ground_everything",
    "retrieval_instructions": "retrieval_instructions",
    "answer_instructions": "answer_instructions",
    "output_configuration": {
        "modality": "output_mode",
        "answer_instructions": "answer_instructions",
        "attempt_fast_path": "fast_path",
        "include_activity": "include_activity",
    },
    "retrieval_reasoning_effort": {"kind": "effort"},
}
_INDEX: Final[Table] = {
    "index_name": "index",
    "default_reranker_threshold": "reranker_threshold",
    "default_include_reference_source_data": "include_source_data",
    "default_max_docs_for_reranker": "max_documents",
}
_REFERENCE: Final[Table] = {
    "include_references": "include_references",
    "include_reference_source_data": "include_source_data",
    "always_query_source": "always_query",
    "max_sub_queries": "max_subqueries",
    "reranker_threshold": "reranker_threshold",
    "enable_image_serving": "image_serving",
    "enable_freshness": "freshness",
}
_MODEL: Final[Table] = {"resource_uri": "endpoint", "deployment_id": "deployment", "model_name": "model_name"}

_OF_THE_STORE: Final = frozenset({"index", "source", "filtered", "bound"})
"""The fields of a target that an update does not change."""


def express(shape: type[Shape], members: Members) -> Shape:
    """The shape, filled with the members that it can express. The members are not validated, so a stored definition can
    still be shown after a rule has become stricter."""
    values = {name: _expressible(field.annotation, members.get(name)) for name, field in shape.model_fields.items()}
    return shape.model_construct(**{name: value for name, value in values.items() if value is not None})


def agent_members(agent: Agent, has_key: HasKey) -> Members:
    """All members of an agent. If several targets have the same index, `target_indexes` has this index only once."""
    targets = [replace(target, reranker_threshold=target.stated_threshold) for target in agent.targets]
    indexes: dict[str, Target] = {}
    for target in targets:
        indexes.setdefault(target.index, target)
    model, runtime = agent.model, None if agent.max_runtime is None else round(agent.max_runtime)
    return {
        **_shown(replace(agent, max_runtime=runtime), _AGENT),
        "models": [] if model is None else [_model_members(model, has_key=has_key(model))],
        "target_indexes": [_shown(target, _INDEX) for target in indexes.values()],
        "knowledge_sources": [{"name": target.source_name, **_shown(target, _REFERENCE)} for target in targets],
        "cors_options": respell(agent.cors, to_snake),
        "tags": dict(agent.tags) or None,
    }


def agent_of(members: Members) -> Agent:
    """The agent, made from the members of one version. A target from `target_indexes` has an index, but no source. A
    target from `knowledge_sources` names only its source: its index is empty, because the source has the index."""
    values = _values(members, _AGENT)
    references = members.get("knowledge_sources") or ()
    models = members.get("models") or ()
    return Agent(
        **{**values, "answer_instructions": values["answer_instructions"] or None},
        targets=(
            *(Target(**_values(index, _INDEX)) for index in members.get("target_indexes") or ()),
            *(Target(index="", source=item["name"], **_values(item, _REFERENCE)) for item in references),
        ),
        model=_model(models[0]["azure_open_ai_parameters"]) if models else None,
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
    return KINDS[kind].read(source, members.get(parameters_of(kind)) or {})


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
    parameters = {**_shown(model, _MODEL), "api_key": REDACTED if has_key else None}
    return {"kind": "azureOpenAI", "azure_open_ai_parameters": parameters}


def _model(parameters: Members) -> ModelDeployment:
    return ModelDeployment(**_values(parameters, _MODEL), api_key=parameters.get("api_key") or None)


def _shown(value: object, table: Table) -> dict[str, Any]:
    """The members of a value. An object without any value is None."""
    return {
        member: getattr(value, field) if isinstance(field, str) else _members_or_none(_shown(value, field))
        for member, field in table.items()
    }


def _members_or_none(members: Members) -> Members | None:
    return members if any(value is not None for value in members.values()) else None


def _values(members: Members, table: Table) -> dict[str, Any]:
    """The values of the fields in the table. Of several members for a field, the first that has a value counts."""
    values: dict[str, Any] = {}
    for name, field in table.items():
        member = members.get(name)
        read = {field: member} if isinstance(field, str) else _values(member or {}, field)
        for inner, value in read.items():
            if values.get(inner) is None:
                values[inner] = value
    return values


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
