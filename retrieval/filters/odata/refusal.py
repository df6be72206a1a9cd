"""The errors for a refused `$filter` text. Many name the text to write instead."""

import re

from retrieval.errors import BadFilter
from retrieval.filters.tree import Path

_LOWER = {"eq", "ne", "gt", "ge", "lt", "le", "and", "or", "not", "true", "false", "null"}
_EXACT = {word: word for word in _LOWER} | {"nan": "NaN", "inf": "INF"}
_ARITHMETIC = {"add", "sub", "mul", "div", "divby", "mod"}
_SYMBOLS = {"=": "eq", "==": "eq", "!=": "ne", "<>": "ne", ">": "gt", ">=": "ge", "<": "lt", "<=": "le"}
_SYMBOLS |= {"&&": "and", "&": "and", "||": "or", "|": "or", "!": "not"}
_FUNCTIONS = {
    "contains": "search.ismatch finds words in a searchable field",
    "substringof": "search.ismatch finds words in a searchable field",
    "startswith": "search.ismatch('abc*', 'field') finds words by their beginning",
    "endswith": "search.ismatch finds words in a searchable field",
    "in": "write search.in(field, 'a,b')",
    "any": "write field/any(x: …)",
    "all": "write field/all(x: …)",
}
_QUOTE = "'"
_AFTER_QUOTE = " after the text; a quote within text is written as two"
_GUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[=!<>&|]+")
_LAST_WORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t\r\n]*\Z")
_NEAR = 200
"""The number of characters before the error that are searched for the previous word."""


def syntax(text: str, position: int) -> BadFilter:
    """The error for a text with a syntax error at `position`."""
    if not text.strip(" \t\r\n"):
        return BadFilter("it is empty", position=0)
    before = _LAST_WORD.search(text, max(0, position - _NEAR), position)
    previous = before[1] if before else ""
    if previous not in _EXACT.values() and previous.lower() in _EXACT and position < len(text):
        return BadFilter(_misspelt(previous), position=position)
    if position >= len(text):
        return BadFilter("it ends too early", position=len(text))
    return BadFilter(_reason(text, position, previous), position=position)


def function(name: str, position: int) -> BadFilter:
    """The error for a function that Azure AI Search does not have."""
    supported_name = name.lower() if name.lower() in ("search.in", "geo.distance", "geo.intersects") else None
    advice = f"write {supported_name}" if supported_name else _FUNCTIONS.get(name.lower(), "")
    return BadFilter(f"the function {name[:60]!r} is not supported{'; ' if advice else ''}{advice}", position=position)


def two_fields(left: Path, operator: str, right: Path, position: int) -> BadFilter:
    """The error for a text like `foo eq bar`."""
    word = str(right)
    if word.lower() in _EXACT:
        return BadFilter(_misspelt(word), position=position)
    reason = "comparing two fields is not allowed; if the right side is meant as text, put it in quotes"
    return BadFilter(f"{reason}: {str(left)[:60]} {operator} '{word[:60]}'", position=position)


def negated(operator: str, position: int) -> BadFilter:
    """The error for a text like `not Rating gt 5`."""
    reason = f"'not' binds tighter than {operator!r}, so it would negate a value; put the comparison in parentheses"
    return BadFilter(f"{reason}: not (… {operator} …)", position=position)


def _misspelt(word: str) -> str:
    return f"{word!r} is not known; operators and constants are case-sensitive: write {_EXACT[word.lower()]!r}"


def _reason(text: str, position: int, previous: str) -> str:
    match = _WORD.match(text, position)
    word = match[0][:60] if match else text[position]
    if word == _QUOTE:
        return _about_quote(text, position, previous)
    if word in _SYMBOLS:
        return f"{word!r} is not an operator here; write {_SYMBOLS[word]!r}"
    if word == "in":
        return "the operator 'in' is not supported; write search.in(field, 'a,b')"
    if _GUID.search(text, max(0, position - 8), position + 28):
        return "put a GUID in single quotes, since the index holds it as text"
    if word == "has" or word in _ARITHMETIC or word in "+-*%":
        return f"{word!r} is not supported; a field can only be compared with a constant"
    if word in _FUNCTIONS:
        return f"{word!r} is not supported; {_FUNCTIONS[word]}"
    if word not in _EXACT.values() and word.lower() in _EXACT:
        return _misspelt(word)
    if word == '"':
        return "put text in single quotes"
    return f"unexpected {word!r}{_AFTER_QUOTE if text[position - 1 : position] == _QUOTE else ''}"


def _about_quote(text: str, position: int, previous: str) -> str:
    if previous and text[position - 1] == previous[-1]:
        return f"constants of type {previous[:60]!r} are not supported"
    if text[position - 1 : position] == _QUOTE:
        return f"unexpected quote{_AFTER_QUOTE}"
    is_closed = text.count(_QUOTE, position) % 2 == 0
    return (
        "unexpected text; an operator is missing before it" if is_closed else "text is not closed; a quote is missing"
    )
