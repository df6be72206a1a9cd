"""`$filter` text of Azure AI Search, read into the tree."""

from retrieval.errors import BadFilter
from retrieval.filters.odata.limits import LONGEST
from retrieval.filters.tree import (
    Filter,
)


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
    from retrieval.filters.odata import grammar  # lark takes 0.1 s to load, and a service may never see a filter

    return grammar.parse(text)


def load() -> None:
    """Load the grammar, which otherwise costs the first filter 0.1 s."""
    from retrieval.filters.odata import grammar

    grammar.parser()
