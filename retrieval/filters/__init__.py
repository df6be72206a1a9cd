"""Filters: one tree, the grammars that read and write it, and what can be done with it.

    tree           the tree itself: frozen dataclasses, equal by value
    odata          Azure AI Search's `$filter` text to a tree and back
    searchfilters  Model Studio's SearchFilters to a tree and back
    bind           is this tree allowed over that index?                  schema  its fields, and their names
    lambdas        the rules for lambdas over collections of plain values
    evaluate       a tree as a test of documents                          values  its values, distances
    push           the part of a tree that an index can answer            patterns   how an index answers `Like`
    moment         dates as whole ticks of 100 ns, the service's own precision

A filter is security: text from a caller is read before it is joined with anything, so it can never close a
parenthesis of ours. What cannot be read or written is an error, never dropped.
"""
