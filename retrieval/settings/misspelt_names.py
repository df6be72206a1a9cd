"""Finds misspelt names of settings that protect.

A misspelt setting looks like a variable of another program, so most misspelt settings are ignored. A misspelt setting
that protects is an error, because the deployment would run without its protection.
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
        for near in sorted(protecting):
            if is_one_edit(name.upper(), near):
                sentence = f"{name!r} is no setting, and {near} is one letter away: rename it, or remove it."
                yield Problem(near, sentence, "unfitting")


def is_one_edit(name: str, setting: str) -> bool:
    """Whether the names differ by at most one inserted, deleted or replaced letter, or by two exchanged neighbours."""
    shared = zip(name, setting, strict=False)
    at = next((at for at, (ours, theirs) in enumerate(shared) if ours != theirs), min(len(name), len(setting)))
    is_swapped = name[at : at + 2] == setting[at : at + 2][::-1]
    return (
        name[at + 1 :] in (setting[at:], setting[at + 1 :])
        or name[at:] == setting[at + 1 :]
        or (is_swapped and name[at + 2 :] == setting[at + 2 :])
    )
