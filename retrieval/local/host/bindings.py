"""The bindings of a function, as function.json has them."""

import json
from collections.abc import Iterable

from retrieval.local.host.errors import BadFunction
from retrieval.local.host.table import Function


def describe(name: str, raw_bindings: Iterable[str]) -> Function:
    """A function from its bindings, each a JSON object as in function.json; BadFunction unless it is HTTP alone."""
    bindings = [json.loads(binding) for binding in raw_bindings]
    triggers = [binding for binding in bindings if binding["type"] == "httpTrigger"]
    others = [binding["type"] for binding in bindings if binding["type"] not in ("httpTrigger", "http")]
    if len(triggers) != 1 or others:
        raise BadFunction(
            name, f"the local host runs HTTP functions only, not one with {', '.join(others) or 'no trigger'}"
        )
    trigger = triggers[0]
    return Function(
        name=name,
        trigger=trigger["name"],
        route=trigger.get("route"),
        methods=tuple(str(method).upper() for method in trigger.get("methods") or ()),
    )
