"""Converts definitions to and from the JSON text that stores keep. The text has the member names of `retrieval.model`,
and never contains an API key.

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
"""The ASCII characters that RFC 9110, section 8.8.3, allows between the quotes of an etag. The length is limited to 64
characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Defined]):
    """A kind of definition. `name` is the name of the kind in a store. `hidden` are the members that are never written.

    `notes` are members that callers do not set. The fingerprint ignores `hidden` and `notes`.
    """

    name: str
    adapter: Callable[[], TypeAdapter[Any]]
    hidden: Mapping[str, Any]
    notes: Mapping[str, Any]
    usable: Callable[[Defined], bool]

    def write(self, stored: Stored[Defined]) -> str:
        """The JSON text of a definition."""
        text = self.adapter().dump_json(stored.value, exclude=self.hidden, exclude_defaults=True)
        return (text if stored.seed is None else to_json({**from_json(text), SEED: stored.seed})).decode()

    def read(self, text: str, *, name: str, etag: str) -> Kept[Defined]:
        """The definition with this name. Unreadable if the text is not a valid and usable definition of this kind, or
        has another name."""
        try:
            value: Defined = self.adapter().validate_json(text)
            seed = from_json(text).get(SEED)
        except (ValidationError, ValueError):
            return Unreadable(name=name, etag=etag)
        if value.name != name or not self.usable(value):
            return Unreadable(name=name, etag=etag)
        return Stored(value=value, etag=etag, seed=seed if isinstance(seed, str) else None)

    def fingerprint(self, value: Defined) -> str:
        """A hash of the definition without its hidden members and notes."""
        text = self.adapter().dump_json(value, exclude={**self.hidden, **self.notes}, exclude_defaults=True)
        return sha256(text).hexdigest()[:32]


def etag_of(stored_etag: str) -> str:
    """The stored etag. If it cannot be used in a header, another etag is computed from it.

    This happens only if somebody has edited the stored etag by hand.
    """
    if _ETAG.fullmatch(stored_etag) and stored_etag != ANY:
        return stored_etag
    return f"0x{sha256(stored_etag.encode(errors='replace')).hexdigest()[:16].upper()}"


def readable(entry: Kept[Defined] | None, kind: Kind[Defined]) -> Stored[Defined] | None:
    """The entry of a store, or None if there is none. Raises UnreadableDefinitions if the entry cannot be read."""
    if isinstance(entry, Unreadable):
        raise UnreadableDefinitions(SERVICE, (entry.name,), kind=kind.name)
    return entry


def _can_be_asked(agent: Agent) -> bool:
    """Whether an agent has targets, and all its numbers are finite.

    The JSON reader accepts Infinity and NaN, but an answer in JSON cannot contain them.
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
