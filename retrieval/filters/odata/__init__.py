"""Azure AI Search's `$filter` text: `read` makes a tree from it, `write` makes it from a tree.

- `functions`: The functions of `$filter` text: what each takes, and the node that it means
- `grammar`: The grammar of `$filter`, for `odata.read` alone: importing this loads lark
- `limits`: How large a `$filter` may be, and which words are not names
- `literals`: The constants of `$filter` text: numbers, dates, quoted strings, points and polygons
- `reader`: `$filter` text of Azure AI Search, read into the tree
- `refusal`: Why a `$filter` text was refused, and what to write instead
- `writer`: The tree, written as `$filter` text of Azure AI Search
"""

from retrieval.filters.odata.reader import load, read
from retrieval.filters.odata.writer import text, write

__all__ = ["load", "read", "text", "write"]
