"""Stores definitions in the memory of this process. The store starts with given definitions, and keeps callers' changes
until the process ends.
"""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Generic, cast

from retrieval.errors import NothingIsKept
from retrieval.model.definitions import Agent, Defined, Precondition, Stored, WriteResult


def fresh(value: Defined, seed: str | None = None) -> Stored[Defined]:
    """A definition in the form that a write stores. It has a new etag. It does not have the API key of a model, because
    stores keep no secrets.

    The etag has the same form as an etag of Azure AI Search.
    """
    if isinstance(value, Agent) and value.model is not None:
        value = cast(Defined, replace(value, model=replace(value.model, api_key=None)))
    return Stored(value=value, etag=f"0x{secrets.token_hex(8).upper()}", seed=seed)


class MemoryStore(Generic[Defined]):
    """Definitions in memory. There is no `await` between the check and the change of a write, so that two writes cannot
    interfere."""

    def __init__(self, values: Iterable[Defined] = (), *, writable: bool = True) -> None:
        self._stored: dict[str, Stored[Defined]] = {value.name: fresh(value) for value in values}
        self._writable = writable

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition of that name, or None."""
        return self._stored.get(name)

    async def list(self) -> tuple[Stored[Defined], ...]:
        """All definitions, in the order of their names."""
        return tuple(stored for _, stored in sorted(self._stored.items()))

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition. Raises PreconditionFailed, and NothingIsKept if the store is not `writable`."""
        earlier = self._check(value.name, when)
        stored = fresh(value, seed)
        self._stored[value.name] = stored
        return WriteResult(stored=stored, created=earlier is None)

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and return whether it existed. Raises PreconditionFailed, NothingIsKept."""
        self._check(name, when)
        return self._stored.pop(name, None) is not None

    def _check(self, name: str, when: Precondition) -> Stored[Defined] | None:
        if not self._writable:
            raise NothingIsKept()
        earlier = self._stored.get(name)
        when.check(name, None if earlier is None else earlier.etag)
        return earlier
