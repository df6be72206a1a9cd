"""Char filters: what is done to a text before it is cut into tokens."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.lexical.read_text import ReadText, Replacement
from retrieval.local.search_service.text.lexical.replacing import Replacing

CharFilter: TypeAlias = Callable[[ReadText], ReadText]

MAX_MAPPINGS: Final = 1000
MAX_MAPPED: Final = 32
"""Characters of either side of a mapping."""

_RULE = re.compile(r"(.*)=>(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>.))", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def pattern_replace(pattern: str, replacement: str) -> CharFilter:
    """Raises InvalidArgument, Unsupported."""
    replacing = Replacing(pattern, replacement)
    return lambda text: text.replaced(replacing.replacements(text.text))


def mapping(rules: Sequence[str]) -> CharFilter:
    """`rules` are like `a=>b`; of those that apply at a place the longest does. Raises InvalidArgument."""
    if not 0 < len(rules) <= MAX_MAPPINGS:
        raise InvalidArgument(f"A mapping char filter has 1 to {MAX_MAPPINGS} mappings.")
    table: dict[str, str] = {}
    for rule in rules:
        left, right = _sides(rule)
        if left in table:
            raise InvalidArgument(f"The mapping of {left!r} occurs twice.")
        table[left] = right
    mapped = _Mapping(table)
    return lambda text: text.replaced(mapped.replacements(text.text))


def _sides(rule: str) -> tuple[str, str]:
    match = _RULE.fullmatch(rule)
    left, right = (_unescaped(side.strip()) for side in match.groups()) if match else ("", "")
    if not left or len(left) > MAX_MAPPED or len(right) > MAX_MAPPED or _SURROGATE.search(left + right):
        raise InvalidArgument(
            f"The mapping {rule[:80]!r} is none: that is two texts of whole characters, at most {MAX_MAPPED}, with => "
            "between them, and the first is not empty."
        )
    return left, right


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        if match["code"]:
            return chr(int(match["code"], 16))
        return _SIGNS.get(match["sign"], match["sign"])

    return _ESCAPE.sub(plain, text)


class _Mapping:
    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self._begins = re.compile("[" + "".join(sorted({re.escape(text[0]) for text in table})) + "]")
        self._lengths: dict[str, list[int]] = {}
        for text in sorted(table, key=len, reverse=True):
            lengths = self._lengths.setdefault(text[0], [])
            if len(text) not in lengths:
                lengths.append(len(text))

    def replacements(self, text: str) -> Iterator[Replacement]:
        at = 0
        for match in self._begins.finditer(text):
            start = match.start()
            if start < at:
                continue
            for length in self._lengths[match[0]]:
                piece = text[start : start + length]
                if piece in self._table:
                    at = start + len(piece)
                    yield start, at, self._table[piece]
                    break
