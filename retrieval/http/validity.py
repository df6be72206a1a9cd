"""Checks that a definition may be stored. Its indexes and sources must exist, its model and server must be allowed, and
it must not conflict with other definitions. Also replaces the indexes in a stored agent with the current indexes of its
sources.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import BadRequest, NoSuchSource, UnreadableDefinitions
from retrieval.http.service import Service
from retrieval.model.definitions import Agent, Source, Stored, Target, is_name, readable_values
from retrieval.sources.room import named

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions


async def current_agent(service: Service, contract: "AzureDefinitions[Agent]", stored: Stored[Agent]) -> Stored[Agent]:
    """The agent. If the API version names indexes, each target has the current index of its source."""
    if not contract.kind.names_indexes:
        return stored
    agent = stored.value
    targets = [replace(target, index=await _index(service, target) or target.index) for target in agent.targets]
    return replace(stored, value=replace(agent, targets=tuple(targets)))


async def valid_agent(service: Service, contract: "AzureDefinitions[Agent]", agent: Agent) -> Agent:
    """The agent in the form that is stored. Raises BadRequest if it may not be stored."""
    if agent.model is not None:
        service.models.allowed.check(agent.model)
    if contract.kind.names_indexes:
        await _check_indexes(service, agent)
    places = enumerate(agent.targets)
    return replace(agent, targets=tuple([await _with_source(service, target, place) for place, target in places]))


async def _check_indexes(service: Service, agent: Agent) -> None:
    """Raises BadRequest for a missing index, for several indexes of the search service, and for an index with the name
    of a source of another index."""
    indexes = {target.index for target in agent.targets}.difference(named(service.indexes.rooms))
    if len(indexes) > 1:
        raise BadRequest(f"One search index is supported; {len(indexes)} are named.", target="targetIndexes")
    for place, target in enumerate(agent.targets):
        place_in_body = f"targetIndexes[{place}].indexName"
        await _check_index(service, target.index, "agent", target=place_in_body)
        source = None if target.source is not None else await _stored_source(service, target.index)
        if source is not None and source.index != target.index:
            reason = f"The name {target.index!r} is that of a knowledge source over the index {source.index!r}."
            raise BadRequest(reason, target=place_in_body)


async def _with_source(service: Service, target: Target, place: int) -> Target:
    """The target with its source, if it needs a stored source. Raises NoSuchSource if the source does not exist. If the
    target has no index, the index of the source is added. If the source's name is not valid for a definition, it is an
    index name, and the target is stored without a source.
    """
    if not target.needs_source:
        return target
    source = await _stored_source(service, target.source_name)
    if source is None:
        place_in_body = (
            f"targetIndexes[{place}].indexName" if target.source is None else f"knowledgeSources[{place}].name"
        )
        raise NoSuchSource(target.source_name, target=place_in_body)
    source_name = target.source if is_name(target.source_name) else None
    return replace(target, index=target.index or source.index, source=source_name)


async def _index(service: Service, target: Target) -> str | None:
    """The index of a target, or the current index of its source; None if the source does not exist."""
    if target.source is None:
        return target.index
    source = await _stored_source(service, target.source)
    return None if source is None else source.index


async def _stored_source(service: Service, name: str) -> Source | None:
    try:
        stored = await service.agents.sources.get(name)
    except UnreadableDefinitions:
        return None
    return None if stored is None else stored.value


async def current_source(
    service: Service, contract: "AzureDefinitions[Source]", stored: Stored[Source]
) -> Stored[Source]:
    """The stored source, unchanged."""
    return stored


async def valid_source(service: Service, contract: "AzureDefinitions[Source]", source: Source) -> Source:
    """The source, unchanged. Raises BadRequest if it may not be stored."""
    rooms = service.indexes.rooms
    if source.kind in rooms:
        rooms[source.kind].check(source)
    elif (other := named(rooms).get(source.index)) is not None:
        raise BadRequest(other.names[source.index], target="searchIndexParameters.searchIndexName")
    elif source.kind == "searchIndex":
        place_in_body = "searchIndexParameters.searchIndexName"
        await _check_index(service, source.index, "knowledge source", target=place_in_body)
    else:
        await _check_ingested(service, source)
    await _check_users(service, source)
    return source


async def _check_ingested(service: Service, source: Source) -> None:
    """Raises BadRequest if Azure's ingestion has not created the index of the source."""
    if await service.indexes.names.exists(source.index) is False:
        reason = (
            f"There is no index {source.index!r} in the search service, whose ingestion makes it: send this definition "
            f"there first (PUT knowledgesources('{source.name}') at its own address), and then here."
        )
        raise BadRequest(reason, target=f"{source.kind}Parameters.createdResources.index")


async def _check_users(service: Service, source: Source) -> None:
    """Raises BadRequest if an agent uses the name of the source as the name of another index."""
    if source.index == source.name:
        return
    agents, index = readable_values(await service.agents.store.list()), (source.name, None)
    users = [agent.name for agent in agents if index in [(target.index, target.source) for target in agent.targets]]
    if users:
        reason = f"{source.name!r} is the knowledge source of the index of that name, which {users[0]!r} searches."
        raise BadRequest(f"{reason} Give a source of another index another name.", target="name")


async def _check_index(service: Service, index: str, kind: str, *, target: str) -> None:
    if await service.indexes.names.exists(index) is False:
        reason = f"There is no index {index!r} in the search service. Create it first, then the {kind}."
        raise BadRequest(reason, target=target)
