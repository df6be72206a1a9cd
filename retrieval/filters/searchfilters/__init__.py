"""SearchFilters of Model Studio. `read` makes a tree from SearchFilters, and `write` makes SearchFilters from a tree.

- `constants`: Converts values of SearchFilters to constants of a field's type, and back
- `reader`: Reads SearchFilters of Model Studio as a tree
- `writer`: Writes a tree as SearchFilters
"""

from retrieval.filters.searchfilters.reader import DEEPEST, LONGEST, read
from retrieval.filters.searchfilters.writer import write

__all__ = ["DEEPEST", "LONGEST", "read", "write"]
