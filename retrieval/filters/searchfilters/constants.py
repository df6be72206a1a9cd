"""Converts values of SearchFilters to constants of a field's type, and back.

Model Studio's columns are texts or numbers, and a filter may send the other kind. Therefore a text field accepts a
number as text, and a numeric field accepts a text that is a number. A whole number that is outside the integer type, or
that a double cannot hold exactly, is refused, because it would select other documents.
"""

import math
import re
from decimal import Decimal
from typing import Final, TypeAlias

from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters import moment
from retrieval.filters.odata.limits import INT64
from retrieval.filters.schema import MappedField
from retrieval.filters.tree import Boolean, Constant, DateTimeOffset, Float, Integer, Null, String

TARGET: Final = "SearchFilters"
SIDE: Final = "Model Studio"

Scalar: TypeAlias = str | int | float

WHOLE: Final = 10**30
"""Larger numbers are compared with a text field as they are written."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_EPOCH: Final = moment.ticks("1970-01-01T00:00:00Z")
_TICKS: Final = {"s": moment.TICKS_A_SECOND, "ms": moment.TICKS_A_SECOND // 1000}
_INT32: Final = range(-(2**31), 2**31)


def bad(reason: str) -> BadFilter:
    """The error for a filter that cannot be read or is not allowed."""
    return BadFilter(reason, target=TARGET)


def constant(value: object, field: MappedField, name: str) -> Constant:
    """`value` as a constant of the field's type. If the field cannot be compared with `value`, raises BadFilter with
    `name`, the field's name in the SearchFilters."""
    if value is None or isinstance(value, list | dict) or (isinstance(value, bool) and field.type != "Edm.Boolean"):
        kind = {list: "a list", dict: "an object", bool: "true or false"}.get(type(value), "null")
        raise bad(f"{name!r} is compared with {kind}, which is neither text nor a number")
    match field.type:
        case "Edm.String":
            return String(_text(value, name))
        case "Edm.Boolean":
            return Boolean(_truth(value, name))
        case "Edm.DateTimeOffset":
            return DateTimeOffset(_ticks(value, field, name))
        case "Edm.Int32" | "Edm.Int64" | "Edm.Double" | "Edm.Single":
            return _number(_decimal(value, name), field, name)
        case _:
            raise bad(f"{name!r} is of type {field.type}, which filters do not support")


def value(constant: Constant, field: MappedField) -> Scalar:
    """The value for a constant in SearchFilters. Raises UnsupportedFilter if the field cannot be compared with the
    constant."""
    match constant:
        case String(text) if field.type == "Edm.String":
            return text
        case Integer() | Float() if field.type in ("Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Single"):
            return _plain(constant.value, field)
        case Boolean(truth) if field.type == "Edm.Boolean":
            return "true" if truth else "false"
        case DateTimeOffset(ticks) if field.type == "Edm.DateTimeOffset":
            return _since_epoch(ticks, field) if field.epoch else moment.text(ticks)
        case Null():
            raise UnsupportedFilter("a comparison with null", side=SIDE)
        case _:
            raise UnsupportedFilter(f"a comparison of {field.type} with {type(constant).__name__}", side=SIDE)


def _text(value: object, name: str) -> str:
    """The value as a text. A whole number is written without a point: some clients send 104 as 104.0."""
    text = str(int(value)) if isinstance(value, float | Decimal) and _is_whole(value) else str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise bad(f"{name!r} is compared with half a surrogate pair, which is not a character") from None
    return text


def _is_whole(value: float | Decimal) -> bool:
    return math.isfinite(value) and -WHOLE < value < WHOLE and value % 1 == 0


def _truth(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise bad(f"{name!r} must be compared with true or false")


def _decimal(value: object, name: str) -> Decimal:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return Decimal(value if isinstance(value, int | Decimal) else repr(value))
    raise bad(f"{name!r} is a number, and {str(value)[:60]!r} is not")


def _number(value: Decimal, field: MappedField, name: str) -> Integer | Float:
    if abs(value.adjusted()) > 400:
        raise bad(f"{name!r} is compared with a number that is too large or too small")
    if field.type in ("Edm.Int32", "Edm.Int64"):
        return _whole(value, field, name)
    nearest = float(value)
    if not math.isfinite(nearest):
        raise bad(f"{name!r} is compared with a number that is too large")
    if value == value.to_integral_value() and Decimal(nearest) != value:
        raise bad(f"{name!r} is of type {field.type}, which cannot hold {value} exactly")
    return Float(nearest)


def _whole(value: Decimal, field: MappedField, name: str) -> Integer | Float:
    """The number to compare with a field of whole numbers. A fraction is accepted too, because it can be the bound of a
    range."""
    if value == value.to_integral_value():
        whole = int(value)
        if whole not in (_INT32 if field.type == "Edm.Int32" else INT64):
            raise bad(f"{name!r} is compared with a number that is too large for {field.type}")
        return Integer(whole)
    if Decimal(float(value)).to_integral_value() == Decimal(float(value)):
        raise bad(f"{name!r} is compared with a number that has too many digits")
    return Float(float(value))


def _ticks(value: object, field: MappedField, name: str) -> int:
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        try:
            return moment.ticks(value)
        except ValueError as error:
            raise bad(f"{name!r}: {error}") from None
    if field.epoch is None:
        raise bad(f"{name!r} must be compared with a date and time with its zone, such as 2020-01-31T12:30:00Z")
    number = _decimal(value, name)
    if abs(number.adjusted()) > 20 or len(number.as_tuple().digits) > 25:
        raise bad(f"{name!r} is compared with a time outside the years 1 to 9999")
    ticks = _EPOCH + number * _TICKS[field.epoch]
    if ticks != ticks.to_integral_value() or not 0 <= ticks <= moment.LAST:
        raise bad(f"{name!r} is compared with a time outside the years 1 to 9999, or finer than 100 ns")
    return int(ticks)


def _plain(number: int | float, field: MappedField) -> int | float:
    if not math.isfinite(number):
        raise UnsupportedFilter("NaN and INF", side=SIDE)
    if isinstance(number, float) and number.is_integer() and field.type in ("Edm.Int32", "Edm.Int64"):
        return int(number)
    return number


def _since_epoch(ticks: int, field: MappedField) -> int:
    unit = _TICKS[field.epoch or "s"]
    since, remainder = divmod(ticks - _EPOCH, unit)
    if remainder:
        raise UnsupportedFilter(f"a time finer than its field, {field.path}", side=SIDE)
    return since
