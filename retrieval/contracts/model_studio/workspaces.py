"""The indexes that are published under a workspace and an id of Model Studio, and the settings of this contract."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from retrieval.errors import NotConfigured, Problem
from retrieval.filters.schema import PLAIN_TYPES, FieldMap, MappedField, Schema
from retrieval.filters.tree import Path
from retrieval.settings.environment import Reader, by_member, setting
from retrieval.settings.settings import RoomSettings

if TYPE_CHECKING:
    from retrieval.contracts.model_studio.signatures import Signatures
    from retrieval.http.rooms import LocalSearch, Materials
    from retrieval.settings.settings import Settings

LOCAL_ACCESS_KEY: Final = "local-ak"
LOCAL_SECRET: Final = "local-secret"
LOCAL_WORKSPACE: Final = "llm-local"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedIndex:
    """An index of an agent. Calls in the format of Model Studio name it by a workspace and an id. `fields` are the
    fields that filters of these calls may name.
    """

    workspace: str
    id: str
    agent: str
    index: str
    fields: FieldMap = field(default_factory=dict)


def _workspaces(reader: Reader, name: str) -> Mapping[tuple[str, str], PublishedIndex]:
    """A JSON object: for each workspace id, an object. For each index id of Model Studio it has the agent and the name
    of the search index."""

    def indexes(workspace: str, value: object) -> tuple[PublishedIndex, ...]:
        from retrieval.contracts.model_studio.published_shape import entries

        return tuple(
            PublishedIndex(workspace=workspace, id=id, agent=entry.agent, index=entry.index, fields=entry.field_map())
            for id, entry in entries(workspace, value).items()
        )

    workspaces = reader.by_member(name, indexes)
    return {(index.workspace, index.id): index for indexes in workspaces.values() for index in indexes}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSettings(RoomSettings):
    """The settings of this contract."""

    workspaces: Mapping[tuple[str, str], PublishedIndex] = setting(_workspaces)
    access_keys: Mapping[str, str] = setting(by_member("TEXT"), hidden=True, protects=True)

    @property
    def secrets(self) -> Collection[str]:
        return self.access_keys.values()


def signing_keys(settings: "Settings") -> Mapping[str, str]:
    """The secrets of the access keys that may sign calls, by key id. With LOCAL=1, this is a built-in key if there are
    no access keys, and no credentials besides the built-in ones."""
    built_in = settings.local and not settings.has_credentials_beside_built_in
    return settings.of(WorkspaceSettings).access_keys or ({LOCAL_ACCESS_KEY: LOCAL_SECRET} if built_in else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """The published indexes by workspace and id. `signatures` checks the signatures of their callers."""

    published: Mapping[tuple[str, str], PublishedIndex]
    signatures: "Signatures"


def compose(materials: "Materials") -> Workspaces:
    """The part of the service. Raises NotConfigured."""
    from retrieval.contracts.model_studio.signatures import Signatures

    settings = materials.settings
    signatures = Signatures(secrets=signing_keys(settings), hosts=settings.public_hosts)
    return Workspaces(published=_published(materials), signatures=signatures)


def _published(materials: "Materials") -> Mapping[tuple[str, str], PublishedIndex]:
    """Raises NotConfigured if the agent of a published index does not exist, or does not have this Azure index."""
    local = materials.local_search()
    of_local = {} if local is None else {(index.workspace, index.id): index for index in _locally_published(local)}
    published = {**of_local, **materials.settings.of(WorkspaceSettings).workspaces}
    indexes = {agent.name: {target.index for target in agent.targets} for agent in materials.agents}
    problems = [
        Problem(
            "WORKSPACES",
            f"WORKSPACES: {index.workspace!r}: index {index.id!r}: "
            f"the agent {index.agent!r} has no Azure index {index.index!r}.",
        )
        for index in published.values()
        if index.index not in indexes.get(index.agent, ()) or index.index in materials.other_sources
    ]
    if problems:
        raise NotConfigured(problems)
    return published


def _locally_published(local: "LocalSearch") -> Iterator[PublishedIndex]:
    """Publishes the index of every local agent under the agent's name. Filters may use the filterable fields that
    SearchFilters support."""
    for agent in local.agents:
        for target in agent.targets:
            fields = _field_map(local.schema(target.index))
            yield PublishedIndex(
                workspace=LOCAL_WORKSPACE, id=agent.name, agent=agent.name, index=target.index, fields=fields
            )


def _field_map(schema: Schema) -> dict[str, MappedField]:
    """The field map of an index. It has every filterable top-level field of a plain type, unless the name begins with
    an underscore."""
    return {
        name: MappedField(path=Path((name,)), type=field.type, collection=field.collection)
        for name, field in schema.items()
        if field.filterable and field.type in PLAIN_TYPES and not name.startswith("_")
    }
