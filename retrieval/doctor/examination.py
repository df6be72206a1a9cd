"""Checks, all at once, each within its time; their findings are told in the order of the checks as they come."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from retrieval.errors import BackendError
from retrieval.model.finding import About, Finding

SECONDS: Final = 30.0
"""The longest that a check takes."""

Look: TypeAlias = Callable[[], Awaitable[Sequence[Finding]]]
Tell: TypeAlias = Callable[[Finding], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What is examined, and how."""

    about: About
    look: Look


async def examine(
    checks: Iterable[Check], tell: Tell, *, secrets: Collection[str] = (), seconds: float = SECONDS
) -> tuple[Finding, ...]:
    """All findings, without the secrets. A finding is told once those of every check before it are."""
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_looked(check, seconds)) for check in checks]
        for task in tasks:
            for found in await task:
                finding = _told(found, secrets)
                tell(finding)
                findings.append(finding)
    return tuple(findings)


def _told(found: Finding, secrets: Collection[str]) -> Finding:
    """The finding without secrets, in lines of printable characters, whatever names and services have in them."""
    lines = [_line(line, secrets) for line in found.do.split("\n")]
    said, name = _line(found.said, secrets), _line(found.name, secrets)
    return replace(found, name=name, said=said, do="\n".join(lines))


def _line(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return "".join(letter if letter.isprintable() else " " for letter in text)


async def _looked(check: Check, seconds: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await check.look()
    except TimeoutError:
        return [check.about.fault(f"This was not known after {seconds:.0f} s.", "Look at the network in between.")]
    except BackendError as error:
        return [check.about.fault(str(error), "See the message.")]
