"""SearchFilters of Model Studio. `reader.read` makes a tree from SearchFilters, and `writer.write` makes
SearchFilters from a tree.

- `constants`: Converts values of SearchFilters to constants of a field's type, and back
- `reader`: Reads SearchFilters of Model Studio as a tree
- `writer`: Writes a tree as SearchFilters
"""
