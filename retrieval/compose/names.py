"""Checks the names of agents and indexes in the access settings. If callers cannot store definitions, a name without a
definition is an error. Otherwise such a name is only reported, because a definition with this name may be stored
later."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.definitions.document import SERVICE
from retrieval.errors import NotConfigured, Problem, UnmatchedNames
from retrieval.model.definitions import Agent, Source, readable_values
from retrieval.ports import DefinitionStore
from retrieval.settings.missing_definitions import UnknownNames, names_any, unknown_names
from retrieval.settings.settings import Settings

logger = logging.getLogger(__name__)


def check_configured(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> None:
    """Raises NotConfigured if a name in the settings has no configured definition and callers cannot store
    definitions."""
    if settings.store is None and (
        problems := [Problem(names.setting, str(names)) for names in unknown_names(settings, agents, sources)]
    ):
        raise NotConfigured(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names in the access settings, and the stores that should contain definitions with these names."""

    settings: Settings
    agents: DefinitionStore[Agent]
    sources: DefinitionStore[Source]

    @property
    def any(self) -> bool:
        """Whether the access settings name any agent or index."""
        return names_any(self.settings)

    async def warn(self) -> None:
        """Logs the names that no agent and no index has. Raises BackendError."""
        for names in await self._unknown_names():
            logger.warning("%s Nothing is protected by that until it is made.", names)

    async def check(self) -> None:
        """Raises UnmatchedNames for names without a definition, and BackendError if the stores do not answer."""
        if names := await self._unknown_names():
            raise UnmatchedNames(SERVICE, list(map(str, names)))

    async def _unknown_names(self) -> list[UnknownNames]:
        if not self.any:
            return []
        agents, sources = readable_values(await self.agents.list()), readable_values(await self.sources.list())
        return list(unknown_names(self.settings, agents, sources))
