"""Inline route constraints, by the names of ASP.NET's `RouteOptions.ConstraintMap`.

Emulated: alpha, bool, guid, int, length, long, max, maxlength, min, minlength, range, regex, required. The others
(datetime, decimal, double, file, float, nonfile) depend on .NET's parsers and are refused at load. Source:
dotnet/aspnetcore, src/Http/Routing/src/Constraints.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

Constraint: TypeAlias = Callable[[str], bool]
"""Whether a value that was found in the path is acceptable."""

_INTEGER = re.compile(r"\s*([+-]?)0*([0-9]{1,19})\s*", re.ASCII)
_GUID = re.compile(r"[0-9a-f]{32}|[{(]?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[)}]?", re.ASCII | re.IGNORECASE)
_CALL = re.compile(r"([a-z]+)(?:\((.*)\))?", re.ASCII | re.IGNORECASE | re.DOTALL)


def constraint(text: str) -> Constraint:
    """Read one constraint, e.g. `int` or `regex(^ws-)`; ValueError says what is wrong with it.

    A `regex` is searched for, not matched whole, and ignores case. It runs on paths from outside: a pattern that
    backtracks without bound is the template author's error (ASP.NET gives up after ten seconds, Python does not).
    """
    call = _CALL.fullmatch(text)
    if call is None:
        raise ValueError(f"constraint {text!r} cannot be read")
    name, argument = call[1].lower(), call[2]
    if argument is None and name in _PLAIN:
        return _PLAIN[name]
    if argument is not None and name in _CALLED:
        return _CALLED[name](argument)
    raise ValueError(f"constraint {text!r} is not known here")


def _integer(value: str) -> int | None:
    """The number, or None: also for one of more than 19 digits, which fits no .NET integer type."""
    found = _INTEGER.fullmatch(value)
    return int(found[1] + found[2]) if found else None


def _between(low: int, high: int) -> Constraint:
    def check(value: str) -> bool:
        number = _integer(value)
        return number is not None and low <= number <= high

    return check


_LONG = (-(2**63), 2**63 - 1)
_PLAIN: dict[str, Constraint] = {
    "alpha": lambda value: re.fullmatch("[a-z]*", value, re.ASCII | re.IGNORECASE) is not None,
    "bool": lambda value: value.strip().lower() in ("true", "false"),
    "guid": lambda value: _GUID.fullmatch(value.strip()) is not None,
    "int": _between(-(2**31), 2**31 - 1),
    "long": _between(*_LONG),
    "required": lambda value: value != "",
}


def _regex(argument: str) -> Constraint:
    try:
        pattern = re.compile(argument, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"regex({argument}) is not a regular expression: {error}") from error
    return lambda value: pattern.search(value) is not None


def _length(argument: str) -> Constraint:
    low, high = _numbers(argument, at_most=2)
    return lambda value: low <= len(value) <= high


def _range(argument: str) -> Constraint:
    if "," not in argument:
        raise ValueError(f"range({argument}) needs two numbers")
    return _between(*_numbers(argument, at_most=2))


def _one(argument: str) -> int:
    return _numbers(argument, at_most=1)[0]


def _numbers(argument: str, *, at_most: int) -> tuple[int, int]:
    """One or two integers; one counts for both ends."""
    numbers = [_integer(part) for part in argument.split(",")]
    if len(numbers) > at_most or None in numbers:
        raise ValueError(f"({argument}) is not {at_most} whole number(s)")
    return numbers[0] or 0, numbers[-1] or 0


def _shortest(argument: str) -> Constraint:
    low = _one(argument)
    return lambda value: len(value) >= low


def _longest(argument: str) -> Constraint:
    high = _one(argument)
    return lambda value: len(value) <= high


_CALLED: dict[str, Callable[[str], Constraint]] = {
    "length": _length,
    "max": lambda argument: _between(_LONG[0], _one(argument)),
    "maxlength": _longest,
    "min": lambda argument: _between(_one(argument), _LONG[1]),
    "minlength": _shortest,
    "range": _range,
    "regex": _regex,
}
