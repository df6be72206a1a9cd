"""The agent definition: a chat model, what it searches with the defaults for it, limits of a request.

Schema: knowledge agents, Create Or Update, 2025-05-01-preview. Ranges that the reference leaves open are ours. It knows
one target; here further ones may be knowledge bases of other services, which the composition checks.

A key in a definition is the operator's affair: `AGENTS_FILE` may have one, a call may not. Nothing here keeps secrets,
so none is taken in; where the configuration has a key for a model, `apiKey` reads `<redacted>` in answers, and may come
back as that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias

import pydantic_core
from pydantic import Field, TypeAdapter, ValidationError, field_validator

from retrieval.contracts.azure.conditions import quoted
from retrieval.contracts.azure.parts import Wire, property_names, read, refuse_control_characters
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, ModelDeployment, Target
from retrieval.model.etags import Kept, Stored
from retrieval.text.names import PATTERN

MOST_TARGETS: Final = 8
REDACTED: Final = "<redacted>"
LARGEST_OUTPUT_TOKENS: Final = 2_147_483_647
UNREADABLE: Final = "What is stored under this name cannot be read as an agent. Delete it, or put the agent anew."

HasKey: TypeAlias = Callable[[ModelDeployment], bool]
"""Whether the configuration holds a key for a model."""

Name: TypeAlias = Annotated[str, Field(pattern=PATTERN)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]


class AzureOpenAIParameters(Wire):
    resource_uri: Annotated[str, Field(min_length=1, max_length=2_048)]
    deployment_id: Text
    api_key: str | None = Field(default=None, repr=False)
    model_name: Text | None = None
    auth_identity: dict[str, Any] | None = None


class Model(Wire):
    kind: Literal["azureOpenAI"]
    azure_open_ai_parameters: AzureOpenAIParameters = Field(alias="azureOpenAIParameters")


class TargetIndex(Wire):
    index_name: Annotated[str, Field(min_length=1, max_length=128)]
    default_reranker_threshold: Annotated[float, Field(ge=0, le=4)] | None = None
    default_include_reference_source_data: bool | None = None
    default_max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None


class RequestLimits(Wire):
    max_runtime_in_seconds: Annotated[int, Field(ge=10, le=600)] | None = None
    max_output_size: Annotated[int, Field(gt=0, le=LARGEST_OUTPUT_TOKENS)] | None = None


class AgentDefinition(Wire):
    """`etag` and `context` come back from clients that send what they got; they say nothing here."""

    context: str | None = Field(default=None, alias="@odata.context")
    etag: str | None = Field(default=None, alias="@odata.etag")
    name: Name
    description: Annotated[str, Field(max_length=4_000)] | None = None
    models: list[Model] = Field(default=[], max_length=1, fail_fast=True)
    target_indexes: Annotated[list[TargetIndex], Field(min_length=1, max_length=MOST_TARGETS, fail_fast=True)]
    request_limits: RequestLimits | None = None
    encryption_key: dict[str, Any] | None = None

    @field_validator("target_indexes")
    @classmethod
    def _named_once(cls, targets: list[TargetIndex]) -> list[TargetIndex]:
        names = [target.index_name for target in targets]
        if len(set(names)) < len(names):
            raise ValueError("an index is named twice")
        return targets


class ListedAgent(AgentDefinition):
    """A definition as the list has it: one that cannot be read has a name, an etag, a description that says so, and no
    target."""

    name: str
    target_indexes: list[TargetIndex]


class AgentDefinitions(Wire):
    value: list[ListedAgent]


_DEFINITIONS: Final = TypeAdapter(list[AgentDefinition])
_NAMES: Final = property_names([AgentDefinition, RequestLimits, TargetIndex, Model, AzureOpenAIParameters])
_PARAMETERS: Final = "models[0].azureOpenAIParameters"


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


def parse_agent(body: bytes, *, name: str | None, has_key: HasKey) -> Agent:
    """The agent that a body defines, never with a key in it; `name` is the one of the address. Raises BadRequest."""
    definition = read(body, AgentDefinition, names=_NAMES)
    if name is not None and definition.name != name:
        raise BadRequest(f"The name in the body must be the one in the address, {name[:128]!r}.", target="name")
    if definition.encryption_key is not None:
        raise BadRequest("Customer-managed encryption keys are not supported here.", target="encryptionKey")
    if definition.description is not None:
        refuse_control_characters(definition.description, target="description")
    agent = _agent(definition)
    if agent.model is None:
        return agent
    _check_credentials(definition.models[0].azure_open_ai_parameters, has_key=has_key(agent.model))
    return _without_key(agent, agent.model)


def render_agent(stored: Stored[Agent], *, status: int, has_key: HasKey) -> Rendered:
    """One definition, with its etag in the body and in the header."""
    body = _definition(stored, has_key).model_dump_json(by_alias=True, exclude={"context"})
    return Rendered(status=status, body=body.encode(), headers={"ETag": quoted(stored.etag)})


def render_agents(kept: Sequence[Kept[Agent]], *, has_key: HasKey) -> Rendered:
    """The list of all; what cannot be read is in it by its name."""
    definitions = AgentDefinitions.model_construct(value=[_listed(one, has_key) for one in kept])
    body = definitions.model_dump_json(by_alias=True, exclude={"value": {"__all__": {"context"}}})
    return Rendered(status=200, body=body.encode())


def _check_credentials(parameters: AzureOpenAIParameters, *, has_key: bool) -> None:
    if parameters.auth_identity is not None:
        reason = "The model is called with this service's own identity; leave authIdentity out."
        raise BadRequest(reason, target=f"{_PARAMETERS}.authIdentity")
    if parameters.api_key == REDACTED and has_key:
        return
    if parameters.api_key is not None:
        reason = (
            "This service keeps no keys. Leave apiKey out: the model is called with this service's identity, or with "
            "the key that its configuration has for it (AZURE_OPENAI_API_KEY, AGENTS_FILE)."
        )
        raise BadRequest(reason, target=f"{_PARAMETERS}.apiKey")


def _without_key(agent: Agent, model: ModelDeployment) -> Agent:
    return replace(agent, model=replace(model, api_key=None))


def _agent(definition: AgentDefinition) -> Agent:
    limits = definition.request_limits or RequestLimits()
    return Agent(
        name=definition.name,
        targets=tuple(map(_target, definition.target_indexes)),
        model=_model(definition.models[0]) if definition.models else None,
        max_runtime=limits.max_runtime_in_seconds,
        max_output_tokens=limits.max_output_size,
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
        endpoint=parameters.resource_uri,
        deployment=parameters.deployment_id,
        api_key=parameters.api_key or None,
        model_name=parameters.model_name,
    )


def _definition(stored: Stored[Agent], has_key: HasKey) -> AgentDefinition:
    """Past validation: what was stored by an older version, or as a sample, is shown as it is."""
    return AgentDefinition.model_construct(**_members(stored, has_key))


def _listed(kept: Kept[Agent], has_key: HasKey) -> ListedAgent:
    if isinstance(kept, Stored):
        return ListedAgent.model_construct(**_members(kept, has_key))
    return ListedAgent.model_construct(
        etag=quoted(kept.etag), name=kept.name, description=UNREADABLE, models=[], target_indexes=[]
    )


def _members(stored: Stored[Agent], has_key: HasKey) -> dict[str, Any]:
    agent = stored.value
    return {
        "etag": quoted(stored.etag),
        "name": agent.name,
        "description": agent.description,
        "models": [] if agent.model is None else [_wire_model(agent.model, has_key=has_key(agent.model))],
        "target_indexes": [_wire_target(target) for target in agent.targets],
        "request_limits": _wire_limits(agent),
    }


def _wire_model(model: ModelDeployment, *, has_key: bool) -> Model:
    parameters = AzureOpenAIParameters.model_construct(
        resource_uri=model.endpoint,
        deployment_id=model.deployment,
        api_key=REDACTED if has_key else None,
        model_name=model.model_name,
    )
    return Model.model_construct(kind="azureOpenAI", azure_open_ai_parameters=parameters)


def _wire_target(target: Target) -> TargetIndex:
    return TargetIndex.model_construct(
        index_name=target.index,
        default_reranker_threshold=target.reranker_threshold,
        default_include_reference_source_data=target.include_source_data,
        default_max_docs_for_reranker=target.max_documents,
    )


def _wire_limits(agent: Agent) -> RequestLimits | None:
    if agent.max_runtime is None and agent.max_output_tokens is None:
        return None
    runtime = None if agent.max_runtime is None else round(agent.max_runtime)
    return RequestLimits.model_construct(max_runtime_in_seconds=runtime, max_output_size=agent.max_output_tokens)
