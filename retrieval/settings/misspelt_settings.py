"""Finds environment variables whose names are one edit away from the name of a setting that protects. A misspelt
setting looks like a variable of another program, so most misspelt settings are ignored. A misspelt setting that
protects is an error, because the deployment would run without its protection.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from retrieval.errors import Problem

_OFTEN_OTHERS: Final = {"API_KEY": "API_KEYS"}
"""Names that may belong to another program. Such a name is an error only if the correct setting is missing."""


def misspelt(variables: Iterable[str], protecting: Collection[str]) -> Iterator[Problem]:
    """A problem for each variable whose name is one edit away from one of the settings that protect."""
    names = frozenset(variables)
    foreign = {name for name, setting in _OFTEN_OTHERS.items() if setting in names}
    for name in sorted(names.difference(protecting) - foreign):
        for setting in sorted(protecting):
            if is_one_edit(name.upper(), setting):
                sentence = f"{name!r} is no setting, and {setting} is one letter away: rename it, or remove it."
                yield Problem(setting, sentence, "unfitting")


def is_one_edit(name: str, setting: str) -> bool:
    """Whether the names differ by at most one inserted, deleted or replaced letter, or by two exchanged neighbours."""
    if abs(len(name) - len(setting)) > 1:
        return False
    start = _alike(name, setting)
    ours, theirs = name[start:], setting[start:]
    end = _alike(ours[::-1], theirs[::-1])
    ours, theirs = ours[: len(ours) - end], theirs[: len(theirs) - end]
    return max(len(ours), len(theirs)) <= 1 or (len(ours) == 2 and ours == theirs[::-1])


def _alike(left: str, right: str) -> int:
    """The length of the common beginning of two texts."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))
