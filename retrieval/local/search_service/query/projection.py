"""`$select`: which parts of a document go out. Sub-fields are named by their path (`Address/City`, `Rooms/Type`)."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.errors import InvalidArgument

Shape: TypeAlias = Mapping[str, "Shape | None"]
"""The fields to give out, by name; None gives the value whole, a Shape the sub-fields of each of its objects."""


def shape(names: Sequence[str], definition: IndexDefinition) -> Shape:
    """What `$select` means; a star stands for everything retrievable. Raises InvalidArgument for what cannot go out."""
    if "*" in names:
        return _everything(definition.fields)
    wanted: dict[str, Any] = {}
    for path in dict.fromkeys(names):
        field = definition.paths.get(path)
        if field is None or not field.retrievable:
            raise InvalidArgument(f"The field {path[:128]!r} in $select is not a retrievable field of the index.")
        _add(wanted, path.split("/"), _of(field))
    return wanted


def project(document: Document, shape: Shape) -> Document:
    """The part of a completed document that `shape` names."""
    return {name: document[name] if inner is None else _part(document[name], inner) for name, inner in shape.items()}


def _part(value: Any, inner: Shape) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [project(one, inner) for one in value]
    return project(value, inner)


def _everything(fields: Mapping[str, IndexField]) -> Shape:
    return {name: _of(field) for name, field in fields.items() if field.retrievable}


def _of(field: IndexField) -> Shape | None:
    return _everything(field.fields) if field.fields else None


def _add(wanted: dict[str, Any], names: list[str], inner: Shape | None) -> None:
    """A field that is named whole stays whole, whichever of its sub-fields are named too."""
    here = wanted
    for name in names[:-1]:
        here = here.setdefault(name, {})
    last = names[-1]
    here[last] = inner if inner is None else {**here.get(last, {}), **inner}
