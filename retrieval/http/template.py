"""Route templates: reading one, and matching a path against it as the Functions host does.

The rules are ASP.NET Core's, which the Functions host uses unchanged (dotnet/aspnetcore, src/Http/Routing/src/Patterns:
`RoutePatternParser`, `RoutePatternMatcher`), for what this service's routes are made of: a segment is a literal, or one
parameter between two literals; a parameter may have a `regex(…)`; `{*rest}` may be last. Anything else is refused.

- Literals are compared without case (of ASCII letters), values keep theirs.
- A parameter takes one character or more. The literal before it stands at its last place that leaves a character:
  `agents('agents('x')` does not fit `agents('{name}')`, although a regular expression would.
- An empty segment of a path fits nothing, not even `{*rest}` that would begin there. One slash at a path's end counts
  for nothing, except that `{*rest}` keeps it.

Linear in the path, whose segments are put into lower case once for all templates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_SEGMENT: Final = re.compile(
    r"(?P<left>[!-.0->@-z|~]*)"
    r"(?:\{(?P<star>\*?)(?P<name>\w+)(?::regex\((?P<pattern>.+)\))?\}(?P<right>[!-.0->@-z|~]*))?",
    re.ASCII,
)
_SLASH: Final = re.compile(r"/(?![^{]*\})")
"""A slash that is not in a parameter's expression."""


class PathSegment(NamedTuple):
    """A segment of a path, and its bytes with ASCII letters in lower case."""

    text: str
    folded: bytes


def path_segments(path: str) -> tuple[PathSegment, ...]:
    """The segments for `Template.match`, of a decoded path after its first slash."""
    return tuple(PathSegment(text, text.encode("utf-8", "surrogatepass").lower()) for text in path.split("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A literal (`left`), or a parameter with a `name` between two literals. Its value must match the `pattern`, if
    any."""

    left: bytes
    right: bytes = b""
    name: str = ""
    pattern: re.Pattern[bytes] | None = None

    def value(self, segment: PathSegment) -> str | None:
        """The parameter's value, empty for a literal that fits; None where the segment does not fit."""
        text, folded = segment
        if not self.name:
            return "" if folded == self.left else None
        start, end = len(self.left), len(folded) - len(self.right)
        if start >= end or not folded.endswith(self.right):
            return None
        if self.left and folded.rfind(self.left, 0, end - 1) != 0:
            return None
        if self.pattern is not None and self.pattern.search(folded[start:end]) is None:
            return None
        return text[start : len(text) - len(self.right)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A route template. `rest` names the parameter that takes the rest of a path, with its slashes; empty without
    one."""

    text: str
    segments: tuple[Segment, ...]
    rest: str = ""

    def match(self, path: Sequence[PathSegment]) -> Mapping[str, str] | None:
        """The values of the parameters, or None where the path does not fit. `path` as `path_segments` gives it."""
        segments = path[:-1] if path and not path[-1].text else path
        count = len(self.segments)
        if len(segments) < count or (len(segments) > count and not self.rest):
            return None
        values: dict[str, str] = {}
        for expected, segment in zip(self.segments, segments, strict=False):
            value = expected.value(segment)
            if value is None:
                return None
            if expected.name:
                values[expected.name] = value
        if len(segments) > count:
            if not segments[count].text:
                return None
            values[self.rest] = "/".join(segment.text for segment in path[count:])
        return values


def read_template(text: str) -> Template:
    """Compile a template. ValueError names the fault, or the part that is not known here."""
    segments = [_segment(part) for part in _SLASH.split(text.removesuffix("/"))] if text else []
    *others, last = segments or [(Segment(left=b""), False)]
    if any(is_rest for _, is_rest in others) or (last[1] and (last[0].left or last[0].right or last[0].pattern)):
        raise ValueError("a catch-all must be last, and alone in its segment")
    names = [segment.name for segment, _ in segments if segment.name]
    if len({name.lower() for name in names}) != len(names):
        raise ValueError("a parameter is named twice")
    fixed = tuple(segment for segment, is_rest in segments if not is_rest)
    return Template(text=text, segments=fixed, rest=last[0].name if last[1] else "")


def _segment(text: str) -> tuple[Segment, bool]:
    """A segment of a template, and whether it takes the rest of a path."""
    match = _SEGMENT.fullmatch(text)
    if not text:
        raise ValueError("two slashes in a row")
    if match is None:
        raise ValueError(f"{text!r} is neither a literal nor one parameter between two")
    left, right = match["left"].lower().encode(), (match["right"] or "").lower().encode()
    try:
        pattern = None if match["pattern"] is None else re.compile(match["pattern"].encode(), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{match['pattern']!r} is not a regular expression: {error}") from error
    return Segment(left=left, right=right, name=match["name"] or "", pattern=pattern), bool(match["star"])
