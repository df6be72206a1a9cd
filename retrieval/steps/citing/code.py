"""Code in an answer: what no citation stands behind must be made of what was retrieved or asked."""

import re
from collections.abc import Set
from typing import Final

from retrieval.steps.citing import addresses
from retrieval.steps.citing.basis import Basis

FOREIGN: Final = "It is code with an address that stands in no chunk that is cited."
UNTOLD: Final = "It is code, and most of its words or one of its figures stand nowhere in what was retrieved or asked."

_OPENING: Final = re.compile(
    r"\s*+(?:(?:[-*+]|[0-9]{1,9}[.)]) {1,4}+)?(?:`{3,}+|~{3,}+)[ \t]*+(?:[\w+#.\-]{1,20}+(?=\n))?"
)
"""A fence, and the language of what is in it."""


def refusal(fenced: str, basis: Basis, *, allowed: Set[str]) -> str | None:
    """Why a fence with its code may not stay. `allowed` are the addresses of the chunks that are cited."""
    if not found(fenced) <= allowed:
        return FOREIGN
    return None if basis.knows(_OPENING.sub("", fenced, count=1)) else UNTOLD


def found(code: str) -> Set[str]:
    """The addresses in code, where two slashes alone begin a comment more often than an address."""
    return frozenset(
        one for one in addresses.of([code]) if not one.startswith("//") or "." in one[2:].partition("/")[0]
    )
