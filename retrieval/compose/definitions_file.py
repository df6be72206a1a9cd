"""Reads and writes files of definitions. The setting AGENTS_FILE names such a file, and `python -m retrieval.doctor
export` writes one.

Agents have the form of the API version 2025-05-01-preview. Knowledge bases and knowledge sources have the form of the
API version 2026-08-01-preview. A definition that these versions cannot express completely is under `storedAgents` or
`storedSources`, in the form of the store.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pydantic_core import from_json, to_json

from retrieval.contracts.served_versions import definition_contract
from retrieval.definitions.bound_sources import with_filter_notes
from retrieval.definitions.stored_json import AGENTS, HARMLESS, SOURCES, Kind
from retrieval.errors import with_members
from retrieval.model.definitions import Agent, Source, Stored, Unreadable
from retrieval.text import strict_json

VERSIONS: Final = {
    "knowledgeSources": "2026-08-01-preview",
    "knowledgeBases": "2026-08-01-preview",
    "agents": "2025-05-01-preview",
}
"""The API version of the definitions in a part of a file."""

PARTS: Final = (*VERSIONS, "storedSources", "storedAgents")

Value = TypeVar("Value", Agent, Source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """The definitions of a file or of a store."""

    agents: tuple[Agent, ...] = ()
    sources: tuple[Source, ...] = ()


def parse(text: bytes) -> Any:
    """The content of a file. Raises ValueError, also for a name that an object gives more than once."""
    content = from_json(text)
    with_all = strict_json.with_repeated(text)
    parts = with_all if isinstance(with_all, dict) else {"agents": with_all}
    for part, bodies in parts.items():
        if isinstance(bodies, strict_json.Repeated):
            raise ValueError(f"{part!r} is given more than once")
        for body in bodies if isinstance(bodies, list) else ():
            if (path := strict_json.repeated_path(body)) is not None:
                name = body.get("name") if isinstance(body, dict) else None
                raise ValueError(f"{name!r} of {part} gives {'.'.join(path)!r} more than once")
    return content


def read(content: Any) -> Defined:
    """The definitions in an array of agents, or in an object with members from PARTS. Raises ValueError."""
    parts: Mapping[str, Any] = content if isinstance(content, dict) else {"agents": content}
    if unknown := sorted(set(parts).difference(PARTS)):
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(PARTS)}")
    of_parts = {part: _contract(part).read_all(parts.get(part, [])) for part in VERSIONS}
    sources = (*of_parts["knowledgeSources"], *_as_stored(parts.get("storedSources", []), SOURCES))
    agents = (*of_parts["agents"], *_as_stored(parts.get("storedAgents", []), AGENTS))
    indexes = {target.index: target.index for agent in agents for target in agent.targets}
    indexes |= {source.name: source.index for source in sources}
    sources_by_name = {source.name: source for source in sources}
    agents_with_notes = (with_filter_notes(agent, sources_by_name) for agent in agents)
    with_sources = (_with_sources(base, indexes, sources_by_name) for base in of_parts["knowledgeBases"])
    return Defined(agents=(*agents_with_notes, *with_sources), sources=sources)


def write(defined: Defined) -> Mapping[str, Sequence[Any]]:
    """The content of a file with these definitions. From this content, `read` makes the same definitions without API
    keys."""
    sources = {source.name: source for source in defined.sources}
    parts: dict[str, list[Any]] = {name: [] for name in PARTS}
    for source in defined.sources:
        part, body = _written(source, ["knowledgeSources"], {}) or ("storedSources", _stored_body(source, SOURCES))
        parts[part].append(body)
    for agent in defined.agents:
        names = dict.fromkeys(target.source_name for target in agent.targets)
        beside = {"storedSources": [_stored_body(sources[name], SOURCES) for name in names if name in sources]}
        written = _written(agent, ["agents", "knowledgeBases"], beside)
        part, body = written or ("storedAgents", _stored_body(agent, AGENTS))
        parts[part].append(body)
    return {part: bodies for part, bodies in parts.items() if bodies}


def plain(value: Agent | Source) -> Agent | Source:
    """A definition without the model's API key and without bound sources. Definitions are compared in this form."""
    if isinstance(value, Source):
        return value
    targets = tuple(replace(target, bound=None) for target in value.targets)
    model = None if value.model is None else replace(value.model, api_key=None)
    return replace(value, targets=targets, model=model)


def _contract(part: str) -> Any:
    return definition_contract(part.lower(), VERSIONS[part])


def _written(value: Agent | Source, parts: Iterable[str], beside: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The first of these parts whose API version can express the definition completely, and the definition in its form;
    None if there is none. `beside` has the sources of the definition."""
    for part in parts:
        body = _body(_contract(part), value)
        if _reads_as(value, {**beside, part: [body]}):
            return part, body
    return None


def _body(contract: Any, value: Agent | Source) -> Any:
    """The definition in the form of an API version, without etags and without members that are not set."""
    members = from_json(contract.render(Stored(value=value, etag="-"), status=200, has_key=lambda model: False).content)
    return {name: member for name, member in members.items() if member is not None and not name.startswith("@")}


def _reads_as(value: Agent | Source, content: Any) -> bool:
    try:
        defined = read(content)
    except ValueError:
        return False
    if isinstance(value, Source):
        return defined.sources == (value,)
    return tuple(map(plain, defined.agents)) == (plain(value),)


def _stored_body(value: Value, kind: Kind[Value]) -> Any:
    members = from_json(kind.write(Stored(value=value, etag="-")))
    return {name: member for name, member in members.items() if name != HARMLESS}


def _as_stored(bodies: Any, kind: Kind[Value]) -> tuple[Value, ...]:
    """Raises ValueError."""
    if not isinstance(bodies, list):
        raise ValueError(f"the {kind.name}s of the store are not an array")
    return tuple(_value_as_stored(body, kind) for body in bodies)


def _value_as_stored(body: Any, kind: Kind[Value]) -> Value:
    name = str(body.get("name")) if isinstance(body, dict) else ""
    if isinstance(body, dict) and HARMLESS in body:
        raise ValueError(f"{name!r} has {HARMLESS!r}, which only a store may have: a file is read whole or not at all")
    kept = kind.read(to_json(body).decode(), name=name, etag="-")
    if isinstance(kept, Unreadable) and kept.members:
        raise ValueError(f"the {kind.name} {with_members(name, kept.members)} is not read without these members")
    if not isinstance(kept, Stored):
        raise ValueError(f"{name!r} is no {kind.name} as the store keeps it")
    return kept.value


def _with_sources(base: Agent, indexes: Mapping[str, str], sources: Mapping[str, Source]) -> Agent:
    """The knowledge base with the indexes of its sources. Each source name in the base must be the name of a source in
    the file, or else the name of an index that an agent searches.

    Raises ValueError for a name that is neither.
    """
    names_without_source = [target.source_name for target in base.targets if target.source_name not in indexes]
    if names_without_source:
        raise ValueError(
            f"the knowledge base {base.name!r} names the knowledge source {names_without_source[0]!r}, "
            "which is not there"
        )
    targets = (
        replace(
            target, index=indexes[target.source_name], source=target.source if target.source_name in sources else None
        )
        for target in base.targets
    )
    return with_filter_notes(replace(base, targets=tuple(targets)), sources)
