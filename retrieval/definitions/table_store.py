"""Stores definitions in a table of Azure Table storage.

Each definition is an entity. One column contains the whole definition, and another column contains its etag. Each kind
of definition has its own partition.

This service makes the etag that callers see. The table has its own etag for each entity. If a write reads the entity
first, it succeeds only if the table's etag has not changed since this read.
https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeAlias, TypeVar
from urllib.parse import urlsplit

from azure.core import MatchConditions
from azure.core.credentials import AzureNamedKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError
from azure.data.tables import UpdateMode
from azure.data.tables.aio import TableClient

from retrieval import threads
from retrieval.definitions.stored_json import SERVICE, Kind, etag_of, extent, fresh, readable
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendRefused,
    BackendThrottled,
    BackendUnanswered,
    BackendUnavailable,
    PreconditionFailed,
)
from retrieval.model.definitions import Defined, Kept, Stored, Unreadable, WriteResult
from retrieval.model.precondition import UNCONDITIONAL, Precondition
from retrieval.outgoing.bodies import UNREAD, UNREADABLE
from retrieval.outgoing.connections import network
from retrieval.outgoing.over_aiohttp import unanswered
from retrieval.version import USER_AGENT

TABLE: Final = "agents"
ETAG: Final = "Etag"
COLUMNS: Final = ("PartitionKey", "RowKey", "Timestamp", ETAG)
MOST_TRIES: Final = 10
NOTHING: Final = "nothing"
"""The name of a partition and a row that do not exist."""
AZURITE_KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
READ_SECONDS: Final = 10

Credential: TypeAlias = AzureNamedKeyCredential | AsyncTokenCredential
Result = TypeVar("Result")


def development_key(endpoint: str) -> AzureNamedKeyCredential:
    """The credential of Azurite, the storage emulator. The key of its development account is documented and not
    secret."""
    account = urlsplit(endpoint).path.strip("/")
    return AzureNamedKeyCredential(account, AZURITE_KEY)


@dataclass(frozen=True, slots=True)
class Entity:
    """The columns of an entity that are read. `version` is the table's own etag."""

    values: Mapping[str, Any]
    version: str = ""

    @property
    def etag(self) -> str:
        return etag_of(str(self.values.get(ETAG, "")))

    def definition(self, kind: Kind[Defined], column: str) -> Kept[Defined]:
        """The definition in the entity. Unreadable if the entity does not contain a valid definition, or has another
        column."""
        name = str(self.values.get("RowKey", ""))
        if others := set(self.values).difference(COLUMNS, {column}):
            return Unreadable(name=name, etag=self.etag, members=tuple(sorted(others)))
        return kind.read(str(self.values.get(column, "")), name=name, etag=self.etag)


