"""`scoringParameters` of a search: a name, a dash, and values with commas between them.

A value may be in single quotes, and must be if it holds a comma or begins with a quote; within them a quote is
doubled: `mytag-'Hello, O''Brien',Smith` gives two. Names may hold dashes too, since a profile says which there are.
https://learn.microsoft.com/rest/api/searchservice/documents/search-post
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from retrieval.filters.tree import Point
from retrieval.local.search_service.definitions.scoring_profile import ScoringProfile
from retrieval.local.search_service.errors import InvalidArgument

MAX_TEXT: Final = 100_000
"""Characters of all the parameters of a search."""

Parameters: TypeAlias = Mapping[str, tuple[str, ...]]

_VALUE = re.compile(r"\s*+(?:'(?P<quoted>(?:[^']|'')*+)'\s*+|(?!')(?P<plain>[^,]*+))(?:,|\Z)")
_DEGREES = re.compile(r"[+-]?\d{1,3}(?:\.\d{1,20})?", re.ASCII)


def read(texts: Sequence[str], profile: ScoringProfile | None, *, whole: bool = True) -> Parameters:
    """The values by name. Raises InvalidArgument for what is not written so or was not asked for, and, where the search
    gives the `whole` of them, for what is missing."""
    if profile is None:
        if texts:
            raise InvalidArgument("The search has scoringParameters, but no scoring profile takes them.")
        return {}
    if sum(map(len, texts)) > MAX_TEXT:
        raise InvalidArgument(f"The scoringParameters are longer than {MAX_TEXT} characters.")
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name = _name(text, profile)
        if name in found:
            raise InvalidArgument(f"The scoring parameter {name!r} occurs twice.")
        found[name] = _values(name, text[len(name) + 1 :])
    if whole and (missing := sorted(profile.parameters - found.keys())):
        raise InvalidArgument(
            f"The scoring profile {profile.name!r} needs the scoring parameter {missing[0]!r}, which is missing: "
            f"it is written {missing[0] + '-value'!r}."
        )
    return found


def _name(text: str, profile: ScoringProfile) -> str:
    """The longest name of the profile that `text` begins with."""
    known = [name for name in profile.parameters if text.startswith(f"{name}-")]
    if known:
        return max(known, key=len)
    name, dash, _ = text.partition("-")
    if not name or not dash:
        raise InvalidArgument(f"The scoring parameter {text[:64]!r} is not a name, a dash and values.")
    raise InvalidArgument(f"The scoring profile {profile.name!r} has no parameter {name[:128]!r}.")


def _values(name: str, text: str) -> tuple[str, ...]:
    values: list[str] = []
    at = 0
    while at < len(text):
        match = _VALUE.match(text, at)
        if match is None:
            raise InvalidArgument(f"The value of the scoring parameter {name!r} has a quote that is not closed.")
        quoted = match["quoted"]
        values.append(match["plain"].strip() if quoted is None else quoted.replace("''", "'"))
        at = match.end()
    if not any(values):
        raise InvalidArgument(f"The scoring parameter {name!r} has no value.")
    return tuple(value for value in values if value)


def point(name: str, values: Sequence[str]) -> Point:
    """A reference point: longitude, then latitude. Raises InvalidArgument."""
    if len(values) != 2 or not all(map(_DEGREES.fullmatch, values)):
        raise InvalidArgument(
            f"The scoring parameter {name!r} is not a longitude and a latitude: '{name}--122.2,44.8'."
        )
    longitude, latitude = map(float, values)
    if abs(longitude) > 180 or abs(latitude) > 90:
        raise InvalidArgument(f"The scoring parameter {name!r} is a point outside the globe.")
    return Point(longitude, latitude)
