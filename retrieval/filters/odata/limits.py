"""The limits of a `$filter`, and the words that are not names. Limits are ours where the service publishes no figure.

A request to the service has at most 16 MB; "hundreds of clauses" put a filter at risk there; an index nests ten levels
of sub-fields, and the name of a field has 128 characters at most.
"""

LONGEST = 16 * 1024 * 1024
"""The most characters."""

DEEPEST = 200
"""The most parentheses, calls, lambdas and `not`s within each other."""

MOST_CLAUSES = 3_000
MOST_TOKENS = 40_000
"""The most words: twice ten for each clause. Reading a word takes seven microseconds."""
MOST_POINTS = 10_000
"""The most points in a polygon."""

MOST_FIELDS = 3_000
"""The most fields of one full-text search."""

MOST_NAMES = 16
"""The most names in a path."""

LONGEST_NAME = 128
INT64 = range(-(2**63), 2**63)
RESERVED = frozenset({"not", "true", "false", "null", "NaN", "INF"})
"""Words that can stand where a field can stand, so no path begins with them."""
