"""How large a `$filter` may be, and which words are not names. Ours, where the service publishes no figure.

A request to the service has at most 16 MB; "hundreds of clauses" put a filter at risk there; an index nests ten levels
of sub-fields, and the name of a field has 128 characters at most.
"""

LONGEST = 16 * 1024 * 1024
"""Characters."""

DEEPEST = 200
"""Parentheses, calls, lambdas and `not`s within each other."""

MOST_CLAUSES = 3_000
MOST_TOKENS = 40_000
"""Ten for each clause, and as many again; a word takes seven microseconds to read."""
MOST_POINTS = 10_000
"""Points in a polygon."""

MOST_FIELDS = 3_000
"""Fields that one full-text search names."""

MOST_NAMES = 16
"""Names in a path."""

LONGEST_NAME = 128
INT64 = range(-(2**63), 2**63)
RESERVED = frozenset({"not", "true", "false", "null", "NaN", "INF"})
"""Words that can be where a field could be: no path begins with them."""
