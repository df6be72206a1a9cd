"""The agent definition: a chat model, the index it searches with its defaults, limits of a request.

Schema: knowledge agents, Create Or Update, 2025-05-01-preview. Ranges that the reference leaves open are ours.
"""

from typing import Annotated, Final, Literal

import pydantic_core
from pydantic import Field, TypeAdapter, ValidationError

from retrieval.contracts.azure.parts import Wire
from retrieval.model import Agent, ModelDeployment, Target

DEFAULT_RUNTIME_SECONDS: Final = 60
DEFAULT_OUTPUT_TOKENS: Final = 5_000


class AzureOpenAIParameters(Wire):
    resource_uri: str
    deployment_id: str
    api_key: str | None = Field(default=None, repr=False)
    model_name: str | None = None


class Model(Wire):
    kind: Literal["azureOpenAI"]
    azure_open_ai_parameters: AzureOpenAIParameters = Field(alias="azureOpenAIParameters")


class TargetIndex(Wire):
    index_name: str
    default_reranker_threshold: Annotated[float, Field(ge=0, le=4)] | None = None
    default_include_reference_source_data: bool | None = None
    default_max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None


class RequestLimits(Wire):
    max_runtime_in_seconds: Annotated[int, Field(ge=10, le=600)] | None = None
    max_output_size: Annotated[int, Field(gt=0)] | None = None


class AgentDefinition(Wire):
    name: Annotated[str, Field(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,126}[a-z0-9])?$")]
    models: list[Model] = Field(default=[], max_length=1)
    target_indexes: Annotated[list[TargetIndex], Field(min_length=1, max_length=1)]
    request_limits: RequestLimits | None = None
    description: str | None = None


_DEFINITIONS: Final = TypeAdapter(list[AgentDefinition])


def read_agents(text: bytes) -> tuple[Agent, ...]:
    """The agents of a JSON array of definitions. Raises ValueError with the place of the first fault."""
    try:
        definitions = _DEFINITIONS.validate_python(pydantic_core.from_json(text))
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    names = [definition.name for definition in definitions]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"the agent {min(repeated)!r} is defined twice")
    return tuple(map(_agent, definitions))


def _agent(definition: AgentDefinition) -> Agent:
    limits = definition.request_limits or RequestLimits()
    return Agent(
        name=definition.name,
        targets=tuple(map(_target, definition.target_indexes)),
        model=_model(definition.models[0]) if definition.models else None,
        max_runtime=float(limits.max_runtime_in_seconds or DEFAULT_RUNTIME_SECONDS),
        max_output_tokens=limits.max_output_size or DEFAULT_OUTPUT_TOKENS,
        description=definition.description,
    )


def _target(target: TargetIndex) -> Target:
    return Target(
        index=target.index_name,
        reranker_threshold=target.default_reranker_threshold,
        include_source_data=target.default_include_reference_source_data,
        max_documents=target.default_max_docs_for_reranker,
    )


def _model(model: Model) -> ModelDeployment:
    parameters = model.azure_open_ai_parameters
    return ModelDeployment(
        endpoint=parameters.resource_uri, deployment=parameters.deployment_id, api_key=parameters.api_key or None
    )
