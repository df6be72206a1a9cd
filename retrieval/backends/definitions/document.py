"""An agent as JSON text, in the words of the hub: what stores keep. A key is never in it."""

import math
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import UnreadableAgents
from retrieval.model.definitions import Agent
from retrieval.model.etags import Kept, StoredAgent, UnreadableAgent

SERVICE: Final = "The agent store"


def write(agent: Agent) -> str:
    """The text for an agent."""
    return _agents().dump_json(agent, exclude={"model": {"api_key"}}, exclude_defaults=True).decode()


def read(text: str, *, name: str, etag: str) -> Kept:
    """The agent that is kept under a name; what `write` did not write, or not for that name, is an unreadable one."""
    try:
        agent = _agents().validate_json(text)
    except ValidationError:
        return UnreadableAgent(name=name, etag=etag)
    if agent.name != name or not _can_be_asked(agent):
        return UnreadableAgent(name=name, etag=etag)
    return StoredAgent(agent=agent, etag=etag)


def readable(kept: Kept | None) -> StoredAgent | None:
    """Raises UnreadableAgents."""
    if isinstance(kept, UnreadableAgent):
        raise UnreadableAgents(SERVICE, (kept.name,))
    return kept


def _can_be_asked(agent: Agent) -> bool:
    """JSON as it is read here has Infinity and NaN, which no answer can carry."""
    numbers = (agent.max_runtime, *(target.reranker_threshold for target in agent.targets))
    return bool(agent.targets) and all(math.isfinite(number) for number in numbers if number is not None)


@cache
def _agents() -> TypeAdapter[Agent]:
    return TypeAdapter(Agent)
