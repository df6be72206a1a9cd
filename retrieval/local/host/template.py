"""Route templates: reading one, and matching the segments of a path against it.

The rules are ASP.NET Core's, which the Functions host uses unchanged (dotnet/aspnetcore, src/Http/Routing/src/Patterns:
`RoutePatternParser`, `RouteParameterParser`, `RoutePatternMatcher`), in our own words:

- A literal may hold any character but `?` and `/`; braces in it are doubled. So `agents('{name}')` is the literal
  `agents('`, a parameter and the literal `')`.
- Literals are compared without case (here: of ASCII letters), values keep theirs.
- A segment of several parts is matched from right to left: the last literal must end the segment, each literal is taken
  at its last occurrence that leaves its right neighbour a character, and the first literal must begin the segment.
  `agents('agents('x')` therefore does not match, although a regular expression would.
- An empty segment of the request matches nothing, not even a catch-all that would begin there.
- `{name?}` and `{name=value}` may be absent, `{*rest}` takes what is left with its slashes, or nothing.

Refused at load although ASP.NET knows it: an optional part inside a segment (`{name}.{extension?}`), a default inside
one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from retrieval.local.host.constraints import Constraint, constraint
from retrieval.local.host.errors import BadTemplate

_LOWER = {ord(upper): ord(upper) + 32 for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_PIECE = re.compile(r"\{(?!\{)(?P<parameter>(?:[^{}]|\{\{|\}\})*)\}(?!\})|(?P<literal>(?:[^{}]|\{\{|\}\})+)")
_NAME = re.compile(r"(?P<star>\*{0,2})(?P<name>[^:=*?{}/]+)")
_CONSTRAINT = re.compile(r":([^:=(]*(?:\(.*?\)(?=[:=]|\Z))?)", re.DOTALL)


def fold(text: str) -> str:
    """ASCII letters in lower case; every position stays where it was."""
    return text.translate(_LOWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """`default` is None where there is none; `catch_all` stands last and alone in its segment."""

    name: str
    constraints: tuple[Constraint, ...] = ()
    default: str | None = None
    optional: bool = False
    catch_all: bool = False

    def accepts(self, value: str | None) -> bool:
        if value is None:
            return self.optional or not self.constraints
        return all(check(value) for check in self.constraints)


Part: TypeAlias = str | Parameter
"""A literal, already folded, or a parameter."""

Segment: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    text: str
    segments: tuple[Segment, ...]

    def match(self, path: Sequence[str]) -> Mapping[str, str] | None:
        """The values of the parameters, or None where the path or a constraint does not fit.

        `path` is a decoded path after its first slash, split at slashes: `/a/b/` is `("a", "b", "")`. One slash at
        the end counts for nothing, except that a catch-all keeps it.
        """
        values: dict[str, str] = {}
        for index, segment in enumerate(self.segments):
            if not _take(segment, path[index:], values):
                return None
        if not self._open_ended and not _is_end(path[len(self.segments) :]):
            return None
        parameters = (part for segment in self.segments for part in segment if isinstance(part, Parameter))
        fits = all(parameter.accepts(values.get(parameter.name)) for parameter in parameters)
        return values if fits else None

    @property
    def _open_ended(self) -> bool:
        last = self.segments[-1][0] if self.segments else ""
        return isinstance(last, Parameter) and last.catch_all


def _is_end(rest: Sequence[str]) -> bool:
    return not rest or (len(rest) == 1 and rest[0] == "")


def _take(segment: Segment, rest: Sequence[str], values: dict[str, str]) -> bool:
    """Match one segment against the head of what is left of the path; fills `values`."""
    alone = segment[0] if len(segment) == 1 else None
    if _is_end(rest):
        return isinstance(alone, Parameter) and _take_nothing(alone, values)
    if rest[0] == "":
        return False
    if isinstance(alone, str):
        return fold(rest[0]) == alone
    if alone is not None:
        values[alone.name] = "/".join(rest) if alone.catch_all else rest[0]
        return True
    return _take_parts(segment, rest[0], values)


def _take_nothing(parameter: Parameter, values: dict[str, str]) -> bool:
    if parameter.default is not None:
        values[parameter.name] = parameter.default
        return True
    return parameter.optional or parameter.catch_all


def _take_parts(segment: Segment, text: str, values: dict[str, str]) -> bool:
    """Right to left; see the module's docstring."""
    folded = fold(text)
    end = len(text)
    waiting: Parameter | None = None
    for part in reversed(segment):
        if isinstance(part, Parameter):
            waiting = part
            continue
        start = folded.rfind(part, 0, end if waiting is None else max(end - 1, 0))
        if start < 0 or (waiting is None and start + len(part) != end):
            return False
        if waiting is not None:
            values[waiting.name] = text[start + len(part) : end]
        end, waiting = start, None
    if waiting is not None:
        values[waiting.name] = text[:end]
        return end > 0
    return end == 0


