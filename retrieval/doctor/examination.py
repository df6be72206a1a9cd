"""Runs all checks at the same time, each with a time limit, and gives their findings in the order of the checks."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from retrieval.errors import BackendError
from retrieval.model.finding import About, Finding

SECONDS: Final = 30.0
"""The most seconds that a check takes."""

Look: TypeAlias = Callable[[], Awaitable[Sequence[Finding]]]
Tell: TypeAlias = Callable[[Finding], None]


@dataclass(frozen=True, slots=True)
class Check:
    """A subject of the examination, and the function that checks it."""

    about: About
    look: Look


async def examine(
    checks: Iterable[Check], tell: Tell, *, secrets: Collection[str] = (), seconds: float = SECONDS
) -> tuple[Finding, ...]:
    """All findings, without the secrets. `tell` is called with the findings of a check as soon as this check and all
    earlier checks have ended."""
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_look(check, seconds)) for check in checks]
        for task in tasks:
            for raw_finding in await task:
                finding = _censored(raw_finding, secrets)
                tell(finding)
                findings.append(finding)
    return tuple(findings)


def _censored(finding: Finding, secrets: Collection[str]) -> Finding:
    """The finding without secrets, in lines of printable characters. This is needed because names and messages of
    services may contain any character."""
    lines = [_line(line, secrets) for line in finding.do.split("\n")]
    sentence, name = _line(finding.said, secrets), _line(finding.name, secrets)
    return replace(finding, name=name, said=sentence, do="\n".join(lines))


def _line(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return "".join(letter if letter.isprintable() else " " for letter in text)


async def _look(check: Check, seconds: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await check.look()
    except TimeoutError:
        return [check.about.fault(f"This was not known after {seconds:.0f} s.", "Look at the network in between.")]
    except BackendError as error:
        return [check.about.fault(str(error), "See the message.")]
