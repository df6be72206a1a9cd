"""Facets: how many of the documents found have which value, or a value in which range.

https://learn.microsoft.com/azure/search/search-faceted-navigation and the parameter `facet` of the REST API. A document
counts once for each value that it has, however often it has it. Counts are exact: there is one shard.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any, Final, TypeAlias

from retrieval.filters import moment, values
from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.features import facet_intervals
from retrieval.local.search_service.features.facet_intervals import Bucket

MAX_FACETS: Final = 100
MAX_COUNT: Final = 2**31 - 1
MAX_BOUNDS: Final = 1000
DEFAULT_COUNT: Final = 10

Counted: TypeAlias = list[dict[str, Any]]

_NUMBERS = ("Edm.Int32", "Edm.Int64", "Edm.Double")
_MOMENT = "Edm.DateTimeOffset"
_SORTS = ("count", "-count", "value", "-value")
_SHIFT = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One expression. At most one of `interval` and `bounds` is given; `shift` is the time offset of an interval."""

    field: IndexField
    count: int = DEFAULT_COUNT
    sort: str = "count"
    bucket: Bucket | None = None
    bounds: tuple[float, ...] = ()


def read(expressions: Sequence[str], fields: Mapping[str, IndexField]) -> tuple[Facet, ...]:
    """`fields` are those of the index by path. Raises InvalidArgument, Unsupported for what is in preview only."""
    if len(expressions) > MAX_FACETS:
        raise InvalidArgument(f"A search has at most {MAX_FACETS} facets.")
    facets = tuple(_facet(expression, fields) for expression in expressions)
    if len({facet.field.name for facet in facets}) < len(facets):
        raise InvalidArgument("A field can have one facet only.")
    return facets


def _facet(expression: str, fields: Mapping[str, IndexField]) -> Facet:
    name, *rest = (part.strip() for part in expression.split(","))
    field = fields.get(name)
    if field is None or not field.facetable or field.type not in _READ:
        raise InvalidArgument(f"The field {name[:128]!r} in a facet is not a facetable field of the index.")
    options = _options(rest, expression)
    together = options.keys() & {"interval", "values"}
    if len(together) > 1 or (together and options.keys() & {"count", "sort"}):
        raise InvalidArgument(f"The facet {expression[:128]!r} has parameters that do not go together.")
    if "timeoffset" in options and ("interval" not in options or field.type != _MOMENT):
        raise InvalidArgument(f"The facet {expression[:128]!r} has a timeoffset without an interval of time.")
    if "interval" in options:
        return Facet(field=field, bucket=_bucket(field, options))
    if "values" in options:
        return Facet(field=field, bounds=_bounds(field, options["values"]))
    return Facet(field=field, count=_count(options.get("count")), sort=_sort(options.get("sort")))


