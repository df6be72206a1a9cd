"""A definition as the JSON text that stores keep, with the member names of `retrieval.model`. It never has a key.

A release reads definitions that an earlier release wrote, and ignores members that it does not know. So two releases
can use one store during a deployment.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final, Generic

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from retrieval.errors import UnreadableDefinitions
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import ANY, Defined, Kept, Stored, Unreadable

SERVICE: Final = "The agent store"
SEED: Final = "seed"
_ETAG: Final = re.compile(r"[!#-~]{1,64}")
"""The characters that may stand between the quotes of an etag: RFC 9110, section 8.8.3, without those beyond ASCII."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Defined]):
    """A kind of definition. `name` is its name in a store, `hidden` its members that are never written.

    `notes` are its members that the store alone sets. They do not count in the fingerprint.
    """

    name: str
    adapter: Callable[[], TypeAdapter[Any]]
    hidden: Mapping[str, Any]
    notes: Mapping[str, Any]
    usable: Callable[[Defined], bool]

    def write(self, stored: Stored[Defined]) -> str:
        """The text for a definition."""
        text = self.adapter().dump_json(stored.value, exclude=self.hidden, exclude_defaults=True)
        return (text if stored.seed is None else to_json({**from_json(text), SEED: stored.seed})).decode()

    def read(self, text: str, *, name: str, etag: str) -> Kept[Defined]:
        """The definition of that name. It is unreadable if `write` did not write the text, or wrote it for another
        name."""
        try:
            value: Defined = self.adapter().validate_json(text)
            seed = from_json(text).get(SEED)
        except (ValidationError, ValueError):
            return Unreadable(name=name, etag=etag)
        if value.name != name or not self.usable(value):
            return Unreadable(name=name, etag=etag)
        return Stored(value=value, etag=etag, seed=seed if isinstance(seed, str) else None)

    def fingerprint(self, value: Defined) -> str:
        """A fingerprint of the definition. Every other definition has another fingerprint."""
        text = self.adapter().dump_json(value, exclude={**self.hidden, **self.notes}, exclude_defaults=True)
        return sha256(text).hexdigest()[:32]


def etag_of(stored_etag: str) -> str:
    """The stored etag; or an etag that is made from it, where its characters cannot be in a header.

    Only an etag that somebody has edited has such characters.
    """
    if _ETAG.fullmatch(stored_etag) and stored_etag != ANY:
        return stored_etag
    return f"0x{sha256(stored_etag.encode(errors='replace')).hexdigest()[:16].upper()}"


def readable(entry: Kept[Defined] | None, kind: Kind[Defined]) -> Stored[Defined] | None:
    """The entry where it can be read. Raises UnreadableDefinitions."""
    if isinstance(entry, Unreadable):
        raise UnreadableDefinitions(SERVICE, (entry.name,), kind=kind.name)
    return entry


def _can_be_asked(agent: Agent) -> bool:
    """Whether an agent has targets, and all its numbers are finite.

    The JSON reader accepts Infinity and NaN, but no answer can carry them.
    """
    numbers = (agent.max_runtime, *(target.reranker_threshold for target in agent.targets))
    return bool(agent.targets) and all(math.isfinite(number) for number in numbers if number is not None)


AGENTS: Final[Kind[Agent]] = Kind(
    name="agent",
    adapter=cache(lambda: TypeAdapter(Agent)),
    hidden={"model": {"api_key"}, "targets": {"__all__": {"bound"}}},
    notes={"targets": {"__all__": {"bound", "filtered"}}},
    usable=_can_be_asked,
)
SOURCES: Final[Kind[Source]] = Kind(
    name="source",
    adapter=cache(lambda: TypeAdapter(Source)),
    hidden={},
    notes={},
    usable=lambda source: bool(source.index),
)
