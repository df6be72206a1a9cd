"""Reads {name: [module, class]} from stdin, writes the shapes of these management models to stdout.

Runs in the environment that has the azure-mgmt packages, whose models are generated from the published REST
specifications. Of a discriminated class the shape has the members of all its subclasses.
"""

import enum
import importlib
import inspect
import json
import re
import sys
import types
import typing
from typing import Any

SIMPLE = {str: "text", int: "integer", float: "number", bool: "boolean"}
NAMED = {"str": "text", "int": "integer", "float": "number", "bool": "boolean"}
INNOCENT = "text"


class Shapes:
    """The classes seen so far, by name: {member: {"type", "readonly", "required"}}."""

    def __init__(self) -> None:
        self.classes: dict[str, dict[str, Any]] = {}

    def of(self, model: type) -> str:
        name = f"{model.__module__}.{model.__name__}"
        if name not in self.classes:
            self.classes[name] = {}
            members: dict[str, Any] = {}
            for one in (*_below(model), model):
                msrest = hasattr(one, "_attribute_map")
                found = self._members(one) if msrest else self._rest_members(one)
                required = one is model
                members.update({key: {**value, "required": value["required"] and required} for key, value in found})
            self.classes[name] = members
        return name

    def _members(self, model: Any) -> list[tuple[str, Any]]:
        """Of the older generator: dotted wire names, types as text, enums in the signature of the constructor."""
        nested: dict[str, Any] = {}
        for attribute, entry in model._attribute_map.items():
            rules = getattr(model, "_validation", {}).get(attribute, {})
            path = [part.replace("\\.", ".") for part in re.split(r"(?<!\\)\.", entry["key"])]
            known = self._enum(model, attribute) or self._named(model, entry["type"])
            leaf = {"type": known, "readonly": bool(rules.get("readonly")), "required": bool(rules.get("required"))}
            _put(nested, path, leaf)
        return [(key, self._settled(value)) for key, value in nested.items()]

    def _settled(self, value: Any) -> Any:
        if "type" in value and "readonly" in value:
            return value
        name = f"inline.{len(self.classes)}"
        self.classes[name] = {key: self._settled(one) for key, one in value.items()}
        readonly = all(one["readonly"] for one in self.classes[name].values())
        required = any(one["required"] for one in self.classes[name].values())
        return {"type": {"object": name}, "readonly": readonly, "required": required}

    def _enum(self, model: Any, attribute: str) -> Any:
        hint = inspect.get_annotations(model.__init__).get(attribute)
        found = re.search(r"Union\[str, ForwardRef\('_models\.(\w+)'|Union\[str, \"_models\.(\w+)\"", str(hint))
        one = getattr(_package(model), found[1] or found[2], None) if found else None
        if not isinstance(one, type) or not issubclass(one, enum.Enum):
            return None
        return {"list": _values(one)} if model._attribute_map[attribute]["type"].startswith("[") else _values(one)

    def _named(self, model: Any, text: str) -> Any:
        if text.startswith("["):
            return {"list": self._named(model, text[1:-1])}
        if text.startswith("{"):
            return {"map": self._named(model, text[1:-1])}
        one: Any = getattr(_package(model), text, None)
        if text in {"object", "JSON"}:
            return "any"
        if one is None:
            return NAMED.get(text, INNOCENT)
        return _values(one) if issubclass(one, enum.Enum) else {"object": self.of(one)}

    def _rest_members(self, model: Any) -> list[tuple[str, Any]]:
        """Of the newer generator: annotations, and a field object that knows the wire name."""
        model({})
        package = _package(model)
        scope = {**vars(sys.modules[model.__module__]), "_models": package, "_types": package}
        hints = typing.get_type_hints(model, globalns=scope)
        found = []
        for attribute, field in model._attr_to_rest_field.items():
            hint = hints.get(attribute, Any)
            readonly = field._visibility == ["read"]
            required = not readonly and type(None) not in typing.get_args(hint)
            found.append((field._rest_name, {"type": self._hint(hint), "readonly": readonly, "required": required}))
        return found

    def _hint(self, hint: Any) -> Any:
        origin, inner = typing.get_origin(hint), [one for one in typing.get_args(hint) if one is not type(None)]
        if origin in (typing.Union, types.UnionType):
            enums = [one for one in inner if isinstance(one, type) and issubclass(one, enum.Enum)]
            return _values(enums[0]) if enums else self._hint(inner[0])
        if origin is list:
            return {"list": self._hint(inner[0])}
        if origin is dict:
            return {"map": self._hint(inner[1])}
        if origin is typing.Literal:
            first = inner[0]
            return {"enum": [first.value if isinstance(first, enum.Enum) else first]}
        if isinstance(hint, type) and hasattr(hint, "_is_model"):
            return {"object": self.of(hint)}
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return _values(hint)
        return SIMPLE.get(hint, "any" if hint is Any else INNOCENT)


def _below(model: type) -> list[type]:
    found: list[type] = []
    below: list[type] = type.__subclasses__(model)
    for one in below:
        found += [*_below(one), one]
    return found


def _package(model: Any) -> Any:
    return sys.modules[model.__module__.rpartition(".")[0]]


def _values(one: type[enum.Enum]) -> dict[str, list[str]]:
    return {"enum": [str(member.value) for member in one]}


def _put(nested: dict[str, Any], path: list[str], leaf: Any) -> None:
    for part in path[:-1]:
        nested = nested.setdefault(part, {})
    nested[path[-1]] = leaf


def main() -> None:
    shapes = Shapes()
    asked: dict[str, list[str]] = json.load(sys.stdin)
    roots = {
        name: shapes.of(getattr(importlib.import_module(module), model)) for name, (module, model) in asked.items()
    }
    json.dump({"roots": roots, "classes": shapes.classes}, sys.stdout)


if __name__ == "__main__":
    main()
