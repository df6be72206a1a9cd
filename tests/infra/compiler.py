"""What the compiler would warn of, though the template is right: `!`, the one warning that is off, its settings.

Seen with the compiler of August 2026 and its published resource types: https://aka.ms/bicep/core-diagnostics.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.infra.tree import Declaration, File, Node

UNPUBLISHED: Final[Mapping[str, str]] = {"siteUpdateStrategy": "BCP037"}
"""Properties that are documented and in no version of the published types, with the warning that says so."""

KNOWN_AT_START: Final = frozenset({"apiVersion", "id", "name", "type"})
"""Members of a resource that the compiler knows whether it is deployed or not."""

LEVELS: Final = frozenset({"error", "warning", "info"})
AGING: Final = "use-recent-api-versions"
"""The one rule that time alone breaks: it tells, and fails nothing."""

SECRETS: Final = frozenset(
    {
        "outputs-should-not-contain-secrets",
        "secure-parameter-default",
        "secure-params-in-nested-deploy",
        "secure-secrets-in-params",
        "use-secure-value-for-secure-inputs",
    }
)
"""Rules of the linter that are about secrets: https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter"""


def problems(files: Mapping[str, File], config: str) -> Iterator[str]:
    """One sentence each, with the file and line."""
    for file in files.values():
        yield from (f"{file.path}:{problem}" for problem in (*_conditional(file), *_switched_off(file)))
    yield from (f"bicepconfig.json: {problem}" for problem in _config(config))


def _conditional(file: File) -> Iterator[str]:
    """What may not be there is read with `!` (BCP318), and nothing else is."""
    for owner in file.declarations:
        for node in (part for value in (owner.condition, owner.value) if value is not None for part in value.walk()):
            if node.kind != "member_expression" or node.children[0].kind != "identifier":
                continue
            one, member = file.named(node.children[0].text), node.children[-1].text
            if one is not None and one.kind in {"module", "resource"}:
                yield from _marked(node, one, member)


def _marked(node: Node, one: Declaration, member: str) -> Iterator[str]:
    if one.condition is None and node.text == "!":
        yield f"{node.line}: {one.name} is always deployed: there is nothing to say with a !"
    known = one.kind == "resource" and member in KNOWN_AT_START
    if one.condition is not None and node.text != "!" and not known:
        yield f"{node.line}: {one.name} may not be deployed: it is read as {one.name}!.{member} (BCP318)"


def _switched_off(file: File) -> Iterator[str]:
    for node in file.root.walk():
        before: Node | None = None
        for one in node.children:
            if one.kind == "diagnostic_comment" and (before is None or before.kind != "comment"):
                yield f"{one.line}: the line above says no reason for {one.text}"
            elif one.kind != "diagnostic_comment":
                off = before is not None and before.kind == "diagnostic_comment"
                yield from _excused(before.text if off and before is not None else "", one)
            before = one
        if node.children and node.children[-1].kind == "diagnostic_comment":
            yield f"{node.children[-1].line}: {node.children[-1].text} is before nothing"


def _excused(off: str, node: Node) -> Iterator[str]:
    own = node.kind == "object_property" and node.children[-1].kind == "object"
    name = node.children[0].text if own else ""
    needed = f"#disable-next-line {UNPUBLISHED[name]}" if name in UNPUBLISHED else ""
    if off.strip() != needed:
        yield f"{node.line}: above it stands {off.strip() or 'nothing'!r}, not {needed or 'nothing'!r}"


def _config(text: str) -> Iterator[str]:
    found: Mapping[str, Any] = json.loads(text)
    core = found.get("analyzers", {}).get("core", {})
    if set(found) != {"analyzers"} or core.get("enabled") is not True:
        yield "it says which rules of the linter hold, that they do, and nothing else"
    levels = {name: rule.get("level") for name, rule in core.get("rules", {}).items()}
    yield from (f"{name} is {level!r}" for name, level in levels.items() if level not in LEVELS)
    if levels.get(AGING) != "info":
        yield f"{AGING} must be 'info': it breaks by time passing"
    yield from (f"{name} must be an error" for name in sorted(SECRETS) if levels.get(name) != "error")
    quiet = [name for name, level in levels.items() if level == "info" and name != AGING]
    yield from (f"{name} only tells, where it could fail" for name in quiet)
