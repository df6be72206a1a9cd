"""`GET doctor` examines this deployment. The caller must have the right to manage. `checks` has the checks.

An examination calls the same services as a retrieval. It costs one semantic query for each semantic configuration, a
few tokens for each model, and one Retrieve for each knowledge base of Model Studio. It has its own clients, and closes
them at its end. It does not close the stores.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.http.rooms import Door, Materials
from retrieval.http.routes import route
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.finding import Finding
from retrieval.settings.settings import invalid
from retrieval.sources import ROOMS

if TYPE_CHECKING:
    from retrieval.doctor.checks import Deployment
    from retrieval.doctor.services import Ask, Backend


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examines the deployment of these materials."""

    materials: Materials

    async def examine(self, tell: Callable[[Finding], None]) -> tuple[Finding, ...]:
        """The findings in the order of the checks. `tell` is called with each finding as soon as all earlier findings
        are known."""
        of_sources = (f"retrieval.sources.{folder}.checks" for folder in ROOMS.values())
        await threads.imported("aiohttp", "azure.identity.aio", "retrieval.doctor.checks", *of_sources)
        async with AsyncExitStack() as stack:
            return await self._deployment(stack).examine(tell)

    def _deployment(self, stack: AsyncExitStack) -> "Deployment":
        from retrieval.doctor.checks import Deployment
        from retrieval.doctor.definitions import DefinitionSet
        from retrieval.doctor.services import BackendCaller

        made = self.materials
        tokens = made.tokens(stack)
        stack.push_async_callback(tokens.close)
        service, ask = self._search()
        chat = made.chat(stack)
        return Deployment(
            settings=made.settings,
            problems=made.problems,
            configured=DefinitionSet(agents=tuple(made.agents), sources=tuple(made.sources)),
            stores=made.stores,
            search=service,
            models=() if chat is not None else made.models(),
            chat=chat,
            caller=BackendCaller(ask=ask, identity=tokens),
            rooms=made.rooms(stack),
            unknown_versions=made.unknown_versions.served,
        )

    def _search(self) -> "tuple[Backend | None, Ask]":
        """The search service, and the function that sends requests. Requests to the local search service do not use the
        network.

        The service is None if its address is not valid, or if it is missing and the local search service is not used.
        The local search service does not replace a service with an invalid address.
        """
        from retrieval.doctor.services import Backend
        from retrieval.outgoing.connections import ask

        settings = self.materials.settings
        if "azure_search_endpoint" in invalid(self.materials.problems):
            return None, ask
        local = self.materials.local_search()
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


async def _examine(admitted: Admitted, _: None) -> Rendered:
    """Examines the deployment, and returns the findings."""
    from retrieval.doctor.response import render_examination

    return render_examination(await admitted.service.room(Doctor).examine(lambda finding: None))


EXAMINE: Final[Endpoint[None]] = Endpoint(
    operation="examine the deployment",
    needs="manage",
    work=_examine,
    speaks=lambda call: None,
    contract_name=lambda call: "doctor",
    subject=lambda words, call, caller: f"{words} caller={('-' if caller is None else caller.id)!r}",
    load=partial(import_module, "retrieval.doctor.response"),
)

DOOR: Final = Door(routes=route("GET doctor", "doctor", EXAMINE, "examineDeployment"), compose=Doctor)
