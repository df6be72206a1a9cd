"""The filter of a plan: the fields that a model may use, and the check that the index can evaluate the filter."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from retrieval.errors import BadFilter, BadRequest
from retrieval.filters import odata
from retrieval.filters.bind import bind
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import Boolean, Filter, IsMatch, walk
from retrieval.model.json_value import JsonValue

LONGEST_FILTER: Final = 2_000
MOST_FIELDS: Final = 60


def fields(schema: Schema | None) -> list[JsonValue]:
    """The filterable fields, at most 60. A sub-field is named by its path."""
    paths = (path for field in (schema or {}).values() for path in _filterable(field, field.name))
    return [{"field": name, "type": type} for name, type in islice(paths, MOST_FIELDS)]


def read(text: object, schema: Schema) -> tuple[Filter | None, str, str]:
    """The filter and its text if the index can evaluate it, otherwise the reason why it is not used."""
    if not isinstance(text, str):
        return None, "", "it is not text."
    if len(text) > LONGEST_FILTER:
        return None, "", f"it is longer than {LONGEST_FILTER} characters."
    try:
        filter = _check(odata.read(text.strip()), schema)
        return filter, odata.write(filter), ""
    except BadRequest as error:
        return None, "", str(error)


def _check(filter: Filter, schema: Schema) -> Filter:
    """The filter, bound to the schema. Raises BadRequest if the filter does not fit the schema, is only a constant, or
    has a full-text test."""
    if isinstance(filter, Boolean):
        raise BadFilter("it names no field")
    if any(isinstance(node, IsMatch) for node in walk(filter)):
        raise BadFilter("search.ismatch searches, and is not a filter by a field")
    return bind(filter, schema)


def _filterable(field: Field, path: str) -> Iterator[tuple[str, str]]:
    type = f"Collection({field.type})" if field.collection else field.type
    if field.type == "Edm.ComplexType":
        inner = [inner_path for sub in field.fields for inner_path in _filterable(sub, f"{path}/{sub.name}")]
        yield from [(path, type), *inner] if field.collection and inner else inner
    elif field.filterable:
        yield path, type
