"""Stores of agents."""

from collections.abc import Iterable

from retrieval.model import Agent


class MemoryAgentStore:
    """Agents that were there at the start."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self._agents = {agent.name: agent for agent in agents}

    async def get(self, name: str) -> Agent | None:
        """The agent of that name, or None."""
        return self._agents.get(name)
