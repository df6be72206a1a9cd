"""Finds names in access settings that no agent and no index has. Such a name protects nothing."""

from collections.abc import Iterable, Iterator
from typing import Final

from retrieval.errors import Problem
from retrieval.model.definitions import Agent, Source
from retrieval.settings.settings import Settings
from retrieval.text.counted_noun import listed

EVERY: Final = "*"
MOST_NAMED: Final = 5


def _names(settings: Settings) -> dict[str, set[str]]:
    """The names in each setting, without `*`: of agents and knowledge bases, and in IMPOSED_FILTERS of indexes."""
    names_by_setting = {
        "USER_TOKEN_AGENTS": settings.user_token_agents,
        "BASE_KEYS": settings.base_keys,
        "BASE_ROLES": settings.base_roles,
        "IMPOSED_FILTERS": settings.imposed_filters,
    }
    return {setting: {*names} - {EVERY} for setting, names in names_by_setting.items()}


def names_any(settings: Settings) -> bool:
    """Whether the settings name any agent or index."""
    return any(_names(settings).values())


def unknown_names(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> Iterator[Problem]:
    """A problem for each setting with names that no definition has. An index that INDEX_FIELDS or the settings of a
    room describe is assumed to exist."""
    agents = tuple(agents)
    agent_names = {agent.name.casefold() for agent in agents}
    searched = {target.index for agent in agents for target in agent.targets} | {source.index for source in sources}
    indexes = {name.casefold() for name in (*searched, *settings.index_fields, *settings.searched_by_rooms)}
    for setting, names in _names(settings).items():
        existing, reason = agent_names, "is neither an agent nor a knowledge base"
        if setting == "IMPOSED_FILTERS":
            existing, reason = indexes, "no agent or knowledge source searches"
        if unknown := sorted(name for name in names if name.casefold() not in existing):
            yield Problem(setting, f"{setting} names {listed(unknown, most=MOST_NAMED)}, which {reason}.")
