"""SearchFilters of Model Studio: `read` makes a tree from them, `write` makes them from a tree.

- `constants`: Values of SearchFilters as constants of a field's type, and back
- `reader`: SearchFilters as a tree
- `writer`: Writes a tree as SearchFilters
"""

from retrieval.filters.searchfilters.reader import DEEPEST, LONGEST, read
from retrieval.filters.searchfilters.writer import write

__all__ = ["DEEPEST", "LONGEST", "read", "write"]
