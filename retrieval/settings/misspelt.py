"""Finds variables whose names differ by one slip from the name of a setting that protects.

A misspelt setting looks like another program's variable, so most are ignored. Where the setting would have kept
somebody out, its absence lets everybody in: that is a fault.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from retrieval.errors import Problem

PROTECTING: Final = frozenset(
    {
        "ACCESS_KEYS",
        "ADMIN_API_KEYS",
        "API_KEYS",
        "BASE_KEYS",
        "BASE_ROLES",
        "ENTRA_AUDIENCE",
        "ENTRA_MANAGE_ROLES",
        "ENTRA_RETRIEVE_ROLES",
        "ENTRA_TENANT_ID",
        "IMPOSED_FILTERS",
        "LIMITS",
        "MAX_CONCURRENT_REQUESTS",
        "USER_TOKEN_AGENTS",
    }
)
_OFTEN_OTHERS: Final = {"API_KEY": "API_KEYS"}
"""A name that may belong to another program. It counts only if the setting itself is missing."""


def misspelt(variables: Iterable[str]) -> Iterator[Problem]:
    """A problem for each variable that is one edit from a setting that protects, and is not that setting."""
    names = frozenset(variables)
    foreign = {name for name, setting in _OFTEN_OTHERS.items() if setting in names}
    for name in sorted(names - PROTECTING - foreign):
        for setting in sorted(PROTECTING):
            if is_one_edit(name.upper(), setting):
                sentence = f"{name!r} is no setting, and {setting} is one letter away: rename it, or remove it."
                yield Problem(setting, sentence, "unfitting")


def is_one_edit(name: str, setting: str) -> bool:
    """Whether at most one letter was inserted, deleted or replaced, or two neighbours were exchanged."""
    if abs(len(name) - len(setting)) > 1:
        return False
    start = _alike(name, setting)
    ours, theirs = name[start:], setting[start:]
    end = _alike(ours[::-1], theirs[::-1])
    ours, theirs = ours[: len(ours) - end], theirs[: len(theirs) - end]
    return max(len(ours), len(theirs)) <= 1 or (len(ours) == 2 and ours == theirs[::-1])


def _alike(left: str, right: str) -> int:
    """The number of first letters that two texts have in common."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))
