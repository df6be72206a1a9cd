"""Filters: a filter tree, its syntax, and the operations on it.

- `tree`: the classes of the tree: frozen dataclasses, which compare by value
- `odata`: reads and writes the `$filter` text of Azure AI Search
- `bind`: checks that an index allows a tree
- `schema`: the fields of an index, and the names that filters use for them
- `evaluate`: tests documents with a tree
- `values`: the values of a document, and distances between places
- `patterns`: tests texts with `Like` patterns
- `moment`: dates as whole ticks of 100 ns

Filters protect documents. A caller's text is parsed before it is combined with another filter, so it can never close a
parenthesis of that filter. A part that cannot be read or written is an error. It is never dropped.
"""
