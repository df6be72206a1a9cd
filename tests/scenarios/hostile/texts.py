"""Texts, JSON, filters and names that are worst for whoever reads them, as large as they may be."""

import json
from collections.abc import Mapping
from typing import Final

LARGEST: Final = 1_048_576
"""Bytes of a body."""

_ROOM: Final = LARGEST - 2_000

TEXTS: Final[Mapping[str, str]] = {
    "words": "ab ",
    "letters": "a ",
    "one word": "a",
    "blanks": " ",
    "line ends": "\n",
    "stars": "*",
    "minuses": "-",
    "tildes and digits": "~1",
    "points": ".",
    "sentences": "Where is it? ",
    "clauses": "while ",
    "commas": "hello, ",
    "greetings": "hi ",
    "calls": "hello!!x ",
    "apostrophes": "a'",
    "marks": "\u0315\u0300",
    "one mark": "\u0300",
    "ideographs": "京",
    "ideographs apart": "京 ",
    "what grows": "\ufdfa",
    "Hangul": "\u1100\u1161\u11a8",
    "quotation marks": "“",
    "brackets": "[",
    "waving hands": "👋",
    "upside down": "¡",
    "addresses": "http://a.b/c ",
    "hosts": "a.bc/",
}


def filled(part: str, *, size: int = _ROOM, before: str = "") -> str:
    """The part again and again, up to so many bytes of UTF-8."""
    return before + part * ((size - len(before.encode())) // len(part.encode()))


def _many(part: bytes, *, after: bytes) -> bytes:
    return part * ((_ROOM - len(after)) // len(part)) + after


def _names(count: int) -> bytes:
    return b",".join(b'"%x":1' % number for number in range(count))


VALUES: Final[Mapping[str, bytes]] = {
    "empty lists": b"[" + _many(b"[],", after=b"[]]"),
    "empty objects": b"[" + _many(b"{},", after=b"{}]"),
    "numbers": b"[" + _many(b"1,", after=b"1]"),
    "texts": b"[" + _many(b'"",', after=b'""]'),
    "floats": b"[" + _many(b"1.1e10,", after=b"1]"),
    "long numbers": b"[" + b",".join([b"1" * 390] * 2_600) + b"]",
    "names": b"{" + _names(90_000) + b"}",
    "names of an item": b"[{" + _names(90_000) + b"}]",
    "one name": b"{" + _many(b'"a":1,', after=b'"a":1}'),
    "objects": b"[" + _many(b'{"a":1,"b":2},', after=b"{}]"),
    "fifty levels": b"[" + b",".join([b"[" * 50 + b"]" * 50] * 10_000) + b"]",
    "open lists": b"[" * _ROOM,
    "brackets after texts": b"[" + _many(b'"",[],', after=b"[]]"),
    "an open text": _many(b'"a\\', after=b""),
    "escapes": b'"' + _many(b"\\u0041", after=b'"'),
    "bad contents": b'[{"role":"user","content":[' + _many(b'{"x":1,"y":2},', after=b"{}]}]"),
    "bad turns": b"[" + _many(b'{"role":1,"content":1,"x":1},', after=b"{}]"),
    "empty contents": b'[{"role":"user","content":[' + _many(b'{"type":"text","text":""},', after=b"{}]}]"),
}


def contents(said: int) -> bytes:
    """A conversation of as many turns, each of as many parts, as there may be."""
    part = b'{"type":"text","text":"a b"}'
    turn = b'{"role":"user","content":[' + b",".join([part] * said) + b"]}"
    return b"[" + b",".join([turn] * 1_000) + b"]"


FILTERS: Final[Mapping[str, str]] = {
    "clauses": " or ".join(f"n eq {number}" for number in range(3_000)),
    "texts": " and ".join(f"s ne '{number}'" for number in range(3_000)),
    "paths": " or ".join(["a/b/c/d/e eq 1"] * 3_000),
    "lambdas": " or ".join(["r/any(x: x/a eq 1)"] * 3_000),
    "functions": " or ".join(["search.ismatch('a','b','full','all')"] * 3_000),
    "moments": " or ".join(["d gt 2020-01-01T00:00:00.123Z"] * 3_000),
    "places": " or ".join(["geo.distance(l, geography'POINT(1 2)') lt 5"] * 3_000),
    "a polygon": "geo.intersects(l, geography'POLYGON((" + "1 2," * 9_990 + "3 4, 5 6, 1 2))')",
    "a list": "search.in(s, '" + ",".join(map(str, range(40_000))) + "')",
    "a list of letters": "search.in(s, '" + "a," * 130_000 + "')",
    "a list of every sign": "search.in(s, '" + "".join(map(chr, range(0x80, 0xD800))) + "')",
    "parentheses": " and ".join(["(" * 20 + "a" + ")" * 20] * 900),
    "commas": "search.ismatch(" + "'a'," * 49_000 + "'a')",
    "blanks": " " * 100_000 + "a" + " " * 100_000,
    "too long": "s eq '" + "x" * 1_000_000 + "'",
}


def _nested() -> dict[str, object]:
    group: dict[str, object] = {"age": 1}
    for level in range(14):
        group = {"_conditions": [group, {"age": level}], "_operator": "OR" if level % 2 else "AND"}
    return group


def _cased(word: str, number: int) -> str:
    """The word in one of the ways to write it in capitals and small letters."""
    return "".join(one.upper() if number >> place & 1 else one for place, one in enumerate(word))


SEARCH_FILTERS: Final[Mapping[str, object]] = {
    "a pattern of signs": [{"name": {"like": "%" + "_" * 3_950 + "x%"}}],
    "a pattern of pieces": [{"name": {"like": "%" + "a_" * 199 + "x%"}}],
    "a pattern of too many pieces": [{"name": {"like": "%" + "a_" * 1_950 + "x%"}}],
    "a pattern of many pieces": [{"name": {"like": "%b" * 1_950 + "x"}}],
    "a pattern of tokens": [{"token": {"like": "%" + "a_" * 199 + "x%"}}],
    "patterns": [{"name": {"like": f"%{'a' * length}b%"}} for length in range(199)],
    "too many patterns": [{"name": {"like": "a%"}} for _ in range(3_000)],
    "a pattern and groups": [{"name": {"like": "%x%"}}, *({"age": {"gte": number}} for number in range(4_000))],
    "groups": [{"age": number} for number in range(6_500)],
    "a list": [{"name": [str(number) for number in range(10_000)]}],
    "numbers": [{"age": list(range(10_000))}],
    "lists": [{"name": [str(number)]} for number in range(4_000)],
    "levels": [_nested()] * 100,
    "tests": [{"age": {f"x{number}": number for number in range(7_000)}}],
    "cases of a test": [{"age": {_cased("abcdefghijklm", number): 1 for number in range(4_000)}}],
    "a text of lists": [{"name": json.dumps([str(number) for number in range(8_000)])}],
}

LONG: Final[Mapping[str, str]] = {
    "letters": "a" * 8_000,
    "escapes": "%41" * 2_600,
    "parameters": "a&" * 4_000,
    "slashes": "a/" * 4_000,
    "encoded slashes": "%2F" * 2_600,
    "points": "../" * 2_600,
}
"""What may stand in an address: hosts take 8 KB."""

HEADERS: Final[Mapping[str, str]] = {
    "letters": "a" * 60_000,
    "blanks": "a" + " " * 60_000 + "a",
    "commas": "a," * 30_000,
    "quotes": '"' * 60_000,
    "pairs": "a=b;" * 15_000,
    "a signature": "ACS3-HMAC-SHA256 " + "Credential=a," * 4_000,
    "a token": "Bearer " + "a." * 30_000,
}
