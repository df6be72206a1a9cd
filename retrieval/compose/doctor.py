"""Composes the examination of a deployment. The examination has its own clients, and closes them at its end. It does
not close the stores."""

from collections.abc import Callable, Sequence, Set
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from retrieval import threads
from retrieval.compose import definitions, models, search
from retrieval.compose.definitions_file import Defined
from retrieval.compose.identity import identity
from retrieval.errors import NotConfigured, Problem
from retrieval.model.finding import Finding
from retrieval.settings.settings import Settings
from retrieval.telemetry import UnknownVersions

if TYPE_CHECKING:
    from retrieval.doctor.checks import Deployment
    from retrieval.doctor.services import Ask, Backend


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """Examines the deployment that the settings describe.

    `problems` are the faults of the settings. `unknown` are the unknown api-versions that callers of this process asked
    for.
    """

    settings: Settings
    configured: Defined
    store: definitions.Store
    problems: Sequence[Problem] = ()
    unknown: UnknownVersions = field(default_factory=UnknownVersions)

    async def examine(self, tell: Callable[[Finding], None]) -> tuple[Finding, ...]:
        """The findings in the order of the checks. `tell` is called with each finding as soon as all earlier findings
        are known."""
        await threads.imported("aiohttp", "azure.identity.aio", "retrieval.doctor.checks")
        async with AsyncExitStack() as stack:
            return await self._deployment(stack).examine(tell)

    def _deployment(self, stack: AsyncExitStack) -> "Deployment":
        from retrieval.doctor.checks import Deployment
        from retrieval.doctor.definitions import DefinitionSet, Library
        from retrieval.doctor.services import BackendCaller
        from retrieval.outgoing.access_tokens import Tokens

        tokens = Tokens(cache(partial(identity, self.settings, stack)))
        stack.push_async_callback(tokens.close)
        service, ask = self._search()
        server = models.chat_server(self.settings)
        chat = None if server is None else models.local_client(server, stack)
        return Deployment(
            settings=self.settings,
            problems=self.problems,
            configured=DefinitionSet(agents=self.configured.agents, sources=self.configured.sources),
            library=Library(
                place=self.settings.store,
                agents=self.store.agents,
                sources=self.store.sources,
                write=self.store.writable,
            ),
            search=service,
            models=() if chat is not None else tuple(models.deployments(self.settings, self.configured.agents)),
            chat=chat,
            caller=BackendCaller(ask=ask, identity=tokens),
            rooms=search.rooms(self.settings, stack),
            unknown_versions=self.unknown.served,
        )

    def _search(self) -> "tuple[Backend | None, Ask]":
        """The search service, and the function that sends requests. Requests to the local search service do not use the
        network.

        The service is None if its address is not valid, or if it is missing and the local search service is not used.
        The local search service does not replace a service with an invalid address.
        """
        from retrieval.doctor.services import Backend
        from retrieval.outgoing.plain_http import ask

        settings = self.settings
        if "azure_search_endpoint" in _wrong(self.problems):
            return None, ask
        local = search.asked_locally(settings)
        service = partial(
            Backend,
            kind="search",
            setting="AZURE_SEARCH",
            audience=settings.azure_search_audience,
            resources="search service",
        )
        if local is not None:
            local_service = service(
                title="The local search service", endpoint=local.endpoint, key=local.key, is_local=True
            )
            return local_service, local.ask
        if settings.azure_search_endpoint is None:
            return None, ask
        key, endpoint = settings.azure_search_api_key, settings.azure_search_endpoint
        return service(title="Azure AI Search", endpoint=endpoint, key=key), ask


def of_settings(settings: Settings, problems: Sequence[Problem], stack: AsyncExitStack) -> Doctor:
    """A doctor for settings from which no service can be composed. Settings without a valid value are not used."""
    whole = _whole(settings, problems)
    try:
        configured = definitions.of_file(whole)
    except NotConfigured:
        configured = Defined()
    store = definitions.store(whole, lambda: identity(whole, stack), stack)
    return Doctor(settings=whole, configured=configured, store=store, problems=problems)


def _whole(settings: Settings, problems: Sequence[Problem]) -> Settings:
    """The settings. Each setting without a valid value has its default, because a key must not be sent to a wrong
    address."""
    usual = Settings()
    return replace(settings, **{name: getattr(usual, name) for name in _wrong(problems)})


def _wrong(problems: Sequence[Problem]) -> Set[str]:
    """The names of the settings without a valid value. They are names of members of `Settings`."""
    names = {problem.setting.lower() for problem in problems if problem.fault != "unfitting"}
    return names.intersection(field.name for field in fields(Settings))
