"""Documents: what an indexing action may carry, checked against the index before any engine sees it."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NoReturn

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import COMPLEX, IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition
from retrieval.local.search_service.engine import vectors
from retrieval.local.search_service.errors import InvalidArgument

MAX_KEY = 1024
"""Characters of a document key: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""


MAX_KEYWORD_BYTES = 32_766
"""UTF-8 bytes of one term that is not cut into words, as in Lucene."""


MAX_COMPLEX_OBJECTS = 3000
"""Elements of all the complex collections of one document."""


_KEY = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]*")


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:[Zz]|[+-]\d\d:\d\d)")


_NOT_FINITE = ("NaN", "INF", "-INF")


def checked_key(fields: Document, definition: IndexDefinition, *, unsafe: bool = False) -> str:
    """The document's key. With `unsafe` it may hold any character. Raises InvalidArgument when it is missing or holds
    what a key must not."""
    key = fields.get(definition.key)
    if not isinstance(key, str) or not key:
        raise InvalidArgument(f"The document has no key: the field {definition.key!r} must be a non-empty string.")
    if len(key) > MAX_KEY:
        raise InvalidArgument(f"Invalid document key: {key[:80]!r}. Keys have at most {MAX_KEY} characters.")
    if not unsafe and not _KEY.fullmatch(key):
        raise InvalidArgument(
            f"Invalid document key: {key[:80]!r}. Keys hold letters, digits, underscore, dash and equal sign only, and "
            "do not begin with an underscore, unless the request has allowUnsafeKeys=true."
        )
    return key


def checked_fields(fields: Document, definition: IndexDefinition) -> Document:
    """The same values with every type checked. Raises InvalidArgument naming the first field that is wrong."""
    for name, value in fields.items():
        field = definition.fields.get(name)
        if field is None:
            raise InvalidArgument(
                f"The property {name[:128]!r} does not exist on the index {definition.name!r} or is not a field of it."
            )
        if value is not None:
            _check(value, field)
    if sum(_complex_objects(fields, definition.fields)) > MAX_COMPLEX_OBJECTS:
        raise InvalidArgument(f"A document has at most {MAX_COMPLEX_OBJECTS} objects in its complex collections.")
    return fields


def completed(fields: Document, definition: IndexDefinition) -> Document:
    """Every field of the index, in its order: a missing scalar is None, a missing collection is empty."""
    return {name: _completed(fields.get(name), field) for name, field in definition.fields.items()}


def merged(existing: Document, changes: Document, definition: IndexDefinition) -> Document:
    """What a merge makes of a document: a complex field keeps the sub-fields that are not named, a collection does not.

    A vector that is not stored is gone unless the merge brings it.
    https://learn.microsoft.com/azure/search/search-howto-complex-data-types#data-updates
    """
    kept = {name: value for name, value in existing.items() if definition.fields[name].stored}
    return _merged(kept, changes, definition.fields)


def _merged(existing: Document, changes: Document, fields: Mapping[str, IndexField]) -> Document:
    result = {**existing, **changes}
    for name, change in changes.items():
        field, before = fields[name], existing.get(name)
        if field.type == COMPLEX and isinstance(before, dict) and isinstance(change, dict):
            result[name] = _merged(before, change, field.fields)
    return result


def _completed(value: Any, field: IndexField) -> Any:
    if value is None:
        return [] if field.collection else None
    if field.type == "Edm.Double":
        return [_double(one) for one in value] if field.collection else _double(value)
    if field.type != COMPLEX:
        return value
    if field.collection:
        return [_completed_object(one, field) for one in value]
    return _completed_object(value, field)


def _completed_object(value: Document, field: IndexField) -> Document:
    return {name: _completed(value.get(name), sub) for name, sub in field.fields.items()}


def _double(value: Any) -> Any:
    """A whole number that a double cannot hold becomes the nearest one that it can."""
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value


def _complex_objects(row: Document, fields: Mapping[str, IndexField]) -> Iterator[int]:
    for name, field in fields.items():
        if field.type != COMPLEX or (value := row.get(name)) is None:
            continue
        if field.collection:
            yield len(value)
        for one in value if field.collection else [value]:
            yield from _complex_objects(one, field.fields)


def _check(value: object, field: IndexField) -> None:
    if field.dimensions is not None:
        vectors.check(value, field)
        return
    if field.type == COMPLEX:
        _check_complex(value, field)
        return
    is_valid = _CHECKS[field.type]
    values = value if field.collection else [value]
    if not isinstance(values, list) or not all(map(is_valid, values)):
        _refuse(field)
    if field.filterable or field.sortable or field.facetable:
        _check_length(value, field)


def _check_complex(value: object, field: IndexField) -> None:
    values = value if field.collection else [value]
    if not isinstance(values, list):
        _refuse(field)
    for one in values:
        if not isinstance(one, dict):
            _refuse(field)
        for name, part in one.items():
            sub = field.fields.get(name)
            if sub is None:
                raise InvalidArgument(f"The property {name[:128]!r} is not a sub-field of {field.name!r}.")
            if part is not None:
                _check(part, sub)


def _refuse(field: IndexField) -> NoReturn:
    kind = f"Collection({field.type})" if field.collection else field.type
    raise InvalidArgument(f"The value of the field {field.name!r} is not of its type {kind}.")


def _check_length(value: object, field: IndexField) -> None:
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(text, str) and len(text) * 4 > MAX_KEYWORD_BYTES < len(text.encode()) for text in texts):
        raise InvalidArgument(
            f"The value of the field {field.name!r} is longer than {MAX_KEYWORD_BYTES} bytes, "
            "which a filterable, sortable or facetable field cannot hold."
        )


def _is_integer(bits: int) -> Callable[[object], bool]:
    limit = 2 ** (bits - 1)
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


def _is_double(value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**1023
    return math.isfinite(value) if isinstance(value, float) else value in _NOT_FINITE


def _is_moment(value: object) -> bool:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value.upper()))
    except ValueError:
        return False
    return True


def _is_point(value: object) -> bool:
    if (
        not isinstance(value, dict)
        or value.get("type") != "Point"
        or not value.keys() <= {"type", "coordinates", "crs"}
    ):
        return False
    place = value.get("coordinates")
    if not isinstance(place, list) or len(place) != 2 or not all(_is_double(part) for part in place):
        return False
    return all(not isinstance(part, str) and abs(part) <= limit for part, limit in zip(place, (180, 90), strict=True))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _is_encodable(value)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_CHECKS: Final[dict[str, Callable[[object], bool]]] = {
    "Edm.String": _is_text,
    "Edm.Int32": _is_integer(32),
    "Edm.Int64": _is_integer(64),
    "Edm.Double": _is_double,
    "Edm.Boolean": lambda value: isinstance(value, bool),
    "Edm.DateTimeOffset": _is_moment,
    "Edm.GeographyPoint": _is_point,
}
