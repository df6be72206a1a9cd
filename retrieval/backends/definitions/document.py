"""Converts definitions to and from the JSON text that stores keep. The text has the member names of `retrieval.model`,
and never contains an API key.

A release reads definitions that an earlier release wrote. A definition with a member that the release does not know is
unreadable, because the member may be a restriction. So two releases can use one store during a deployment: the earlier
release refuses what it cannot honour. A release lists the members that an earlier one can ignore beside the
definition, under `harmless` (`Kind.harmless`). An entry there is a path of names with dots between them, or the end of
a path, and positions in arrays are left out. A name that this release knows at any place, in any spelling, is never
harmless.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from typing import Any, Final, Generic, TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from retrieval.errors import UnreadableDefinitions
from retrieval.model.definitions import Agent, Source
from retrieval.model.etags import ANY, Defined, Kept, Stored, Unreadable
from retrieval.text import strict_json

SERVICE: Final = "The agent store"
SEED: Final = "seed"
HARMLESS: Final = "harmless"
_BESIDE: Final = frozenset({(SEED,), (HARMLESS,)})
_UNKNOWN: Final = "unexpected_keyword_argument"
"""The type of pydantic's error for a member that a dataclass does not have."""

Path: TypeAlias = tuple[str, ...]
"""The names on the way to a member, without the positions in arrays."""

_ETAG: Final = re.compile(r"[!#-~]{1,64}")
"""The ASCII characters that RFC 9110, section 8.8.3, allows between the quotes of an etag. The length is limited to 64
characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Defined]):
    """A kind of definition. `name` is the name of the kind in a store. `hidden` are the members that are never written.

    `notes` are members that callers do not set. The fingerprint ignores `hidden` and `notes`. `harmless` are the
    members that earlier releases do not know and can ignore. `unstored` gives the hidden members in a definition that
    are never read from a store.
    """

    name: str
    adapter: Callable[[], TypeAdapter[Any]]
    hidden: Mapping[str, Any]
    notes: Mapping[str, Any]
    usable: Callable[[Defined], bool]
    harmless: tuple[str, ...] = ()
    unstored: Callable[[Defined], tuple[str, ...]] = field(default=lambda value: ())

    def write(self, stored: Stored[Defined]) -> str:
        """The JSON text of a definition."""
        text = self.adapter().dump_json(stored.value, exclude=self.hidden, exclude_defaults=True)
        beside = {SEED: stored.seed, HARMLESS: self.harmless or None}
        told = {name: value for name, value in beside.items() if value is not None}
        return (to_json({**from_json(text), **told}) if told else text).decode()

    def read(self, text: str, *, name: str, etag: str) -> Kept[Defined]:
        """The definition with this name. Unreadable if the text is not a valid and usable definition of this kind, has
        another name, or has a member that is unknown and not harmless, or is given more than once."""
        unreadable_by = partial(Unreadable, name=name, etag=etag)
        try:
            beside = strict_json.with_repeated(text)
            if (repeated := strict_json.repeated_path(beside)) is not None:
                return unreadable_by(members=(".".join(repeated),))
            unknown = self._unknown(text)
            if members := _restricting(unknown, beside):
                return unreadable_by(members=_dotted(members))
            value: Defined = self.adapter().validate_json(text)
        except (ValueError, RecursionError):
            return unreadable_by()
        if unstored := self.unstored(value):
            return unreadable_by(members=unstored)
        if value.name != name or not self.usable(value):
            return unreadable_by()
        seed = beside.get(SEED)
        ignored = _dotted(path for path in unknown if path not in _BESIDE)
        return Stored(value=value, etag=etag, seed=seed if isinstance(seed, str) else None, ignored=ignored)

    def _unknown(self, text: str) -> Sequence[Path]:
        """The members that a definition of this kind does not have."""
        try:
            self.adapter().validate_json(text, extra="forbid")
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            places = [fault["loc"] for fault in faults if fault["type"] == _UNKNOWN]
            return [tuple(name for name in place if isinstance(name, str)) for place in places]
        return ()

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
        raise unreadable((entry,), kind.name)
    return entry


def unreadable(entries: Sequence[Unreadable], kind: str) -> UnreadableDefinitions:
    """The error that names entries that cannot be read, and the members that are the reason."""
    members = {entry.name: entry.members for entry in entries}
    return UnreadableDefinitions(SERVICE, [entry.name for entry in entries], kind=kind, members=members)


def _restricting(unknown: Sequence[Path], beside: Any) -> Sequence[Path]:
    """The members that are not known and may not be ignored. What may be ignored stands beside the definition, or is
    listed there as harmless and has no name that this release knows at another place."""
    if not unknown:
        return ()
    entries = beside.get(HARMLESS, [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        return [path for path in unknown if path != (SEED,)]
    ends = {tuple(entry.split(".")) for entry in entries}
    listed = {path for path in unknown if any(path[start:] in ends for start in range(len(path)))}
    harmless = {path for path in listed if _folded(path[-1]) not in _known_names()}
    return [path for path in unknown if path not in harmless and path not in _BESIDE]


@cache
def _known_names() -> frozenset[str]:
    """The names of all members of agents and sources at any depth, folded."""
    schemas = [kind.adapter().json_schema() for kind in (AGENTS, SOURCES)]
    shapes = [shape for schema in schemas for shape in (schema, *schema.get("$defs", {}).values())]
    return frozenset(_folded(name) for shape in shapes for name in shape.get("properties", {}))


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _dotted(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(".".join(path) for path in paths))


def _bound(agent: Agent) -> tuple[str, ...]:
    return ("targets.bound",) if any(target.bound is not None for target in agent.targets) else ()


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
    unstored=_bound,
)
SOURCES: Final[Kind[Source]] = Kind(
    name="source",
    adapter=cache(lambda: TypeAdapter(Source)),
    hidden={},
    notes={},
    usable=lambda source: bool(source.index) and math.isfinite(source.reranker_threshold or 0),
)
