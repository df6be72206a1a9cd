"""A Bicep file as typed values: nodes of the syntax, and the declarations that they make up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

_LOOSE: Final = frozenset({"ternary_expression", "binary_expression", "unary_expression"})
_TIGHT: Final = frozenset({"member_expression", "subscript_expression"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A named node. `text` is that of a leaf, or the operator of an operation."""

    kind: str
    field: str | None
    line: int
    text: str
    children: tuple["Node", ...]

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def part(self, field: str) -> "Node":
        return next(child for child in self.children if child.field == field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """`kind` is parameter, variable, resource, module or output; `source` a resource's type or a module's file."""

    kind: str
    name: str
    line: int
    type: str = ""
    source: str = ""
    existing: bool = False
    condition: Node | None = None
    value: Node | None = None
    decorators: Mapping[str, Node]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A Bicep file. `broken` are the lines that the parser could not read; `root` has everything, comments too."""

    path: str
    scope: str
    declarations: tuple[Declaration, ...]
    broken: tuple[int, ...]
    root: Node

    def of(self, kind: str) -> Sequence[Declaration]:
        return [one for one in self.declarations if one.kind == kind]

    def named(self, name: str) -> Declaration | None:
        return next((one for one in self.declarations if one.name == name and one.kind != "output"), None)


def read(path: str, raw: Any) -> File:
    """From a tree as `tools/trees.py` writes it."""
    root = _node(raw)
    found: list[Declaration] = []
    decorators: dict[str, Node] = {}
    scope = "resourceGroup"
    for child in root.children:
        if child.kind == "decorators":
            decorators = {call.part("function").text: call for one in child.children for call in one.children}
        elif child.kind == "target_scope_assignment":
            scope = text_of(child.children[0]) or scope
        elif child.kind.endswith("_declaration"):
            found.append(_declaration(child, decorators))
            decorators = {}
    broken = tuple(node.line for node in root.walk() if node.kind == "ERROR")
    return File(path=path, scope=scope, declarations=tuple(found), broken=broken, root=root)


def text_of(node: Node) -> str | None:
    """The value of a string without interpolation."""
    if node.kind != "string" or any(child.kind == "interpolation" for child in node.children):
        return None
    return "".join(child.text for child in node.children).replace("\\'", "'")


def members(node: Node) -> Mapping[str, Node]:
    """The members of an object whose names are literal."""
    found = {}
    for one in node.children:
        if one.kind == "object_property":
            key = one.children[0].text if one.children[0].kind == "identifier" else text_of(one.children[0])
            if key is not None:
                found[key] = one.children[-1]
    return found


def _declaration(node: Node, decorators: Mapping[str, Node]) -> Declaration:
    kind = node.kind.removesuffix("_declaration")
    name, *rest = node.children
    made = Declaration(kind=kind, name=name.text, line=node.line, decorators=decorators)
    if kind in {"resource", "module"}:
        condition, value = _conditional(rest[-1])
        existing = "existing" in node.text
        return replace(made, source=text_of(rest[0]) or "", existing=existing, condition=condition, value=value)
    if rest and rest[0].kind == "type":
        made = replace(made, type=rest[0].text or rest[0].children[0].text)
        rest = rest[1:]
    return replace(made, value=rest[0] if rest else None)


def _conditional(node: Node) -> tuple[Node | None, Node]:
    if node.kind == "if_statement":
        return node.children[0], node.children[1]
    return None, node


def _node(raw: Any) -> Node:
    kind, field, line, text, children = raw
    return _rotated(
        Node(kind=kind, field=field, line=line, text=text, children=tuple(_node(child) for child in children))
    )


def _rotated(node: Node) -> Node:
    """The grammar binds `a ? b : c.d` as `(a ? b : c).d`; this gives the access back to its operand."""
    if node.kind not in _TIGHT or node.children[0].kind not in _LOOSE:
        return node
    outer, last = node.children[0], node.children[0].children[-1]
    operand = replace(last, field="object")
    access = replace(node, field=last.field, children=(operand, *node.children[1:]))
    return replace(outer, field=node.field, children=(*outer.children[:-1], _rotated(access)))
