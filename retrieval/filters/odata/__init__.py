"""Azure AI Search's `$filter` text. `read` makes a tree from a text, and `write` makes a text from a tree.

- `grammar`: The grammar of `$filter`, and the errors for a text that does not follow it
- `operands`: The constants and function calls of `$filter` text, with their limits
- `writer`: Writes a tree as `$filter` text of Azure AI Search
"""

from retrieval.errors import BadFilter
from retrieval.filters.odata.operands import LONGEST
from retrieval.filters.odata.writer import text, write
from retrieval.filters.tree import Filter

__all__ = ["load", "read", "text", "write"]


def read(text: str) -> Filter:
    """The tree of a `$filter` text. Raises BadFilter with the position if the text cannot be read.

    A text may have at most 16 Mi characters, 40,000 tokens, 3,000 clauses and 200 levels of nesting. A name may have
    128 characters, and a path 16 names. `bind` checks fields and their types.
    """
    if len(text) > LONGEST:
        raise BadFilter(f"it is longer than {LONGEST} characters", position=LONGEST)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadFilter("it holds half a surrogate pair, which is not a character", position=error.start) from error
    from retrieval.filters.odata import (
        grammar,
    )  # imported here: lark takes 0.1 s to load, and many services never get a filter

    return grammar.parse(text)


def load() -> None:
    """Load the grammar now. Otherwise the first filter takes 0.1 s longer."""
    from retrieval.filters.odata import grammar

    grammar.parser()
