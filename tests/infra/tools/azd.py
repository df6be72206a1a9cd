"""What azd makes of main.parameters.json, as azd 1.32 was seen to do it and its source has it.

Source: `loadParameters`, `ensureParameters` and `armParameterFileValue` in cli/azd/pkg/infra/provisioning/bicep of
https://github.com/Azure/azure-dev. Only the standard library: the stand-in for azd runs without any package.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_VARIABLE: Final = re.compile(r"\$\{(\w+)(?:=([^}]*))?\}")
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
JSON_TYPES: Final = frozenset({"object", "array"})


class Refused(Exception):
    """azd stops, with this sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the compiled template: its type, and its default where it has one, expressions in brackets."""

    type: str
    default: str | None


def given(file: str, declared: Mapping[str, Parameter], look_up: Callable[[str], str | None]) -> dict[str, Any]:
    """The parameters that azd deploys with; those left out get the template's default.

    `look_up` gives the value of a variable, None where nothing sets it. Refused for what is not JSON after the values
    are put in, and for a parameter without a value and without a default, by its variable.
    """
    entries: Mapping[str, Mapping[str, Any]] = json.loads(file)["parameters"]
    read = {name: _read(name, entry["value"], declared.get(name), look_up) for name, entry in entries.items()}
    found = {name: _converted(one, read.get(name)) for name, one in declared.items()}
    missing = [name for name, one in declared.items() if found[name] is None and one.default is None]
    if missing:
        said = (f"{name} ({', '.join(variables(entries.get(name, {}).get('value')))})" for name in sorted(missing))
        raise Refused(f"missing required inputs: {'; '.join(said)}")
    return {name: value for name, value in found.items() if value is not None}


def variables(value: Any) -> list[str]:
    """The variables that a value of main.parameters.json names."""
    return [name for name, _ in _VARIABLE.findall(value)] if isinstance(value, str) else []


def parsed(type_name: str, text: str) -> Any:
    """A boolean or an integer from its text, as Go reads them; None where the text is none."""
    if type_name == "bool":
        return True if text in _TRUE else False if text in _FALSE else None
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None


def _read(name: str, value: Any, parameter: Parameter | None, look_up: Callable[[str], str | None]) -> Any:
    """The value in the file with its variables replaced, within JSON as it stands; None where nothing was said."""
    unset = any(look_up(variable) is None for variable in variables(value))

    def replaced(match: re.Match[str]) -> str:
        return look_up(match[1]) or match[2] or ""

    if parameter is not None and parameter.type in JSON_TYPES and isinstance(value, str):
        text = _VARIABLE.sub(replaced, value)
        return None if unset and not text else _json(text, f"parameter {name!r} ({parameter.type}): {text!r}")
    text = _VARIABLE.sub(replaced, json.dumps({"value": value}))
    found = _json(text, f"parameter {name!r}")["value"]
    return None if unset and found == "" else found


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refused(f"substituting {what} is not valid JSON: {error}") from None


def _converted(parameter: Parameter, value: Any) -> Any:
    """What is passed; None where the template's default counts, be it that the text could not be read."""
    if not isinstance(value, str) or parameter.type in JSON_TYPES:
        return value
    if parameter.type in {"bool", "int"}:
        return parsed(parameter.type, value)
    if value:
        return value
    return value if parameter.default else None
