"""The agents and indexes that settings of access name: what nothing is called, nothing protects."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from retrieval.model.definitions import Agent, Source
from retrieval.settings.settings import Settings

EVERY: Final = "*"
MOST_NAMED: Final = 5


_NEITHER: Final = "is neither an agent nor a knowledge base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """The names of a setting that nothing has."""

    setting: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        what = "no agent or knowledge source searches" if self.setting == "IMPOSED_FILTERS" else _NEITHER
        more = f" and {len(self.names) - MOST_NAMED} more" if len(self.names) > MOST_NAMED else ""
        return f"{self.setting} names {', '.join(self.names[:MOST_NAMED])}{more}, which {what}."


def _of_agents(settings: Settings) -> dict[str, tuple[str, ...]]:
    """What the settings name agents and knowledge bases in, by setting."""
    named = {
        "USER_TOKEN_AGENTS": settings.user_token_agents,
        "BASE_KEYS": tuple(settings.base_keys),
        "BASE_ROLES": tuple(settings.base_roles),
    }
    return {setting: tuple(name for name in names if name != EVERY) for setting, names in named.items()}


def names_any(settings: Settings) -> bool:
    """Whether the settings name any agent or index."""
    return any(_of_agents(settings).values()) or bool({*settings.imposed_filters} - {EVERY})


def unmatched(settings: Settings, agents: Iterable[Agent], sources: Iterable[Source]) -> Iterator[Unmatched]:
    """The names that none of the definitions has. Indexes that another setting describes are taken to be there."""
    agents = tuple(agents)
    known = {agent.name.casefold() for agent in agents}
    indexes = {target.index for agent in agents for target in agent.targets}
    indexes |= {source.index for source in sources} | {*settings.index_fields} | {*settings.model_studio_bases}
    of_indexes = {"IMPOSED_FILTERS": tuple(name for name in settings.imposed_filters if name != EVERY)}
    for named, there in ((_of_agents(settings), known), (of_indexes, {name.casefold() for name in indexes})):
        for setting, names in named.items():
            if missing := tuple(sorted(name for name in names if name.casefold() not in there)):
                yield Unmatched(setting=setting, names=missing)