def read_template(text: str) -> Template:
    """Compile the template of a decorator, after the route prefix; BadTemplate if it is invalid."""
    bare = text.removeprefix("~/") if text.startswith("~/") else text.removeprefix("/")
    if bare.startswith("~"):
        raise BadTemplate(text, "may not begin with '~' unless '~/'")
    try:
        segments = tuple(_read_segment(segment) for segment in _split(bare))
        _check_whole(segments)
    except ValueError as error:
        raise BadTemplate(text, str(error)) from error
    return Template(text=text, segments=segments)


def _split(text: str) -> list[str]:
    """The segments as text; a slash inside braces (of a regex) does not divide, one at the end counts for nothing."""
    segments, depth, begin = [], 0, 0
    undoubled = text.replace("{{", "  ").replace("}}", "  ")
    for index, character in enumerate(undoubled):
        depth += (character == "{") - (character == "}")
        if character == "/" and depth <= 0:
            segments.append(text[begin:index])
            begin = index + 1
    segments.append(text[begin:])
    if segments[-1] == "":
        segments.pop()
    if "" in segments:
        raise ValueError("two slashes in a row")
    return segments


def _read_segment(text: str) -> Segment:
    parts: list[Part] = []
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise ValueError(f"braces do not pair in {text!r}")
        inside = piece["parameter"]
        parts.append(_read_literal(piece["literal"]) if inside is None else _read_parameter(_undouble(inside)))
        position = piece.end()
    _check_segment(parts, text)
    return tuple(parts)


def _undouble(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def _read_literal(text: str) -> str:
    if "?" in text:
        raise ValueError(f"a literal may not hold '?': {text!r}")
    return fold(_undouble(text))


def _read_parameter(text: str) -> Parameter:
    """The inside of a pair of braces: `*name`, `name:int:min(1)=5`, `name?`."""
    body = text.removesuffix("?")
    name = _NAME.match(body)
    if name is None:
        raise ValueError(f"parameter {text!r} has no valid name")
    constraints, position = _read_constraints(body, name.end())
    if position < len(body) and body[position] != "=":
        raise ValueError(f"the constraints of parameter {text!r} cannot be read")
    default = body[position + 1 :] if position < len(body) else None
    optional = body != text
    if optional and (name["star"] or default is not None):
        raise ValueError(f"parameter {text!r} may not be optional as well")
    return Parameter(
        name=name["name"], constraints=constraints, default=default, optional=optional, catch_all=bool(name["star"])
    )


def _read_constraints(text: str, position: int) -> tuple[tuple[Constraint, ...], int]:
    """`:int:min(1)` and where it ends. The argument of one ends at the first `)` before a `:`, a `=` or the end."""
    texts = []
    while found := _CONSTRAINT.match(text, position):
        texts.append(found[1])
        position = found.end()
    return tuple(constraint(each) for each in texts if each), position


def _check_segment(parts: Sequence[Part], text: str) -> None:
    if len(parts) < 2:
        return
    for left, right in pairwise(parts):
        if isinstance(left, Parameter) and isinstance(right, Parameter):
            raise ValueError(f"two parameters without a literal between them in {text!r}")
    for part in parts:
        if isinstance(part, Parameter) and (part.catch_all or part.optional or part.default is not None):
            raise ValueError(
                f"a catch-all, optional or default parameter must stand alone in its segment, not in {text!r}"
            )


def _check_whole(segments: Sequence[Segment]) -> None:
    parameters = [part for segment in segments for part in segment if isinstance(part, Parameter)]
    names = [fold(parameter.name) for parameter in parameters]
    if len(set(names)) != len(names):
        raise ValueError("a parameter is named twice")
    for segment in segments[:-1]:
        if isinstance(segment[0], Parameter) and segment[0].catch_all:
            raise ValueError("a catch-all must be last")
