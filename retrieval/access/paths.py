"""Which routes of the table serve a path, whatever the method; matched as the Functions host matches them.

Literals are compared without case (of ASCII letters), a parameter takes one character or more, a literal stands at its
last place that leaves the parameter after it a character, and one slash at a path's end counts for nothing
(dotnet/aspnetcore, `RoutePatternMatcher`). Linear in the path.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from retrieval.access.rights import REFUSED, ROUTES

_PARAMETER: Final = re.compile(r"\{(?P<name>\w+)(?::regex\((?P<pattern>.*)\))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A literal (`left`), or a parameter between two literals. A `pattern` must be found in the parameter's value."""

    left: bytes
    right: bytes = b""
    parameter: bool = False
    pattern: re.Pattern[bytes] | None = None

    def takes(self, text: bytes) -> bool:
        """Whether it matches a segment of a path; `text` is in lower case."""
        if not self.parameter:
            return text == self.left
        start, end = len(self.left), len(text) - len(self.right)
        if start >= end or not text.endswith(self.right):
            return False
        if self.left and text.rfind(self.left, 0, end - 1) != 0:
            return False
        return self.pattern is None or self.pattern.search(text[start:end]) is not None


def routes_of(path: str) -> tuple[tuple[str, str], ...]:
    """The methods and templates of the routes that serve a path, by method. `path` is decoded, without its first slash.

    A route that refuses every call serves no path.
    """
    segments = path.encode("utf-8", "surrogatepass").lower().split(b"/")
    given = segments[:-1] if segments[-1] == b"" else segments
    return tuple((method, template) for method, template, expected in _table() if _take(expected, given))


def parameters(template: str, path: str) -> Mapping[str, str]:
    """The values of a route's parameters in a path that it serves, by name."""
    segments = zip(template.split("/"), path.split("/"), strict=False)
    return {
        found["name"]: text[found.start() : len(text) - (len(part) - found.end())]
        for part, text in segments
        if (found := _PARAMETER.search(part)) is not None
    }


def _take(expected: Sequence[Segment], given: Sequence[bytes]) -> bool:
    return len(expected) == len(given) and all(one.takes(text) for one, text in zip(expected, given, strict=True))


@cache
def _table() -> tuple[tuple[str, str, tuple[Segment, ...]], ...]:
    routes = sorted(route.split(" ", 1) for route, operation in ROUTES.items() if operation not in REFUSED)
    return tuple((method, template, tuple(map(_segment, template.split("/")))) for method, template in routes)


def _segment(text: str) -> Segment:
    found = _PARAMETER.search(text)
    if found is None:
        return Segment(left=text.lower().encode())
    left, right = text[: found.start()].lower().encode(), text[found.end() :].lower().encode()
    pattern = None if found["pattern"] is None else re.compile(found["pattern"].encode(), re.IGNORECASE)
    return Segment(left=left, right=right, parameter=True, pattern=pattern)
