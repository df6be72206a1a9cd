"""How much one analyzer may make of one text."""

from typing import Final

from retrieval.local.search_service.errors import InvalidArgument

MAX_TOKENS: Final = 500_000
"""Tokens that any step makes of a text that is indexed or shown."""

MAX_SEARCH_TOKENS: Final = 5_000
"""Tokens that any step makes of a text that is searched for."""

STEPS: Final = 5
"""All steps together make so many times the tokens that one may."""

MAX_TERM: Final = 300
"""Characters of a token: https://learn.microsoft.com/azure/search/index-add-custom-analyzers"""

GROWTH: Final = 4
"""So many times longer char filters may make a text."""

MAX_ADDED: Final = 1_000
"""Characters that char filters may add beyond that."""


def check_length(length: int, original: int) -> None:
    """Raises InvalidArgument for a text that char filters have made too long."""
    if length > GROWTH * original + MAX_ADDED:
        raise InvalidArgument(f"The char filters of an analyzer make a text more than {GROWTH} times longer.")


def check_count(tokens: int, most: int) -> None:
    """Raises InvalidArgument for more tokens than a step may make."""
    if tokens > most:
        raise InvalidArgument(f"An analyzer makes more than {most} tokens of one text.")
