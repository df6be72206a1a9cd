"""What a template deploys with given parameters: every resource with its body, and what the compiler would refuse.

Conditions, references, outputs and parameters are followed as Bicep follows them, lazily. What only a deployment knows
is a text that begins with `‹`. Loops are refused: the templates have none, so that every tool can read them.
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.infra.functions import FILE_FUNCTIONS, FUNCTIONS, RUNTIME, SUBSCRIPTION
from tests.infra.shapes import TYPES, Shapes
from tests.infra.tree import Declaration, File, Node, members, text_of
from tests.infra.values import (
    LIMITS,
    NOWHERE,
    SECRET,
    Place,
    Refused,
    Resource,
    Symbol,
    check_limits,
    check_parent,
    check_type,
    plain,
    settled,
)


@dataclass(slots=True, kw_only=True)
class Template:
    """The files, and what evaluating them has found so far. `outputs` are those of the file that is deployed."""

    files: Mapping[str, File]
    texts: Mapping[str, str]
    shapes: Shapes
    subscription: str = SUBSCRIPTION
    resources: list[Resource] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    def deploy(self, path: str, given: Mapping[str, Any], place: Place = NOWHERE) -> "Deployment":
        """Everything that a file deploys there with these parameters; its problems stand in `problems`."""
        deployment = Deployment(self, self.files[path], given, place)
        self.outputs = deployment.everything()
        return deployment


class Deployment:
    """One file with one set of parameters."""

    def __init__(self, template: Template, file: File, given: Mapping[str, Any], place: Place) -> None:
        self.template, self.file, self.given, self.place = template, file, given, place
        self._known: dict[str, Any] = {}
        self._open: set[str] = set()

    def everything(self) -> dict[str, Any]:
        """Evaluates all of the file; its outputs."""
        outputs = {}
        for one in self.file.declarations:
            try:
                if one.kind == "output":
                    outputs[one.name] = self.output(one.name)
                elif self._wanted(one):
                    self.named(one.name)
            except Refused as refusal:
                self.template.problems.append(f"{self.file.path}:{one.line}: {one.name}: {refusal}")
        return outputs

    def output(self, name: str) -> Any:
        one = next(one for one in self.file.of("output") if one.name == name)
        assert one.value is not None
        value = plain(self.value(one.value))
        check_type(one.type, value)
        if SECRET in repr(value):
            raise Refused("an output must not hold a secret")
        return value

    def named(self, name: str) -> Any:
        """The value of a symbol, evaluated once."""
        if name not in self._known:
            one = self.file.named(name)
            if one is None:
                raise Refused(f"{name!r} is not declared")
            if name in self._open:
                raise Refused(f"{name!r} needs itself")
            self._open.add(name)
            try:
                self._known[name] = self._declared(one)
            finally:
                self._open.discard(name)
        return self._known[name]

    def value(self, node: Node) -> Any:
        """The value of an expression."""
        found = _KINDS.get(node.kind)
        if found is None:
            raise Refused(f"{node.kind} at line {node.line} is outside the style that the check reads")
        return found(self, node)

    def _wanted(self, one: Declaration) -> bool:
        if one.condition is None:
            return True
        wanted = self.value(one.condition)
        if RUNTIME in repr(wanted):
            raise Refused("its condition is known only after the start of the deployment")
        if not isinstance(wanted, bool):
            raise Refused(f"its condition is {wanted!r}, not a boolean")
        return wanted

    def _declared(self, one: Declaration) -> Any:
        if one.kind == "parameter":
            return self._parameter(one)
        assert one.value is not None
        if one.kind == "variable":
            return self.value(one.value)
        if not self._wanted(one):
            raise Refused(f"{one.name!r} is read where it is not deployed")
        return self._resource(one, one.value) if one.kind == "resource" else self._module(one, one.value)

    def _parameter(self, one: Declaration) -> Any:
        if one.name in self.given:
            value = self.given[one.name]
        elif one.value is not None:
            value = self.value(one.value)
        else:
            raise Refused("it has no value")
        check_type(one.type, value)
        limits = {name: node for name, node in one.decorators.items() if name in LIMITS}
        check_limits({name: self.value(node.part("arguments").children[0]) for name, node in limits.items()}, value)
        if SECRET in repr(value) and "secure" not in one.decorators:
            raise Refused("it holds a secret and is not @secure()")
        return value

    def _resource(self, one: Declaration, node: Node) -> Any:
        type_name, _, _ = one.source.partition("@")
        body = {key: self.value(value) for key, value in members(node).items() if key != "dependsOn"}
        name = body.get("name")
        if RUNTIME in repr(name):
            raise Refused("its name is known only after the start of the deployment")
        if type_name == "Microsoft.Web/sites/config":
            type_name = f"{type_name}/{name}"
        if type_name not in TYPES:
            raise Refused(f"{type_name} is not among the types that the check knows")
        scope, parent = body.pop("scope", None), body.pop("parent", None)
        check_parent(type_name, parent, name)
        made = Resource(
            file=self.file.path,
            symbol=one.name,
            type=type_name,
            body=plain(body),
            scope=scope.resource if isinstance(scope, Symbol) else None,
            parent=parent.resource if isinstance(parent, Symbol) else None,
            existing=one.existing,
            place=self.place,
        )
        self.template.resources.append(made)
        return Symbol(made)

    def _module(self, one: Declaration, node: Node) -> Any:
        body = members(node)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.file.path), one.source))
        if path not in self.template.files:
            raise Refused(f"there is no file {path}")
        if RUNTIME in repr(self.value(body["name"])) or (
            "scope" in body and RUNTIME in repr(self.value(body["scope"]))
        ):
            raise Refused("its name or scope is known only after the start of the deployment")
        if self.file.scope == "subscription" and "scope" not in body:
            raise Refused("it is deployed to a resource group and has no scope")
        given = {key: settled(plain(self.value(value))) for key, value in members(body["params"]).items()}
        return self.template.deploy(path, given, self._place(body))

    def _place(self, body: Mapping[str, Node]) -> Place:
        if "scope" not in body:
            return self.place
        scope = self.value(body["scope"])
        if not isinstance(scope, dict):
            raise Refused("its scope is no resource group by its name")
        return Place(**scope)

    def _string(self, node: Node) -> str:
        parts = []
        for child in node.children:
            value = plain(self.value(child.children[0])) if child.kind == "interpolation" else child.text
            if isinstance(value, dict | list):
                raise Refused("an object stands within a text")
            parts.append(str(value).replace("\\'", "'"))
        return "".join(parts)

    def _object(self, node: Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in node.children:
            if one.kind in {"comment", "diagnostic_comment"}:
                continue
            key = one.children[0].text if one.children[0].kind == "identifier" else self.value(one.children[0])
            if key in found:
                raise Refused(f"{key!r} stands twice in an object")
            found[key] = self.value(one.children[-1])
        return found

    def _array(self, node: Node) -> list[Any]:
        return [self.value(child) for child in node.children if child.kind != "comment"]

    def _unary(self, node: Node) -> Any:
        value = self.value(node.children[-1])
        if node.text == "!" and not isinstance(value, bool):
            raise Refused(f"! of {value!r}, which is not a boolean")
        return not value if node.text == "!" else -value

    def _binary(self, node: Node) -> Any:
        left, right = node.children
        first = self.value(left)
        if node.text in {"&&", "||"}:
            return bool(first and self.value(right)) if node.text == "&&" else bool(first or self.value(right))
        second = self.value(right)
        if node.text not in _OPERATORS:
            raise Refused(f"the operator {node.text} is outside the style that the check reads")
        return _OPERATORS[node.text](first, second)

    def _ternary(self, node: Node) -> Any:
        chosen = "consequence" if self.value(node.part("condition")) else "alternative"
        return self.value(node.part(chosen))

    def _call(self, node: Node) -> Any:
        name = node.part("function").text
        arguments = [child for child in node.part("arguments").children if child.kind != "comment"]
        if name in FILE_FUNCTIONS:
            return self._loaded(arguments)
        known = FUNCTIONS.get(name)
        if known is None:
            raise Refused(f"{name}() is not among the functions that the check knows")
        if len(arguments) < known.least or (known.most is not None and len(arguments) > known.most):
            raise Refused(f"{name}() is called with {len(arguments)} arguments")
        values = [plain(self.value(argument)) for argument in arguments]
        if name == "subscription":
            id = self.template.subscription
            return {"id": f"/subscriptions/{id}", "subscriptionId": id}
        try:
            return known.value(*values)
        except (AttributeError, TypeError, ValueError) as error:
            raise Refused(f"{name}() refuses its arguments: {error}") from None

    def _loaded(self, arguments: list[Node]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.file.path), text_of(arguments[0]) or ""))
        if path not in self.template.texts:
            raise Refused(f"there is no file {path}")
        return self.template.texts[path]

    def _member(self, node: Node) -> Any:
        within, name = self.value(node.children[0]), node.children[-1].text
        if isinstance(within, Deployment):
            return _Outputs(within) if name == "outputs" else _no_member(name)
        if isinstance(within, _Outputs):
            return within.read(name)
        if isinstance(within, Symbol):
            return self._of_resource(within, name)
        if isinstance(within, dict) and name in within:
            return within[name]
        return _no_member(name)

    def _of_resource(self, symbol: Symbol, name: str) -> Any:
        one, path = symbol.resource, (*symbol.path, name)
        if path in {("id",), ("name",)}:
            return one.body["name"] if name == "name" else one.id
        try:
            found = self.template.shapes.within(one.type, list(path))
        except KeyError:
            raise Refused(f"{one.symbol} has no {'.'.join(path)}") from None
        if isinstance(found, dict) and {"object", "map"} & set(found):
            return Symbol(one, path)
        return f"{RUNTIME}{one.symbol}.{'.'.join(path)}›"


@dataclass(frozen=True, slots=True)
class _Outputs:
    deployment: Deployment

    def read(self, name: str) -> Any:
        if name not in {one.name for one in self.deployment.file.of("output")}:
            raise Refused(f"{self.deployment.file.path} has no output {name!r}")
        value = self.deployment.output(name)
        return value if RUNTIME in repr(value) or not isinstance(value, str) else f"{RUNTIME}{value}›" if value else ""


def _no_member(name: str) -> Any:
    raise Refused(f"there is no member {name!r}")


_OPERATORS: Final[Mapping[str, Any]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "*": lambda left, right: left * right,
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
}

_KINDS: Final[Mapping[str, Any]] = {
    "string": Deployment._string,
    "number": lambda _, node: int(node.text),
    "boolean": lambda _, node: node.text == "true",
    "null": lambda _, node: None,
    "identifier": lambda deployment, node: deployment.named(node.text),
    "object": Deployment._object,
    "array": Deployment._array,
    "parenthesized_expression": lambda deployment, node: deployment.value(node.children[0]),
    "unary_expression": Deployment._unary,
    "binary_expression": Deployment._binary,
    "ternary_expression": Deployment._ternary,
    "call_expression": Deployment._call,
    "member_expression": Deployment._member,
}
