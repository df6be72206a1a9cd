"""Reads route templates, and matches paths against a template like the Functions host.

The Functions host uses the rules of ASP.NET Core (dotnet/aspnetcore, src/Http/Routing/src/Patterns:
`RoutePatternParser`, `RoutePatternMatcher`). This module has the rules that this service's routes need. A segment is a
literal, or one parameter between two literals. A parameter may have a `regex(…)`. `{*rest}` may be last. Any other
template is refused.

- Literals ignore the case of ASCII letters. Values keep their case.
- A parameter takes one character or more. The literal before a parameter is matched at its last occurrence that leaves
  a character for the parameter. Therefore `agents('agents('x')` does not fit `agents('{name}')`, although it would fit
  a regular expression.
- An empty segment of a path fits no segment of a template, and `{*rest}` cannot begin with one. One slash at the end of
  a path is ignored, but `{*rest}` keeps it.

The time is linear in the length of the path. The segments of a path are put into lower case once for all templates.
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
"""A slash outside the braces of a parameter."""


class PathSegment(NamedTuple):
    """A segment of a path, and its bytes with ASCII letters in lower case."""

    text: str
    folded: bytes


def path_segments(path: str) -> tuple[PathSegment, ...]:
    """The segments for `Template.match`. `path` is decoded, without its first slash."""
    return tuple(PathSegment(text, text.encode("utf-8", "surrogatepass").lower()) for text in path.split("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A literal (`left`), or a parameter with a `name` between two literals. The value of the parameter must match the
    `pattern`, if there is one."""

    left: bytes
    right: bytes = b""
    name: str = ""
    pattern: re.Pattern[bytes] | None = None

    def value(self, segment: PathSegment) -> str | None:
        """The value of the parameter; empty if this segment is a literal. None if the segment of the path does not
        fit."""
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
    """A route template. `rest` is the name of the parameter for the rest of a path, including slashes; empty if there
    is no such parameter."""

    text: str
    segments: tuple[Segment, ...]
    rest: str = ""

    def match(self, path: Sequence[PathSegment]) -> Mapping[str, str] | None:
        """The values of the parameters; None if the path does not fit. `path` is the result of `path_segments`."""
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
    """Compile a template. Raises ValueError with the reason for an unsupported template."""
    segments = [_segment(part) for part in _SLASH.split(text.removesuffix("/"))] if text else []
    *others, last = segments or [(Segment(left=b""), False)]
    if any(is_rest for _, is_rest in others) or (last[1] and (last[0].left or last[0].right or last[0].pattern)):
        raise ValueError("a catch-all must be last, and alone in its segment")
    fixed = tuple(segment for segment, is_rest in segments if not is_rest)
    return Template(text=text, segments=fixed, rest=last[0].name if last[1] else "")


def _segment(text: str) -> tuple[Segment, bool]:
    """A segment of a template, and whether it is `{*rest}`."""
    match = _SEGMENT.fullmatch(text)
    if not text or match is None:
        raise ValueError(f"{text!r} is neither a literal nor one parameter between two")
    left, right = match["left"].lower().encode(), (match["right"] or "").lower().encode()
    pattern = None if match["pattern"] is None else re.compile(match["pattern"].encode(), re.IGNORECASE)
    return Segment(left=left, right=right, name=match["name"] or "", pattern=pattern), bool(match["star"])
