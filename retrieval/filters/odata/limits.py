"""The limits of a `$filter`, and the reserved words. This project chose the limits for which Azure AI Search publishes
no figure.

Azure AI Search allows requests of 16 MB, ten levels of sub-fields and field names of 128 characters. It warns that a
filter with "hundreds of clauses" may fail.
"""

LONGEST = 16 * 1024 * 1024
"""The most characters of a filter."""

DEEPEST = 200
"""The most levels of nesting. Parentheses, calls, lambdas and `not` each add a level."""

MOST_CLAUSES = 3_000
MOST_TOKENS = 40_000
"""The most tokens of a filter. Reading a token takes seven microseconds."""
MOST_POINTS = 10_000
"""The most points in a polygon."""

MOST_FIELDS = 3_000
"""The most fields that one full-text search may name."""

MOST_NAMES = 16
"""The most names in a path."""

LONGEST_NAME = 128
INT64 = range(-(2**63), 2**63)
RESERVED = frozenset({"not", "true", "false", "null", "NaN", "INF"})
"""The reserved words. The grammar reads them as operators or constants where a path may begin, so a path cannot begin
with one."""
