"""Filters: one tree, the grammars that read and write it, and what can be done with it.

tree      the tree itself: frozen dataclasses, equal by value; `all_of` and `any_of` join trees
odata     Azure AI Search's `$filter` text to a tree and back: `read`, `write`
searchfilters  Model Studio's SearchFilters to a tree and back: `read`, `write`; groups and operands are its parts
field_map what names in SearchFilters stand for
push      what of a tree an index can answer itself; patterns is how it answers `like`
strict_json  JSON texts, without repeated names
grammar   the rules behind `odata.read`; loaded with the first filter, as it needs lark
calls     the functions of the dialect; literals its constants
refusal   why a text was refused, and what to write instead
limits    how large a `$filter` may be
moment    dates as whole ticks of 100 ns, the service's own precision
schema    what a filter may refer to: the fields of an index
bind      is this tree allowed over that index? Types, filterable fields, lambda rules: `bind`
shape     the rules for lambdas over collections of plain values
evaluate  a tree as a test of documents: `predicate`; values and geo are what it reads and measures

A filter is security: text from a caller is read before it is joined with anything, so it can never close a
parenthesis of ours. What cannot be read or written is an error, never dropped.
"""
