"""Converts definitions to and from the JSON text that stores keep. The text has the member names of `retrieval.model`,
and never contains an API key.

A release reads definitions that an earlier release wrote. A definition with a member that the release does not know is
unreadable, because the member may be a restriction. So two releases can use one store during a deployment: the earlier
release refuses what it cannot honour. A release lists the members that an earlier one can ignore beside the
definition, under `harmless` (`Kind.harmless`). An entry there is a path of names with dots between them, or the end of
a path, and positions in arrays are left out. A name that this release knows at any place, in any spelling, is never
harmless.

Of a member that is stored as it came, `Kind.parts` has the names that this release knows. Callers choose the names in
`tags` and `created`, and Azure's models and identities choose those in the parts of `ingestion` that are `FREE`.
"""

import math
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import sha256
from itertools import islice
from typing import Any, Final, Generic, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from retrieval.errors import UnreadableDefinitions
from retrieval.model.definitions import Agent, Defined, Kept, Source, Stored, Unreadable
from retrieval.model.precondition import ANY
from retrieval.sources import KINDS
from retrieval.text import strict_json

SERVICE: Final = "The agent store"
SEED: Final = "seed"
HARMLESS: Final = "harmless"
_BESIDE: Final = frozenset({(SEED,), (HARMLESS,)})
_UNKNOWN: Final = "unexpected_keyword_argument"
"""The type of pydantic's error for a member that a dataclass does not have."""

MOST_MEMBERS: Final = 20
"""The most members that are named of one definition."""

READING: Final = 4
"""Reading one character of a definition takes at most as long as reading this many characters of a document."""

ENTRY: Final = 4_000
"""Reading the smallest definition takes as long as reading this many characters of a document."""

Path: TypeAlias = tuple[str, ...]
"""The names on the way to a member, without the positions in arrays."""

Parts: TypeAlias = Mapping[str, "Parts | None"]
"""The names within an object that is stored as it came. None allows all names."""

FREE: Final = None
_NONE: Final[Parts] = {}
_HINT: Final[Parts] = dict.fromkeys(("field", "fieldValues"), _NONE)
_CORS: Final[Parts] = {"allowedOrigins": _NONE, "maxAgeInSeconds": _NONE}
_HINTS: Final[Parts] = {
    "filters": {**_HINT, "filterInstructions": _NONE},
    "boosts": {**_HINT, "boostInstructions": _NONE, "kind": _NONE, "boost": _NONE},
}
_INGESTION: Final[Parts] = {
    **dict.fromkeys(("identity", "embedding_model", "chat_completion_model"), FREE),
    "disable_image_verbalization": _NONE,
    "ingestion_schedule": {"interval": _NONE, "start_time": _NONE},
}
_INGESTED: Final[Parts] = {
    **_INGESTION,
    "ingestion_parameters": {
        **_INGESTION,
        **dict.fromkeys(("content_extraction_mode", "ingestion_permission_options", "network_access_mode"), _NONE),
        "ai_services": {"uri": _NONE, "api_key": _NONE},
        "asset_store": {"connection_string": _NONE, "container_name": _NONE},
        "freshness_policy": {"boosting_duration": _NONE},
    },
    **dict.fromkeys(("connection_string", "container_name", "folder_path", "is_adls_gen2", "query"), _NONE),
    **dict.fromkeys(("fabric_workspace_id", "lakehouse_id", "target_path"), _NONE),
    **dict.fromkeys(("table_or_view", "high_water_mark_column_name"), _NONE),
    "content_columns": {"name": _NONE, "source_field": _NONE, "search_field_type": _NONE},
    "embedding_columns": {"name": _NONE, "source_field": _NONE},
}

