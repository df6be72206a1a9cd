"""Paths to documents within JSON, such as `$.results[*].document`. A step selects a member of an object, an item of a
list, or all members or items. Filters, slices and `..` are not accepted, so that evaluating a path stays cheap.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from retrieval.model.json_value import JsonValue

MOST_MATCHES: Final = 10_000
LONGEST: Final = 1_000
MOST_STEPS: Final = 30
EMPTY: Final[tuple[JsonValue, ...]] = (None, "", [], {})

Step: TypeAlias = str | int | None
"""A step: the name of a member, an index in a list, or None for all members or items."""

_STEP: Final = re.compile(
    r"\.(?P<name>[A-Za-z_][\w-]*)|\.?\[(?P<place>-?[0-9]{1,6})\]|(?P<all>\.\*|\.?\[\*\])"
    r"|\.?\['(?P<single>[^'\\]*)'\]|\.?\[\"(?P<double>[^\"\\]*)\"\]"
)


@dataclass(frozen=True, slots=True)
class Match:
    """A value that a path selects, and the objects around the value. The outermost object is first."""

    value: JsonValue
    around: tuple[Mapping[str, JsonValue], ...] = ()


def steps(path: str) -> tuple[Step, ...]:
    """The steps of a path. Raises ValueError for a path with more than 1,000 characters, more than 30 steps or other
    syntax."""
    rest = path.strip()
    if len(rest) > LONGEST:
        raise ValueError("it is too long")
    rest = rest[1:] if rest.startswith("$") else f".{rest}" if rest[:1] not in {"", ".", "["} else rest
    found: list[Step] = []
    while rest:
        match = _STEP.match(rest)
        if match is None or len(found) == MOST_STEPS:
            raise ValueError("it has members (.name), places ([0]) and all of them ([*]), and nothing else")
        found.append(_step(match))
        rest = rest[match.end() :]
    return tuple(found)


def matches(value: JsonValue, path: Sequence[Step]) -> tuple[Match, ...]:
    """The values that a path selects, at most 10,000."""
    return tuple(_levels(value, path)[-1])


def misses(value: JsonValue, path: Sequence[Step]) -> bool:
    """Whether a path ends at a value that has content, but not what the path names. A path that ends at an empty value
    does not miss: nothing is there to select."""
    *before, found = _levels(value, path)
    return not found and any(match.value not in EMPTY for match in before[-1])


def _step(match: re.Match[str]) -> Step:
    if match["place"] is not None:
        return int(match["place"])
    if match["all"] is not None:
        return None
    return match["name"] or match["single"] or match["double"] or ""


def _levels(value: JsonValue, path: Sequence[Step]) -> Sequence[Sequence[Match]]:
    """The values that the beginnings of a path select, the shortest first, up to the first that selects none."""
    levels = [[Match(value)]]
    for step in path:
        levels.append(list(islice((inner for match in levels[-1] for inner in _inside(match, step)), MOST_MATCHES)))
        if not levels[-1]:
            break
    return levels


def _inside(match: Match, step: Step) -> Iterator[Match]:
    value = match.value
    if isinstance(value, Mapping):
        around = (*match.around, value)
        if step is None:
            yield from (Match(item, around) for item in value.values())
        elif isinstance(step, str) and step in value:
            yield Match(value[step], around)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if step is None:
            yield from (Match(item, match.around) for item in value)
        elif isinstance(step, int) and -len(value) <= step < len(value):
            yield Match(value[step], match.around)
