"""An agent as JSON text, in the words of the hub: what stores keep. A key is never in it."""

from functools import cache

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import BackendUnavailable
from retrieval.model import Agent
from retrieval.stored import StoredAgent

SERVICE = "The agent store"


def write(agent: Agent) -> str:
    """The text for an agent."""
    return _agents().dump_json(agent, exclude={"model": {"api_key"}}, exclude_defaults=True).decode()


def read(text: str, *, etag: str) -> StoredAgent:
    """The agent of a text. Raises BackendUnavailable for what `write` did not write."""
    try:
        return StoredAgent(agent=_agents().validate_json(text), etag=etag)
    except ValidationError:
        raise BackendUnavailable(SERVICE, "keeps an agent that cannot be read.") from None


@cache
def _agents() -> TypeAdapter[Agent]:
    return TypeAdapter(Agent)
