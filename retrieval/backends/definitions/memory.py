"""Agents in this process's memory: those of the start, and whatever is made of them while it lives."""

import secrets
from collections.abc import Iterable
from dataclasses import replace

from retrieval.errors import NothingIsKept, PreconditionFailed
from retrieval.model.definitions import Agent
from retrieval.model.etags import Precondition, StoredAgent, Written


def fresh(agent: Agent) -> StoredAgent:
    """What a write stores: the agent without the key of its model, since stores keep no secrets, and a new etag.

    The etag is one that no other write has had, spelled as Azure AI Search does.
    """
    model = None if agent.model is None else replace(agent.model, api_key=None)
    return StoredAgent(agent=replace(agent, model=model), etag=f"0x{secrets.token_hex(8).upper()}")


class MemoryAgentStore:
    """Nothing is awaited between a look and a write, so that no two writes mix. Unless `writable`, it takes none."""

    def __init__(self, agents: Iterable[Agent] = (), *, writable: bool = True) -> None:
        self._stored = {agent.name: fresh(agent) for agent in agents}
        self._writable = writable

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        """The agent of that name, or None."""
        return self._stored.get(name)

    async def list(self) -> tuple[StoredAgent, ...]:
        """All of them, by name."""
        return tuple(stored for _, stored in sorted(self._stored.items()))

    async def put(self, agent: Agent, *, when: Precondition) -> Written:
        """Store it. Raises PreconditionFailed, NothingIsKept."""
        before = self._checked(agent.name, when)
        stored = fresh(agent)
        self._stored[agent.name] = stored
        return Written(stored=stored, created=before is None)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises PreconditionFailed, NothingIsKept."""
        self._checked(name, when)
        return self._stored.pop(name, None) is not None

    def _checked(self, name: str, when: Precondition) -> StoredAgent | None:
        if not self._writable:
            raise NothingIsKept()
        before = self._stored.get(name)
        if not when.holds(None if before is None else before.etag):
            raise PreconditionFailed(name)
        return before
