"""Definitions in this process's memory: those of the start, and whatever is made of them while it lives."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Generic, cast

from retrieval.errors import NothingIsKept, PreconditionFailed
from retrieval.model.definitions import Agent
from retrieval.model.etags import Defined, Precondition, Stored, Written


def fresh(value: Defined, seed: str | None = None) -> Stored[Defined]:
    """What a write stores: an agent without the key of its model, since stores keep no secrets, and a new etag.

    The etag is one that no other write has had, spelled as Azure AI Search does.
    """
    if isinstance(value, Agent) and value.model is not None:
        value = cast(Defined, replace(value, model=replace(value.model, api_key=None)))
    return Stored(value=value, etag=f"0x{secrets.token_hex(8).upper()}", seed=seed)


class MemoryStore(Generic[Defined]):
    """Nothing is awaited between a look and a write, so that no two writes mix. Unless `writable`, it takes none."""

    def __init__(self, values: Iterable[Defined] = (), *, writable: bool = True) -> None:
        self._stored: dict[str, Stored[Defined]] = {value.name: fresh(value) for value in values}
        self._writable = writable

    async def get(self, name: str, *, known: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition of that name, or None."""
        return self._stored.get(name)

    async def list(self) -> tuple[Stored[Defined], ...]:
        """All of them, by name."""
        return tuple(stored for _, stored in sorted(self._stored.items()))

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> Written[Defined]:
        """Store it. Raises PreconditionFailed, NothingIsKept."""
        before = self._checked(value.name, when)
        stored = fresh(value, seed)
        self._stored[value.name] = stored
        return Written(stored=stored, created=before is None)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Whether there was one. Raises PreconditionFailed, NothingIsKept."""
        self._checked(name, when)
        return self._stored.pop(name, None) is not None

    def _checked(self, name: str, when: Precondition) -> Stored[Defined] | None:
        if not self._writable:
            raise NothingIsKept()
        before = self._stored.get(name)
        if not when.holds(None if before is None else before.etag):
            raise PreconditionFailed(name)
        return before
