"""Stands in for az, azd, gh and git: knows the commands and options that docs and workflows use. PROGRAM ARGUMENT...

The environment's STAND_IN is a JSON file of `Facts`; what the commands do to Azure is kept beside it. What the real
programs take beyond this, or no longer take, it cannot know.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.infra.tools.azd import Refused
from tests.infra.tools.stand_in_azd import COMMANDS, Azd, Facts, facts_of

PRINTS = ("query", "output")
IN_GROUP = ("resource-group",)
FRONT = (*IN_GROUP, "profile-name")
AZ: Mapping[str, Sequence[str]] = {
    "login": (),
    "account get-access-token": ("resource", *PRINTS),
    "ad user show": ("id", *PRINTS),
    "role assignment create": ("role", "assignee-object-id", "assignee-principal-type", "scope"),
    "search service list": (*IN_GROUP, *PRINTS),
    "search service update": (*IN_GROUP, "name", "auth-options", "aad-auth-failure-mode", "semantic-search"),
    "provider register": ("namespace", "wait"),
    "bicep build": ("file", "stdout"),
    "afd profile create": (*FRONT, "sku", "origin-response-timeout-seconds"),
    "afd profile show": (*FRONT, *PRINTS),
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
GIT: Mapping[str, Sequence[str]] = {"checkout": ()}
GH: Mapping[str, Sequence[str]] = {
    "release download": ("pattern", "repo"),
    "repo view": ("json", "jq"),
    "attestation verify": ("repo",),
}
PROGRAMS = {"az": AZ, "azd": COMMANDS, "gh": GH, "git": GIT}
TAKING = {"checkout", "release download", "attestation verify"}
"""Commands of other programs than azd that take a value."""
SWITCHES = {"preview", "purge", "force", "wait", "stdout", "no-prompt", "no-state"}


def run(program: str, arguments: Sequence[str], folder: Path, facts: Facts) -> str:
    """What the command prints."""
    command, rest = _command(PROGRAMS[program], arguments)
    options, values = _options(PROGRAMS[program][command], rest)
    if options.get("role", facts.roles[0]) not in facts.roles:
        raise Refused(f"there is no role {options['role']!r}")
    if program == "azd":
        return Azd(folder, facts).run(command, options, values)
    if values and command not in TAKING:
        raise Refused(f"{values[0]!r} belongs to no option")
    if command in TAKING:
        _released(command, values, options, facts)
    if command == "bicep build":
        return _compiled(facts.answers.get(command, ""))
    return facts.answers.get(command, "")


def _released(command: str, values: Sequence[str], options: Mapping[str, str], facts: Facts) -> None:
    """There is one tag, and one release with its package, whose origin is known where it is downloaded."""
    (value,) = values
    if command == "attestation verify":
        if not options.get("repo") or Path(value).read_text() != facts.release:
            raise Refused(f"{value!r} is of another origin")
        return
    if value != facts.release:
        raise Refused(f"there is no {value!r}")
    if command == "release download":
        Path(f"agentic-retrieval-functions-{value.removeprefix('v')}.zip").write_text(value)


def _compiled(said: str) -> str:
    """What the compiler says of a template goes to standard error; with an error in it there is none."""
    print(said, file=sys.stderr)
    if " : Error " in said:
        raise Refused("the template has errors")
    return "{}"


def _command(known: Mapping[str, Sequence[str]], arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    for size in (4, 3, 2, 1):
        if " ".join(arguments[:size]) in known:
            return " ".join(arguments[:size]), arguments[size:]
    raise Refused("there is no such command")


def _options(known: Sequence[str], arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options by name, and the values; after `--` all are values."""
    options: dict[str, str] = {}
    values: list[str] = []
    rest = list(arguments)
    while rest:
        one = rest.pop(0)
        if one == "--":
            return options, [*values, *rest]
        if not one.startswith("-"):
            values.append(one)
            continue
        name = one.removeprefix("--")
        if name not in known:
            raise Refused(f"there is no option {one}")
        if name not in SWITCHES and not rest:
            raise Refused(f"{one} has no value")
        options[name] = "" if name in SWITCHES else rest.pop(0)
    return options, values


def main(arguments: Sequence[str]) -> int:
    """azd says on standard output what is wrong, as a value that somebody may take for one."""
    program, *rest = arguments
    place = Path(os.environ["STAND_IN"])
    try:
        printed = run(program, rest, place.parent, facts_of(json.loads(place.read_text())))
    except Refused as refusal:
        print(f"ERROR: {program} {' '.join(rest)}: {refusal}", file=sys.stdout if program == "azd" else sys.stderr)
        return 1
    if printed:
        print(printed)
    return 0
