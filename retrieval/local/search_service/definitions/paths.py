"""Reading a document by the path of a field: `Address/City`, `Rooms/Tags`."""

from collections.abc import Iterator
from typing import Any

from retrieval.local.search_service.definitions.document import Document


def values(document: Document, path: str) -> list[Any]:
    """Every value at `path`, in the order of the document: those of a collection one by one, null left out."""
    if "/" not in path:
        value = document.get(path)
        return value if isinstance(value, list) else [] if value is None else [value]
    found: list[Any] = [document]
    for name in path.split("/"):
        found = list(_within(found, name))
    return found


def _within(rows: list[Any], name: str) -> Iterator[Any]:
    for row in rows:
        value = row.get(name)
        if isinstance(value, list):
            yield from value
        elif value is not None:
            yield value