class TableStore(Generic[Defined]):
    """`endpoint` is the endpoint of the storage account: https://<account>.table.core.windows.net. A write of a new
    definition creates the table if it is missing."""

    def __init__(self, endpoint: str, credential: Credential, kind: Kind[Defined], *, table: str = TABLE) -> None:
        self._endpoint = endpoint
        self._kind = kind
        self._partition, self._column = f"{kind.name}s", kind.name.title()
        self._table = table
        self._credential = credential

    async def get(self, name: str, *, copy: Stored[Defined] | None = None) -> Stored[Defined] | None:
        """The definition of that name, or None. If the caller passes a `copy` that is still current, only the etag is
        read."""
        if copy is not None:
            current = await self._entity(name, select=ETAG)
            if current is None or current.etag == copy.etag:
                return None if current is None else copy
        entity = await self._entity(name)
        return None if entity is None else readable((await self._read([entity]))[0], self._kind)

    async def list(self) -> tuple[Kept[Defined], ...]:
        """All definitions, by name."""

        async def pages() -> Sequence[Kept[Defined]]:
            entities = self._entities.query_entities(
                "PartitionKey eq @partition", parameters={"partition": self._partition}
            )
            return await self._read([Entity(values) async for values in entities])

        return tuple(sorted(await self._ask(pages) or (), key=lambda entry: entry.name))

    async def put(self, value: Defined, *, when: Precondition, seed: str | None = None) -> WriteResult[Defined]:
        """Store a definition. Raises PreconditionFailed, BackendError."""
        stored = fresh(value, seed)
        entity = {
            "PartitionKey": self._partition,
            "RowKey": value.name,
            ETAG: stored.etag,
            self._column: self._kind.write(stored),
        }
        for _ in range(MOST_TRIES):
            is_new = await self._put(entity, value.name, when)
            if is_new is not None:
                return WriteResult(stored=stored, created=is_new)
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was written.")

    async def delete(self, name: str, *, when: Precondition) -> bool:
        """Delete a definition, and return whether it existed. Raises PreconditionFailed, BackendError."""
        for _ in range(MOST_TRIES):
            entity = await self._check(name, when)
            if entity is None:
                return False
            if await self._remove(name, entity.version):
                return True
        raise BackendUnavailable(SERVICE, f"changed {MOST_TRIES} times while a definition was deleted.")

    async def writable(self) -> None:
        """Check that this service may write, by deleting an entity that does not exist. Raises BackendError."""
        await self._write(lambda: self._entities.delete_entity(NOTHING, NOTHING), unless={404})

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if "_entities" in self.__dict__:
            await self._entities.close()

    @cached_property
    def _entities(self) -> TableClient:
        return TableClient(
            self._endpoint,
            self._table,
            credential=self._credential,
            retry_total=2,
            retry_backoff_factor=0.2,
            permit_redirects=False,
            user_agent=USER_AGENT,
            transport=network(read_seconds=READ_SECONDS),
        )

    async def _read(self, entities: Sequence[Entity]) -> Sequence[Kept[Defined]]:
        """The definitions in the entities. Many or large ones are read in a thread."""
        size = sum(extent(str(entity.values.get(self._column, ""))) for entity in entities)
        return await threads.work(size, lambda: [entity.definition(self._kind, self._column) for entity in entities])

    async def _put(self, entity: Mapping[str, Any], name: str, when: Precondition) -> bool | None:
        """Whether the entity was created; None if somebody else wrote the entity in the meantime.

        A write that depends on no etag does not read first. So any number of concurrent writers can succeed, unless
        they may only create.
        """
        if when == UNCONDITIONAL or when.something_stored:
            if await self._replace(entity):
                return False
            if when.something_stored:
                raise PreconditionFailed(name)
        elif not when.nothing_stored:
            current = await self._check(name, when)
            if current is not None:
                return False if await self._replace(entity, version=current.version) else None
        if await self._create(entity):
            return True
        if when.nothing_stored:
            raise PreconditionFailed(name)
        return None

    async def _create(self, entity: Mapping[str, Any]) -> bool:
        """Create the entity, and the table if it is missing. False if the entity already exists."""
        status = await self._write(lambda: self._entities.create_entity(entity), unless={404, 409})
        if status == 404:
            await self._write(self._entities.create_table, unless={409})
            status = await self._write(lambda: self._entities.create_entity(entity), unless={409})
        return status is None

    async def _replace(self, entity: Mapping[str, Any], *, version: str | None = None) -> bool:
        """Replace the entity; False if the entity does not exist or has another version."""
        condition = MatchConditions.Unconditionally if version is None else MatchConditions.IfNotModified
        replace = partial(self._entities.update_entity, entity, UpdateMode.REPLACE, etag=version)
        return await self._write(partial(replace, match_condition=condition), unless={404, 412}) is None

    async def _remove(self, name: str, version: str) -> bool:
        """Remove the entity; False if the entity does not exist or has another version. The SDK raises no error for a
        404, so the status is read from the response."""
        statuses: list[int] = []
        remove = partial(
            self._entities.delete_entity,
            self._partition,
            name,
            etag=version,
            match_condition=MatchConditions.IfNotModified,
            raw_response_hook=lambda answer: statuses.append(answer.http_response.status_code),
        )
        return await self._write(remove, unless={412}) is None and 404 not in statuses

    async def _check(self, name: str, when: Precondition) -> Entity | None:
        entity = await self._entity(name, select=ETAG)
        when.check(name, None if entity is None else entity.etag)
        return entity

    async def _entity(self, name: str, *, select: str | None = None) -> Entity | None:
        async def read() -> Entity | None:
            values = await self._entities.get_entity(self._partition, name, select=select)
            return Entity(values, version=str(values.metadata["etag"]))

        return await self._ask(read)

    async def _ask(self, ask: Callable[[], Awaitable[Result]]) -> Result | None:
        """The answer, or None if the entity or the whole table does not exist. This service chooses which entities it
        reads, so a refusal is not the caller's fault."""
        try:
            return await ask()
        except (AzureError, *UNREAD) as error:
            if _status(error) == 404:
                return None
            ours = _ours(error)
            if isinstance(ours, BackendRefused):
                ours = BackendUnavailable(SERVICE, f"failed ({ours.status}).", status=ours.status)
            raise ours from None

    async def _write(self, write: Callable[[], Awaitable[object]], *, unless: AbstractSet[int]) -> int | None:
        """The status, if the service refused the write with a status in `unless`; None if the write succeeded. Raises
        BackendError for any other failure."""
        try:
            await write()
        except (AzureError, *UNREAD) as error:
            status = _status(error)
            if status in unless:
                return status
            raise _ours(error) from None
        return None


def _status(error: Exception) -> int | None:
    return error.status_code if isinstance(error, HttpResponseError) else None


def _ours(error: Exception) -> BackendError:
    status = _status(error)
    if not isinstance(error, AzureError):
        return BackendUnanswered(SERVICE, UNREADABLE, why="unreadable")
    if isinstance(error, ClientAuthenticationError) or status in {401, 403}:
        network = isinstance(error, HttpResponseError) and getattr(error, "error_code", None) == "AuthorizationFailure"
        hint = "It needs the role Storage Table Data Contributor" + (
            ", or network rules let it in." if network else "."
        )
        return BackendForbidden(SERVICE, status=status or 401, hint=hint)
    if status is None:
        return unanswered(SERVICE, error)
    if status == 429:
        return BackendThrottled(SERVICE)
    if status == 400:
        return BackendRefused(SERVICE, status=status, message="the table service says so")
    return BackendUnavailable(SERVICE, f"failed ({status}).", status=status)
