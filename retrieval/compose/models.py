"""The chat models that may be called, and a client for each. A service without models does not load the client's
module."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from retrieval.access.allowed_models import AllowedModels
from retrieval.compose.access import Identity
from retrieval.http.service import Models
from retrieval.model.definitions import Agent, ModelDeployment
from retrieval.outgoing.breakers_and_retries import GuardedModel
from retrieval.ports import ChatModel
from retrieval.settings.settings import Settings
from retrieval.telemetry import names
from retrieval.telemetry.outgoing_calls import CalledService, TracedModel

if TYPE_CHECKING:
    from retrieval.models.chat_completions import AzureOpenAIModel
    from retrieval.models.chat_server import ChatServer
    from retrieval.models.local_completions import LocalChatModel


def chat_server(settings: Settings) -> "ChatServer | None":
    """The server of CHAT_URL, whose model answers for every other."""
    if not settings.local or settings.chat_url is None or settings.chat_model is None:
        return None
    from retrieval.models.chat_server import ChatServer

    model = ModelDeployment(endpoint=settings.chat_url, deployment=settings.chat_model, api_key=settings.chat_api_key)
    return ChatServer(model, context=settings.chat_context, calls=settings.chat_calls)


def usual_model(settings: Settings) -> ModelDeployment | None:
    if settings.azure_openai_endpoint is None or settings.azure_openai_deployment is None:
        return None
    return ModelDeployment(
        endpoint=settings.azure_openai_endpoint,
        deployment=settings.azure_openai_deployment,
        api_key=settings.azure_openai_api_key,
    )


def allowed_models(settings: Settings, agents: Iterable[Agent]) -> AllowedModels:
    """The default model of the settings, the models of the configured agents, and the models in ALLOWED_MODELS."""
    models = (*(agent.model for agent in agents), usual_model(settings), *_listed(settings))
    return AllowedModels.of(*filter(None, models))


def _listed(settings: Settings) -> list[ModelDeployment]:
    """The models of ALLOWED_MODELS."""
    return [
        ModelDeployment(
            endpoint=endpoint,
            deployment=deployment,
            api_key=settings.azure_openai_api_key if endpoint == settings.azure_openai_endpoint else None,
        )
        for endpoint, deployments in settings.allowed_models.items()
        for deployment in deployments
    ]


def deployments(settings: Settings, agents: Iterable[Agent]) -> Sequence[ModelDeployment]:
    """Every model deployment that may be called, without duplicates."""
    agents = tuple(agents)
    deployments = _called(allowed_models(settings, agents), [*_named(settings, agents), *_listed(settings)])
    return [*{(model.endpoint, model.deployment, model.api_key): model for model in deployments}.values()]


def chat(
    settings: Settings, agents: Iterable[Agent], identity: Identity, held: AsyncExitStack
) -> tuple[Models, Sequence[Callable[[], Awaitable[object]]]]:
    """The chat models, and the probes of their resources and deployments, or of the server of CHAT_URL. Each model
    resource is probed once with each key, and each deployment with the key that agents use for it."""
    agents = tuple(agents)
    allowed = allowed_models(settings, agents)
    server = chat_server(settings)
    if server is not None:
        local = local_client(server, held)
        model = _traced(settings, server.model, local, slow=True)
        allowed = replace(allowed, are_replaced=True)
        return Models(allowed=allowed, usual=server.model, of=lambda deployment: model, server=server), (local.reach,)
    client = _client_of(settings, identity, held)
    called = _called(allowed, _named(settings, agents))
    resources = {(model.endpoint, model.api_key): model for model in called}
    deployed = {(model.endpoint, model.deployment): model for model in called}
    probes = [
        *(client(model).reach for model in resources.values()),
        *(client(model).find for model in deployed.values()),
    ]
    return Models(allowed=allowed, usual=usual_model(settings), of=model_of(settings, allowed, client)), probes


def _client_of(
    settings: Settings, identity: Identity, held: AsyncExitStack
) -> "Callable[[ModelDeployment], AzureOpenAIModel]":
    """A function that makes one client for each deployment. Clients without a key share this service's token."""

    @cache
    def provider() -> Callable[[], Awaitable[str]]:
        from azure.identity.aio import get_bearer_token_provider

        return get_bearer_token_provider(identity(), f"{settings.azure_openai_audience}/.default")

    async def token() -> str:
        return await provider()()

    @cache
    def model(deployment: ModelDeployment) -> "AzureOpenAIModel":
        from retrieval.models.chat_completions import AzureOpenAIModel

        client = AzureOpenAIModel(deployment, token=token)
        held.push_async_callback(client.close)
        return client

    return model


def local_client(server: "ChatServer", held: AsyncExitStack) -> "LocalChatModel":
    """The client of the server of CHAT_URL."""
    from retrieval.models.local_completions import LocalChatModel

    client = LocalChatModel(server)
    held.push_async_callback(client.close)
    return client


def model_of(
    settings: Settings, allowed: AllowedModels, model: Callable[[ModelDeployment], ChatModel]
) -> Callable[[ModelDeployment], ChatModel]:
    """A function that returns the chat model of a deployment. A model that is not allowed is never called. The default
    model always uses the key of the settings, even if an agent has another key for the same deployment."""
    usual = usual_model(settings)

    @cache
    def traced(deployment: ModelDeployment) -> ChatModel:
        return _traced(settings, deployment, model(deployment))

    def model_of(deployment: ModelDeployment) -> ChatModel:
        configured = deployment if deployment == usual else allowed.configured(deployment)
        if configured is not None:
            return traced(configured)
        from retrieval.models.chat_completions import ModelNotAllowed

        return ModelNotAllowed()

    return model_of


def _traced(settings: Settings, deployment: ModelDeployment, client: ChatModel, *, slow: bool = False) -> ChatModel:
    """The client of a deployment with a guard, whose calls are traced."""
    where = CalledService(system=names.AZURE_OPENAI, endpoint=deployment.endpoint)
    guarded = GuardedModel(client, requests=settings.max_concurrent_requests, slow=slow)
    return TracedModel(guarded, deployment=deployment.deployment, service=where)


def _named(settings: Settings, agents: Iterable[Agent]) -> list[ModelDeployment]:
    """The default model of the settings, and the models of the agents."""
    models = (usual_model(settings), *(agent.model for agent in agents))
    return [model for model in models if model is not None]


def _called(allowed: AllowedModels, models: Iterable[ModelDeployment]) -> list[ModelDeployment]:
    """The configured entries of the models that are allowed."""
    return [configured for model in models if (configured := allowed.configured(model)) is not None]
