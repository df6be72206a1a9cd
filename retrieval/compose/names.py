"""The names in settings of access: faults where nothing can ever have them, warnings where a caller still can."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from retrieval.backends.definitions.document import SERVICE
from retrieval.errors import NotConfigured, Problem, UnmatchedNames
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import readable_values
from retrieval.ports import DefinitionStore
from retrieval.settings import named
from retrieval.settings.settings import Settings

logger = logging.getLogger(__name__)


def check_configured(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> None:
    """Raises NotConfigured where these definitions are all there will be, and a name is none of theirs."""
    if settings.store is None and (
        problems := [Problem(one.setting, str(one)) for one in named.unmatched(settings, agents, sources)]
    ):
        raise NotConfigured(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of the settings, and the stores that keep what they name."""

    settings: Settings
    agents: DefinitionStore[Agent]
    sources: DefinitionStore[Source]

    @property
    def any(self) -> bool:
        """Whether there is anything to look for."""
        return named.names_any(self.settings)

    async def warn(self) -> None:
        """Log the names that nothing has. Raises BackendError."""
        for one in await self._unmatched():
            logger.warning("%s Nothing is protected by that until it is made.", one)

    async def check(self) -> None:
        """Raises UnmatchedNames, and BackendError where the stores do not answer."""
        if unmatched := await self._unmatched():
            raise UnmatchedNames(SERVICE, list(map(str, unmatched)))

    async def _unmatched(self) -> list[named.Unmatched]:
        if not self.any:
            return []
        agents, sources = readable_values(await self.agents.list()), readable_values(await self.sources.list())
        return list(named.unmatched(self.settings, agents, sources))
