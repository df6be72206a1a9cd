"""Azure AI Search's `$filter` text: `read` makes a tree from it, `write` makes it from a tree.

- `functions`: The functions of `$filter` text: what each takes, and the node that it means
- `grammar`: The grammar of `$filter`, for `odata.read` alone: importing this loads lark
- `limits`: The limits of a `$filter`, and the words that are not names
- `literals`: The constants of `$filter` text: numbers, dates, quoted strings, points and polygons
- `refusal`: The reasons why a `$filter` text is refused, with what to write instead
- `writer`: The tree, written as `$filter` text of Azure AI Search
"""

from retrieval.errors import BadFilter
from retrieval.filters.odata.limits import LONGEST
from retrieval.filters.odata.writer import text, write
from retrieval.filters.tree import Filter

__all__ = ["load", "read", "text", "write"]


def read(text: str) -> Filter:
    """The tree of a `$filter` text. Raises BadFilter, with the position, when it cannot be read.

    At most 16 Mi characters, 40,000 words, 3,000 clauses and 200 levels of nesting; names of 128 characters, paths of
    16 names. `bind` checks fields and their types.
    """
    if len(text) > LONGEST:
        raise BadFilter(f"it is longer than {LONGEST} characters", position=LONGEST)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadFilter("it holds half a surrogate pair, which is not a character", position=error.start) from error
    from retrieval.filters.odata import (
        grammar,
    )  # loaded here: lark takes 0.1 s to load, and a service may never see a filter

    return grammar.parse(text)


def load() -> None:
    """Load the grammar, which otherwise costs the first filter 0.1 s."""
    from retrieval.filters.odata import grammar

    grammar.parser()
