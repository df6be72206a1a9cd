"""Definitions as members: every member that any version has, in snake_case, out of the hub and into it.

The members of a version are those that its shape declares; `expressed` takes them, and leaves out what the shape cannot
say. `merged` puts what a version said over what is stored.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel
from pydantic.alias_generators import to_camel, to_snake

from retrieval.contracts.azure.elsewhere import shapes_in
from retrieval.model.definitions import Agent, ModelDeployment, Source, Target

REDACTED: Final = "<redacted>"

Members: TypeAlias = Mapping[str, Any]
HasKey: TypeAlias = Callable[[ModelDeployment], bool]
"""Whether the configuration holds a key for a model."""

Shape = TypeVar("Shape", bound=BaseModel)
Value = TypeVar("Value", Agent, Source, Target)

_OF_THE_STORE: Final = frozenset({"index", "source", "filtered", "bound"})
"""What of a target no version changes where it is known already."""


def expressed(shape: type[Shape], members: Members) -> Shape:
    """What a shape can say of the members, past validation: what was stored before a rule was made is shown too."""
    said = {name: _said(field.annotation, members.get(name)) for name, field in shape.model_fields.items()}
    return shape.model_construct(**{name: value for name, value in said.items() if value is not None})


def agent_members(agent: Agent, has_key: HasKey) -> Members:
    """All that is known of an agent. An index that several sources lead to is one target index."""
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
        "request_limits": _some(max_runtime_in_seconds=runtime, max_output_size=agent.max_output_tokens),
        "retrieve_defaults": _some(
            max_runtime_in_seconds=runtime,
            max_output_documents=agent.max_documents,
            max_output_size_in_tokens=agent.max_output_tokens,
        ),
        "output_configuration": _some(
            modality=agent.output_mode,
            answer_instructions=agent.answer_instructions,
            attempt_fast_path=agent.fast_path,
            include_activity=agent.include_activity,
        ),
        "output_mode": agent.output_mode,
        "retrieval_instructions": agent.retrieval_instructions,
        "answer_instructions": agent.answer_instructions,
        "retrieval_reasoning_effort": _some(kind=agent.effort),
        "cors_options": _respelled(agent.cors, to_snake),
        "tags": dict(agent.tags) or None,
    }


def agent_of(members: Members) -> Agent:
    """The agent that the members of one version tell of. What has no source is known by its index."""
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
        fast_path=output.get("attempt_fast_path"),
        tags=members.get("tags") or {},
        cors=_respelled(members.get("cors_options"), to_camel),
    )


def source_members(source: Source) -> Members:
    """All that is known of a knowledge source."""
    of_index = {
        "search_index_name": source.index,
        "source_data_select": ",".join(source.source_fields) or None,
        "source_data_fields": [{"name": name} for name in source.source_fields] or None,
        "search_fields": [{"name": name} for name in source.search_fields] or None,
        "semantic_configuration_name": source.semantic_configuration,
        "base_filter": source.base_filter,
        "query_hints": _respelled(source.query_hints, to_snake),
    }
    is_index = source.kind == "searchIndex"
    return {
        "name": source.name,
        "description": source.description,
        "kind": source.kind,
        "results_processing": source.results_processing,
        "search_index_parameters": of_index if is_index else None,
        "model_studio_base_parameters": None if is_index else {"base_name": source.index},
    }


def source_of(members: Members) -> Source:
    """The source that the members of one version tell of."""
    of_index, of_base = _part(members, "search_index_parameters"), _part(members, "model_studio_base_parameters")
    selected = [name.strip() for name in (of_index.get("source_data_select") or "").split(",")]
    return Source(
        name=members["name"],
        index=of_index.get("search_index_name") or of_base.get("base_name") or "",
        kind=members["kind"],
        description=members.get("description"),
        source_fields=_names(of_index, "source_data_fields") or tuple(filter(None, selected)),
        search_fields=_names(of_index, "search_fields"),
        semantic_configuration=of_index.get("semantic_configuration_name"),
        base_filter=of_index.get("base_filter"),
        query_hints=_respelled(of_index.get("query_hints"), to_camel),
        results_processing=members.get("results_processing"),
    )


def merged_agent(kept: Agent, sent: Agent, shown: Agent, *, key: Callable[[Target], str]) -> Agent:
    """What is stored with what a version changed of it; `shown` is what that version shows of what is stored.

    `key` is by what the version knows a target. Their order is the one that was sent, where that is another one.
    """
    said, before = ({key(target): target for target in agent.targets} for agent in (sent, shown))

    def over(target: Target) -> Target:
        return merged(target, said[key(target)], before[key(target)], but=_OF_THE_STORE)

    def known(name: str) -> Sequence[Target]:
        return [over(target) for target in kept.targets if key(target) == name]

    anew = (target for name, new in said.items() for target in known(name) or [new])
    targets = map(over, kept.targets) if list(said) == list(before) else anew
    return replace(merged(kept, sent, shown, but={"targets"}), targets=tuple(targets))


def merged(kept: Value, sent: Value, shown: Value, *, but: Iterable[str] = ()) -> Value:
    """What is kept, with those fields of what was sent in which it is not what was shown."""
    names = {field.name for field in fields(kept)}.difference(but)
    changed = {name: getattr(sent, name) for name in names if getattr(sent, name) != getattr(shown, name)}
    return replace(kept, **changed)


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
        "default_reranker_threshold": target.reranker_threshold,
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
        "reranker_threshold": target.reranker_threshold,
        "enable_image_serving": target.image_serving,
        "enable_freshness": target.freshness,
    }


def _source_target(members: Members) -> Target:
    """Its index is the source's to say."""
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


def _names(members: Members, name: str) -> tuple[str, ...]:
    return tuple(one["name"] for one in members.get(name) or ())


def _some(**members: object) -> Members | None:
    return members if any(value is not None for value in members.values()) else None


def _respelled(value: Any, spell: Callable[[str], str]) -> Any:
    """The members of an object, and of what is in it, in another spelling; without those that are null."""
    if isinstance(value, Mapping):
        return {spell(name): _respelled(item, spell) for name, item in value.items() if item is not None}
    return [_respelled(item, spell) for item in value] if isinstance(value, list | tuple) else value


def _said(annotation: Any, value: Any) -> Any:
    """None for what the annotation has no words for."""
    shape = next(shapes_in(annotation), None)
    if shape is not None and isinstance(value, Mapping):
        inner = expressed(shape, value)
        return inner if _required(shape) <= inner.model_fields_set else None
    if shape is not None and isinstance(value, Sequence):
        return [expressed(shape, one) for one in value]
    words = _words(annotation)
    return None if words and value not in words else value


def _required(shape: type[BaseModel]) -> set[str]:
    return {name for name, field in shape.model_fields.items() if field.is_required()}


def _words(annotation: Any) -> tuple[object, ...]:
    """Of a member that has one of a few values."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for one in get_args(annotation) for word in _words(one))
