"""The functions of an app and the order in which the host tries them.

Precedence is alphabetical by function name and by nothing else: the host sorts with `OrdinalIgnoreCase` and takes the
first route whose template and method fit (azure-functions-host, `FunctionMetadataManager`,
`WebScriptHostHttpRoutesManager`). That comparison is of upper-case letters, so an underscore comes after every
letter: `agentsx` before `agents_x`. A method that does not fit means the next route, and in the end 404, never 405.

Refused at load, as `ScriptHost.ValidateHttpFunction` does: templates that begin with `admin` or `runtime`, two
functions with the same template and a method in common, bad names. (The real host leaves out such a function and logs
why; here the whole app is refused, so that nobody overlooks it.)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.http.template import PathSegment, Template, read_template
from retrieval.local.host.errors import BadFunction, BadTemplate

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,127}", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """An HTTP function as its decorators describe it.

    `route` is the template without the prefix; None or blank means the name. No methods means every method.
    `trigger` is the name of the parameter that takes the request.
    """

    name: str
    trigger: str = "req"
    route: str | None = None
    methods: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        return self.name if self.route is None or not self.route.strip() else self.route

    def takes(self, method: str) -> bool:
        return not self.methods or method.upper() in self.methods


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRoute:
    function: Function
    template: Template


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    routes: tuple[FunctionRoute, ...]
    """In the order of precedence."""

    def find(self, method: str, path: Sequence[PathSegment]) -> tuple[Function, Mapping[str, str]] | None:
        """The function that answers, with its route values. `path` as in `Template.match`."""
        for route in self.routes:
            if not route.function.takes(method):
                continue
            values = route.template.match(path)
            if values is not None:
                return route.function, values
        return None


def route_table(functions: Iterable[Function], *, prefix: str = "") -> RouteTable:
    """Order the functions and check them against each other; HostError when the host would refuse one."""
    ordered = sorted(functions, key=lambda function: function.name.upper())
    for function in ordered:
        _check(function)
    _check_together(ordered)
    return RouteTable(
        routes=tuple(
            FunctionRoute(function=function, template=_template(_with_prefix(function.template, prefix)))
            for function in ordered
        )
    )


def _with_prefix(template: str, prefix: str) -> str:
    return f"{prefix}/{template}" if prefix else template


def _template(text: str) -> Template:
    try:
        return read_template(text.removeprefix("/"))
    except ValueError as error:
        raise BadTemplate(text, str(error)) from error


def _check(function: Function) -> None:
    if not _NAME.fullmatch(function.name) or function.name.lower() == "host":
        raise BadFunction(function.name, "a name is a letter and up to 127 letters, digits, '_' or '-', and not 'host'")
    if _bare(function).startswith(("admin", "runtime")):
        raise BadFunction(function.name, f"the host keeps routes that begin like {function.template!r} for itself")


def _bare(function: Function) -> str:
    return function.template.strip("/").lower()


def _check_together(functions: Sequence[Function]) -> None:
    names: set[str] = set()
    templates: dict[str, list[Function]] = {}
    for function in functions:
        if function.name.upper() in names:
            raise BadFunction(function.name, "the name must be unique within the app")
        names.add(function.name.upper())
        for other in templates.setdefault(_bare(function), []):
            if _overlap(function, other):
                raise BadFunction(function.name, f"its route is that of function {other.name!r}, for the same method")
        templates[_bare(function)].append(function)


def _overlap(one: Function, other: Function) -> bool:
    return not one.methods or not other.methods or bool(set(one.methods) & set(other.methods))
