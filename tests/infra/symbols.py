"""What the text of a file says, whichever branch a deployment takes: names, parameters, outputs, versions, style."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final

from tests.infra.functions import FILE_FUNCTIONS, FUNCTIONS
from tests.infra.shapes import TYPES
from tests.infra.tree import Declaration, File, Node, members

DECORATORS: Final = frozenset({"allowed", "description", "maxLength", "maxValue", "minLength", "minValue", "secure"})
SECRET_NAMES: Final = re.compile(r"key|secret|password|token|sas(?![a-z])|credential", re.IGNORECASE)


def problems(files: Mapping[str, File]) -> Iterator[str]:
    """One sentence each, with the file and line."""
    read = _outputs_read(files)
    for file in files.values():
        for line in file.broken:
            yield f"{file.path}:{line}: it is not Bicep"
        yield from _names(file)
        for one in file.declarations:
            where = f"{file.path}:{one.line}: {one.name}"
            yield from (f"{where}: {problem}" for problem in _declaration(one, files, file))
            if one.kind == "output" and file.path != "main.bicep" and (file.path, one.name) not in read:
                yield f"{where}: nothing reads this output"


def references(node: Node | None) -> Iterator[str]:
    """The symbols that an expression names."""
    for one in node.walk() if node is not None else ():
        yield from (child.text for child in one.children if child.kind == "identifier" and _is_reference(one, child))


def used(one: Declaration) -> Iterator[str]:
    """The symbols that a declaration names."""
    for node in (one.condition, one.value):
        yield from [node.text] if node is not None and node.kind == "identifier" else references(node)


def _is_reference(parent: Node, child: Node) -> bool:
    if parent.kind == "object_property":
        return child is not parent.children[0]
    return not (parent.kind == "call_expression" and child.field == "function")


def _names(file: File) -> Iterator[str]:
    symbols = [one for one in file.declarations if one.kind != "output"]
    seen: set[str] = set()
    needed = {name for one in file.declarations for name in used(one)}
    for one in symbols:
        if one.name in seen:
            yield f"{file.path}:{one.line}: {one.name}: it is declared twice"
        seen.add(one.name)
        if one.kind in {"parameter", "variable"} and one.name not in needed:
            yield f"{file.path}:{one.line}: {one.name}: nothing uses it"
    for one in file.declarations:
        for name in sorted(set(used(one)) - seen):
            yield f"{file.path}:{one.line}: {one.name}: {name!r} is not declared"


def _declaration(one: Declaration, files: Mapping[str, File], file: File) -> Iterator[str]:
    for node in (one.condition, one.value):
        yield from _calls(node)
    yield from (
        f"@{name}() is not a decorator that the check knows" for name in sorted(set(one.decorators) - DECORATORS)
    )
    if one.kind in {"parameter", "output"} and "description" not in one.decorators:
        yield "it has no @description()"
    if one.kind == "parameter":
        yield from _parameter(one)
    elif one.kind == "resource":
        yield from _resource(one)
    elif one.kind == "module":
        yield from _module(one, files, file)
    elif one.kind == "output" and SECRET_NAMES.search(one.name):
        yield "an output with the name of a secret"


def _calls(node: Node | None) -> Iterator[str]:
    for one in node.walk() if node is not None else ():
        if one.kind != "call_expression":
            continue
        name = one.part("function")
        called = name.children[-1].text if name.children else name.text
        if called.lower().startswith("list"):
            yield f"{called}() reads keys, and no key is used anywhere"
        elif called not in FUNCTIONS and called not in FILE_FUNCTIONS:
            yield f"{called}() is not among the functions that the check knows"


def _parameter(one: Declaration) -> Iterator[str]:
    numbers = {"minValue", "maxValue"} <= set(one.decorators)
    if one.type == "int" and not numbers and "allowed" not in one.decorators:
        yield "a number has @minValue() and @maxValue(), or @allowed()"
    if SECRET_NAMES.search(one.name) and "secure" not in one.decorators:
        yield "a parameter with the name of a secret is @secure()"
    if "secure" in one.decorators and one.value is not None and one.value.text not in {"''", "{}"}:
        yield "a secure parameter has no default but an empty one"


def _resource(one: Declaration) -> Iterator[str]:
    type_name, _, version = one.source.partition("@")
    known = {name.removesuffix("/appsettings"): entry for name, entry in TYPES.items()}
    if type_name not in known:
        yield f"{type_name} is not among the types that the check knows"
    elif version != known[type_name][0]:
        yield f"the version of {type_name} is {known[type_name][0]}, not {version}"


def _module(one: Declaration, files: Mapping[str, File], file: File) -> Iterator[str]:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), one.source))
    if path not in files:
        yield f"{one.source} is not a module of this project"
        return
    assert one.value is not None
    body = members(one.value)
    given = set(members(body["params"])) if "params" in body else set()
    taken = {param.name: param for param in files[path].of("parameter")}
    needed = {name for name, param in taken.items() if param.value is None}
    yield from (f"{path} has no parameter {name!r}" for name in sorted(given - set(taken)))
    yield from (f"the parameter {name!r} of {path} is missing" for name in sorted(needed - given))
    outputs = {output.name for output in files[path].of("output")}
    for owner in file.declarations:
        for name in _read_of(one.name, owner):
            if name not in outputs:
                yield f"{path} has no output {name!r}"


def _read_of(module: str, owner: Declaration) -> Iterator[str]:
    for node in (owner.condition, owner.value):
        for one in node.walk() if node is not None else ():
            if one.kind == "member_expression" and one.children[0].kind == "member_expression":
                inner = one.children[0]
                if inner.children[-1].text == "outputs" and inner.children[0].text == module:
                    yield one.children[-1].text


def _outputs_read(files: Mapping[str, File]) -> set[tuple[str, str]]:
    found = set()
    for file in files.values():
        for module in file.of("module"):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), module.source))
            found |= {(path, name) for owner in file.declarations for name in _read_of(module.name, owner)}
    return found