_ETAG: Final = re.compile(r"[!#-~]{1,64}")
"""The ASCII characters that RFC 9110, section 8.8.3, allows between the quotes of an etag. The length is limited to 64
characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Defined]):
    """A kind of definition. `name` is the name of the kind in a store. `hidden` are the members that are never written.

    `notes` are members that callers do not set. The fingerprint ignores `hidden` and `notes`. `harmless` are the
    members that earlier releases do not know and can ignore. `unstored` gives the hidden members in a definition that
    are never read from a store. `parts` are the names within members that are stored as they came.
    """

    name: str
    adapter: Callable[[], TypeAdapter[Any]]
    hidden: Mapping[str, Any]
    notes: Mapping[str, Any]
    usable: Callable[[Defined], bool]
    harmless: tuple[str, ...] = ()
    unstored: Callable[[Defined], tuple[str, ...]] = field(default=lambda value: ())
    parts: Parts = field(default_factory=dict)

    def write(self, stored: Stored[Defined]) -> str:
        """The JSON text of a definition."""
        text = self.adapter().dump_json(stored.value, exclude=self.hidden, exclude_defaults=True)
        members = from_json(text)
        harmless = [path for path in self.harmless if path.partition(".")[0] in members]
        beside = {SEED: stored.seed, HARMLESS: harmless or None}
        told = {name: value for name, value in beside.items() if value is not None}
        return (to_json({**members, **told}) if told else text).decode()

    def read(self, text: str, *, name: str, etag: str) -> Kept[Defined]:
        """The definition with this name. Unreadable if the text is not a valid and usable definition of this kind, has
        another name, or has a member that is unknown and not harmless, or is given more than once."""
        unreadable_by = partial(Unreadable, name=name, etag=etag)
        try:
            beside = strict_json.with_repeated(text)
            if (repeated := strict_json.repeated_path(beside)) is not None:
                return unreadable_by(members=(".".join(repeated),))
            unknown = [*self._unknown(text), *_unknown_parts(beside, self.parts)]
            if members := _dotted(_restricting(unknown, beside)):
                return unreadable_by(members=members)
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


def extent(text: str) -> int:
    """How long reading a definition takes at most, as a number of characters of documents."""
    return ENTRY + READING * len(text)


def digest(content: bytes) -> str:
    """An etag that is computed from what it stands for."""
    return f"0x{sha256(content).hexdigest()[:16].upper()}"


def etag_of(stored_etag: str) -> str:
    """The stored etag. If it cannot be used in a header, another etag is computed from it.

    This happens only if somebody has edited the stored etag by hand.
    """
    if _ETAG.fullmatch(stored_etag) and stored_etag != ANY:
        return stored_etag
    return digest(stored_etag.encode(errors="replace"))


def fresh(value: Defined, seed: str | None = None) -> Stored[Defined]:
    """A definition in the form that a write stores. It has a new etag. It does not have the API key of a model, because
    stores keep no secrets.

    The etag has the same form as an etag of Azure AI Search.
    """
    if isinstance(value, Agent) and value.model is not None:
        value = cast(Defined, replace(value, model=replace(value.model, api_key=None)))
    return Stored(value=value, etag=f"0x{secrets.token_hex(8).upper()}", seed=seed)


def readable(entry: Kept[Defined] | None, kind: Kind[Defined]) -> Stored[Defined] | None:
    """The entry of a store, or None if there is none. Raises UnreadableDefinitions if the entry cannot be read."""
    if isinstance(entry, Unreadable):
        raise unreadable((entry,), kind.name)
    return entry


def unreadable(entries: Sequence[Unreadable], kind: str) -> UnreadableDefinitions:
    """The error that names entries that cannot be read, and the members that are the reason."""
    members = {entry.name: entry.members for entry in entries}
    return UnreadableDefinitions(SERVICE, [entry.name for entry in entries], kind=kind, members=members)


def _unknown_parts(definition: object, parts: Parts) -> Iterator[Path]:
    """The members that `parts` does not have, within the members of a definition that it names."""
    level: list[tuple[Path, object, Parts]] = [((), definition, parts)]
    while level:
        inner: list[tuple[Path, object, Parts]] = []
        for path, value, known in level:
            if isinstance(value, list):
                inner.extend((path, item, known) for item in value)
            elif isinstance(value, dict):
                members = [((*path, name), item, known.get(name, FREE)) for name, item in value.items()]
                yield from (place for place, _, _ in members if path and place[-1] not in known)
                inner.extend((place, item, within) for place, item, within in members if within is not FREE)
        level = inner


def _restricting(unknown: Sequence[Path], beside: Any) -> Iterator[Path]:
    """The members that are not known and may not be ignored. What may be ignored stands beside the definition, or is
    listed there as harmless and has no name that this release knows at another place."""
    entries = beside.get(HARMLESS, []) if unknown else []
    is_list = isinstance(entries, list) and all(isinstance(entry, str) for entry in entries)
    ends = {tuple(entry.split(".")) for entry in entries} if is_list else set()
    for path in unknown:
        is_listed = any(path[start:] in ends for start in range(len(path)))
        is_harmless = is_listed and _folded(path[-1]) not in _known_names()
        if not is_harmless and path not in (_BESIDE if is_list else {(SEED,)}):
            yield path


@cache
def _known_names() -> frozenset[str]:
    """The names of all members of agents and sources at any depth, folded."""
    schemas = [kind.adapter().json_schema() for kind in (AGENTS, SOURCES)]
    shapes = [shape for schema in schemas for shape in (schema, *schema.get("$defs", {}).values())]
    members = [name for shape in shapes for name in shape.get("properties", {})]
    return frozenset(_folded(name) for name in (*members, *_names(AGENTS.parts), *_names(SOURCES.parts)))


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name))).casefold()


def _names(parts: Parts) -> Iterator[str]:
    for name, within in parts.items():
        yield name
        yield from _names(within or {})


def _dotted(paths: Iterable[Path]) -> tuple[str, ...]:
    """The first of the paths, each once."""
    return tuple(dict.fromkeys(".".join(path) for path in islice(paths, MOST_MEMBERS)))


def _bound(agent: Agent) -> tuple[str, ...]:
    return ("targets.bound",) if any(target.bound is not None for target in agent.targets) else ()


def _can_be_asked(agent: Agent) -> bool:
    """Whether an agent has targets, and all its numbers are finite.

    The JSON reader accepts Infinity and NaN, but an answer in JSON cannot contain them.
    """
    numbers = (agent.max_runtime, *(target.reranker_threshold for target in agent.targets))
    return bool(agent.targets) and all(math.isfinite(number) for number in numbers if number is not None)


def _can_be_searched(source: Source) -> bool:
    return source.kind in KINDS and bool(source.index) and math.isfinite(source.reranker_threshold or 0)


AGENTS: Final[Kind[Agent]] = Kind(
    name="agent",
    adapter=cache(lambda: TypeAdapter(Agent)),
    hidden={"model": {"api_key"}, "targets": {"__all__": {"bound"}}},
    notes={"targets": {"__all__": {"bound", "filtered"}}},
    usable=_can_be_asked,
    harmless=("ground_everything",),
    unstored=_bound,
    parts={"cors": _CORS},
)
SOURCES: Final[Kind[Source]] = Kind(
    name="source",
    adapter=cache(lambda: TypeAdapter(Source)),
    hidden={},
    notes={},
    usable=_can_be_searched,
    parts={"query_hints": _HINTS, "cors": _CORS, "ingestion": _INGESTED},
)
