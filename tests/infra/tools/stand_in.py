"""Stands in for `az`, `azd` and `git`: takes the commands and options that it knows, refuses every other one.

    stand_in.py PROGRAM ARGUMENT...

The environment's STAND_IN is a JSON file: `variables` that azd may set, `outputs` that it may give, `roles` that may be
assigned, `answers` by what is asked for. Every `azd env set` is appended to its `said` as an array of environment,
name and value. What the real programs take beyond this, or no longer take, it cannot know.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PRINTS = ("query", "output")
IN_GROUP = ("resource-group",)
FRONT = (*IN_GROUP, "profile-name")
AZ: Mapping[str, Sequence[str]] = {
    "login": (),
    "account get-access-token": ("resource", *PRINTS),
    "ad signed-in-user show": PRINTS,
    "role assignment create": ("role", "assignee-object-id", "assignee-principal-type", "scope"),
    "search service list": (*IN_GROUP, *PRINTS),
    "search service update": (*IN_GROUP, "name", "auth-options", "aad-auth-failure-mode", "semantic-search"),
    "provider register": ("namespace", "wait"),
    "afd profile create": (*FRONT, "sku", "origin-response-timeout-seconds"),
    "afd endpoint create": (*FRONT, "endpoint-name"),
    "afd origin-group create": (
        *FRONT, "origin-group-name", "probe-path", "probe-protocol", "probe-request-type", "probe-interval-in-seconds",
        "sample-size", "successful-samples-required", "additional-latency-in-milliseconds",
    ),
    "afd origin create": (
        *FRONT, "origin-group-name", "origin-name", "host-name", "origin-host-header", "https-port", "priority",
        "weight", "enabled-state",
    ),
    "afd route create": (
        *FRONT, "endpoint-name", "route-name", "origin-group", "supported-protocols", "https-redirect",
        "forwarding-protocol", "link-to-default-domain",
    ),
}  # fmt: skip
AZD: Mapping[str, Sequence[str]] = {
    "auth login": (),
    "env new": ("location",),
    "env select": (),
    "env set": (),
    "env get-value": (),
    "up": (),
    "provision": ("preview",),
    "deploy": (),
    "down": ("purge", "force"),
}
GIT: Mapping[str, Sequence[str]] = {"checkout": ()}
PROGRAMS = {"az": AZ, "azd": AZD, "git": GIT}
SWITCHES = {"preview", "purge", "force", "wait"}


class Refused(Exception):
    """The command is not one that is known."""


def run(program: str, arguments: Sequence[str], facts: Mapping[str, list[str] | dict[str, str]]) -> str:
    """What the command prints."""
    command, rest = _command(PROGRAMS[program], arguments)
    options, values = _options(PROGRAMS[program][command], rest)
    if "role" in options and options["role"] not in facts["roles"]:
        raise Refused(f"there is no role {options['role']!r}")
    if program == "azd":
        return _azd(command, values, facts)
    if values and command != "checkout":
        raise Refused(f"{values[0]!r} belongs to no option")
    return _answer(command, facts)


def _command(known: Mapping[str, Sequence[str]], arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    for size in (4, 3, 2, 1):
        if " ".join(arguments[:size]) in known:
            return " ".join(arguments[:size]), arguments[size:]
    raise Refused("there is no such command")


def _options(known: Sequence[str], arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    values: list[str] = []
    rest = list(arguments)
    while rest:
        one = rest.pop(0)
        if not one.startswith("--"):
            values.append(one)
            continue
        name = one.removeprefix("--")
        if name not in known:
            raise Refused(f"there is no option {one}")
        if name not in SWITCHES and not rest:
            raise Refused(f"{one} has no value")
        options[name] = "" if name in SWITCHES else rest.pop(0)
    return options, values


def _azd(command: str, values: Sequence[str], facts: Mapping[str, list[str] | dict[str, str]]) -> str:
    expected = {"env new": 1, "env select": 1, "env set": 2, "env get-value": 1}.get(command, 0)
    if len(values) != expected:
        raise Refused(f"it takes {expected} values, not {len(values)}")
    place = Path(os.environ["STAND_IN"]).with_name("environment")
    if command in {"env new", "env select"}:
        place.write_text(values[0])
    elif command == "env set":
        if values[0] not in facts["variables"]:
            raise Refused(f"main.parameters.json reads no variable {values[0]}")
        if not values[1]:
            raise Refused("the value is empty: what was to print it has failed")
        said = Path(os.environ["STAND_IN"]).with_name("said")
        with said.open("a") as file:
            file.write(json.dumps([place.read_text(), *values]) + "\n")
    elif command == "env get-value":
        if values[0] not in facts["outputs"] and values[0] not in facts["variables"]:
            raise Refused(f"main.bicep has no output {values[0]}, and nothing sets it")
        return _answer(values[0], facts)
    return ""


def _answer(asked: str, facts: Mapping[str, list[str] | dict[str, str]]) -> str:
    answers = facts["answers"]
    return answers.get(asked, "") if isinstance(answers, dict) else ""


def main() -> int:
    program, *arguments = sys.argv[1:]
    try:
        printed = run(program, arguments, json.loads(Path(os.environ["STAND_IN"]).read_text()))
    except Refused as refusal:
        print(f"{program} {' '.join(arguments)}: {refusal}", file=sys.stderr)
        return 2
    if printed:
        print(printed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
