"""A batch of indexing actions: checked as a whole, then carried out item by item."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine.documents import checked_fields, checked_key, merged
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.errors import InvalidArgument

MAX_BATCH = 1000

_ACTIONS = ("upload", "merge", "mergeOrUpload", "delete")
_ACTION = "@search.action"
_OF_AN_ANSWER = ("@search.", "@odata.")
"""What begins so is no field: a document that a search returned is written back with its score and its captions."""


@dataclass(frozen=True, slots=True)
class Change:
    """One indexing action. `refusal` is set when its key alone is wrong: that fails this item, not the batch."""

    action: str
    key: str
    fields: Document
    refusal: str | None = None


def read_batch(body: dict[str, Any], definition: IndexDefinition, *, unsafe: bool = False) -> list[Change]:
    """With `unsafe`, keys may hold any character.

    Raises InvalidArgument for anything that fails the whole batch: then nothing of it is carried out.
    """
    items = body.get("value")
    if not isinstance(items, list) or not items or body.keys() != {"value"}:
        raise InvalidArgument('The body of an indexing request is {"value": [...]} with one action or more.')
    if len(items) > MAX_BATCH:
        raise InvalidArgument(f"A batch holds at most {MAX_BATCH} actions; this one has {len(items)}.")
    return [_change(item, definition, unsafe=unsafe) for item in items]


def _change(item: object, definition: IndexDefinition, *, unsafe: bool) -> Change:
    if not isinstance(item, dict):
        raise InvalidArgument("Every indexing action is an object.")
    fields = {name: value for name, value in item.items() if not name.startswith(_OF_AN_ANSWER)}
    action = item.get(_ACTION, "upload")
    if action not in _ACTIONS:
        raise InvalidArgument(f"{_ACTION} is one of {', '.join(_ACTIONS)}; not {str(action)[:40]!r}.")
    checked_fields(fields, definition)
    key = fields.get(definition.key)
    if not isinstance(key, str) or not key:
        raise InvalidArgument(f"An indexing action has no key: {definition.key!r} must be a non-empty string.")
    try:
        return Change(action, checked_key(fields, definition, unsafe=unsafe), fields)
    except InvalidArgument as error:
        return Change(action, key, fields, error.message)


def whole(batch: Iterable[Change], index: LocalIndex) -> Iterator[Document]:
    """The documents that a batch puts, as far as they can be told before it is carried out."""
    for change in batch:
        if change.refusal is None and change.action != "delete":
            existing = None if change.action == "upload" else index.lookup(change.key)
            with suppress(InvalidArgument):
                yield _whole(change, existing, index)


def carry_out(change: Change, index: LocalIndex) -> dict[str, object]:
    """The item's result, as the wire has it: 201 new, 200 done, 404 nothing to merge into, 400 refused."""
    if change.refusal is not None:
        return _result(change.key, 400, change.refusal)
    if change.action == "delete":
        index.remove(change.key)
        return _result(change.key, 200)
    existing = None if change.action == "upload" else index.lookup(change.key)
    if existing is None and change.action == "merge":
        return _result(change.key, 404, "Document not found.")
    try:
        is_new = index.put(change.key, _whole(change, existing, index))
    except InvalidArgument as error:
        return _result(change.key, 400, error.message)
    return _result(change.key, 201 if is_new else 200)


def _whole(change: Change, existing: Document | None, index: LocalIndex) -> Document:
    return change.fields if existing is None else merged(existing, change.fields, index.definition)


def _result(key: str, status: int, message: str | None = None) -> dict[str, object]:
    return {"key": key, "status": status < 400, "errorMessage": message, "statusCode": status}