def _options(parts: Iterable[str], expression: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        if name in ("metric", "default", "min", "hierarchy") or ">" in name:
            raise Unsupported(f"{name!r} in a facet")
        if name not in ("count", "sort", "interval", "values", "timeoffset") or not colon or name in options:
            raise InvalidArgument(f"The facet {expression[:128]!r} is not valid at {part[:64]!r}.")
        options[name] = value.strip()
    return options


def _count(text: str | None) -> int:
    if text is None:
        return DEFAULT_COUNT
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or int(text) > MAX_COUNT:
        raise InvalidArgument(f"The count of a facet is a whole number, not {text[:64]!r}.")
    return int(text)


def _sort(text: str | None) -> str:
    if text is not None and text not in _SORTS:
        raise InvalidArgument(f"A facet is sorted by {', '.join(_SORTS)}, not {text[:64]!r}.")
    return text or "count"


def _bucket(field: IndexField, options: Mapping[str, str]) -> Bucket:
    if field.type in _NUMBERS:
        return facet_intervals.numbers(options["interval"])
    if field.type == _MOMENT:
        return facet_intervals.moments(options["interval"], _shift(options.get("timeoffset")))
    raise InvalidArgument(f"The field {field.name!r} of type {field.type} can have no facet of intervals.")


def _shift(text: str | None) -> timedelta:
    if text is None:
        return timedelta()
    match = _SHIFT.fullmatch(text)
    if match is None or int(match[2]) > 14 or int(match[3]) > 59:
        raise InvalidArgument(f"The timeoffset of a facet is written +02:00, not {text[:64]!r}.")
    shift = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return -shift if match[1] == "-" else shift


def _bounds(field: IndexField, text: str) -> tuple[float, ...]:
    read = _READ.get(field.type) if field.type in (*_NUMBERS, _MOMENT) else None
    if read is None:
        raise InvalidArgument(f"The field {field.name!r} of type {field.type} can have no facet of ranges.")
    parts = text.split("|")
    if len(parts) > MAX_BOUNDS:
        raise InvalidArgument(f"A facet has at most {MAX_BOUNDS} ranges.")
    bounds = [_bound(part.strip(), field.type) for part in parts]
    if any(low >= high for low, high in pairwise(bounds)):
        raise InvalidArgument(f"The ranges of the facet on {field.name!r} are not in ascending order.")
    return tuple(bounds)


def _bound(text: str, type: str) -> float:
    try:
        bound: float = moment.ticks(text) if type == _MOMENT else float(text if len(text) <= 40 else "")
    except ValueError as error:
        raise InvalidArgument(f"{text[:64]!r} is no bound for a facet of ranges.") from error
    if bound != bound or bound in (float("inf"), float("-inf")):
        raise InvalidArgument(f"{text[:64]!r} is no bound for a facet of ranges.")
    return bound


def counted(facet: Facet, documents: Iterable[Document]) -> Counted:
    """The value in `@search.facets` under the name of the field."""
    read = _READ[facet.field.type]
    bucket = facet.bucket or (lambda value: value)
    counts: Counter[Any] = Counter()
    if facet.bounds:
        return _ranges(facet, ({bisect_right(facet.bounds, v) for v in _values(read, d, facet)} for d in documents))
    for document in documents:
        counts.update({bucket(value) for value in _values(read, document, facet)})
    pairs = list(counts.items())
    if facet.bucket is not None:
        return _written(sorted(pairs), facet)
    by_value = sorted(pairs, key=lambda pair: pair[0], reverse=facet.sort == "-value")
    if facet.sort in ("count", "-count"):
        by_value.sort(key=lambda pair: pair[1], reverse=facet.sort == "count")
    return _written(by_value[: facet.count or None], facet)


def _values(read: Callable[[object], Any], document: Document, facet: Facet) -> list[Any]:
    found = (read(value) for value in paths.values(document, facet.field.name))
    return [value for value in found if value is not None and value == value]


def _written(pairs: Iterable[tuple[Any, int]], facet: Facet) -> Counted:
    return [{"value": _value(value, facet), "count": count} for value, count in pairs]


def _value(value: Any, facet: Facet) -> object:
    if facet.field.type == _MOMENT:
        return moment.text(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "-INF"
    return value


def _ranges(facet: Facet, ranks: Iterable[set[int]]) -> Counted:
    counts: Counter[int] = Counter()
    for found in ranks:
        counts.update(found)
    edges = [None, *(_value(_whole(bound), facet) for bound in facet.bounds), None]
    return [
        {
            **({} if low is None else {"from": low}),
            **({} if high is None else {"to": high}),
            "count": counts[rank],
        }
        for rank, (low, high) in enumerate(pairwise(edges))
    ]


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


_READ: Mapping[str, Callable[[object], Any]] = {
    "Edm.String": values.text,
    "Edm.Int32": values.number,
    "Edm.Int64": values.number,
    "Edm.Double": values.number,
    "Edm.Boolean": values.truth,
    "Edm.DateTimeOffset": values.ticks,
}
