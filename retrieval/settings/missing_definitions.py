"""Finds names in access settings that no agent and no index has. Such a name protects nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from retrieval.model.definitions import Agent, Source
from retrieval.settings.settings import Settings
from retrieval.text.counted_noun import listed

EVERY: Final = "*"
MOST_NAMED: Final = 5


_NEITHER: Final = "is neither an agent nor a knowledge base"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownNames:
    """A setting, and the names in it that no agent and no index has."""

    setting: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        reason = "no agent or knowledge source searches" if self.setting == "IMPOSED_FILTERS" else _NEITHER
        return f"{self.setting} names {listed(self.names, most=MOST_NAMED)}, which {reason}."


def _of_agents(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The names of agents and knowledge bases in each setting, without `*`."""
    names_by_setting = {
        "USER_TOKEN_AGENTS": settings.user_token_agents,
        "BASE_KEYS": tuple(settings.base_keys),
        "BASE_ROLES": tuple(settings.base_roles),
    }
    return {setting: tuple(name for name in names if name != EVERY) for setting, names in names_by_setting.items()}


def names_any(settings: Settings) -> bool:
    """Whether the settings name any agent or index."""
    return any(_of_agents(settings).values()) or bool({*settings.imposed_filters} - {EVERY})


def unknown_names(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> Iterator[UnknownNames]:
    """The names in settings that no definition has. An index that INDEX_FIELDS or MODEL_STUDIO_BASES describes is
    assumed to exist."""
    agents = tuple(agents)
    agent_names = {agent.name.casefold() for agent in agents}
    indexes = {target.index for agent in agents for target in agent.targets}
    indexes |= {source.index for source in sources} | {*settings.index_fields} | {*settings.model_studio_bases}
    of_indexes = {"IMPOSED_FILTERS": tuple(name for name in settings.imposed_filters if name != EVERY)}
    for names_by_setting, existing in (
        (_of_agents(settings), agent_names),
        (of_indexes, {name.casefold() for name in indexes}),
    ):
        for setting, names in names_by_setting.items():
            if unknown := tuple(sorted(name for name in names if name.casefold() not in existing)):
                yield UnknownNames(setting=setting, names=unknown)
