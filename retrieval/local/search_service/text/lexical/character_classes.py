"""The classes of characters of Java's regular expressions; without a flag they are of ASCII, as Java's are.

https://docs.oracle.com/javase/8/docs/api/java/util/regex/Pattern.html
"""

import re
import string
import unicodedata
from collections.abc import Iterable
from typing import Final

from retrieval.local.search_service.errors import Unsupported
from retrieval.local.search_service.text.lexical.pattern_tree import Test

_LINE_ENDS: Final = "\n\r\x85\u2028\u2029"
_CATEGORY = re.compile(
    r"(?:Is|general_category=|gc=)?(?P<category>C[cfno]?|L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)"
)


def among(characters: Iterable[str]) -> Test:
    return frozenset(characters).__contains__


def outside(test: Test) -> Test:
    return lambda sign: not test(sign)


def any_of(tests: Iterable[Test]) -> Test:
    several = tuple(tests)
    if len(several) == 1:
        return several[0]
    return lambda sign: any(test(sign) for test in several)


def all_of(tests: Iterable[Test]) -> Test:
    several = tuple(tests)
    if len(several) == 1:
        return several[0]
    return lambda sign: all(test(sign) for test in several)


def between(first: str, last: str) -> Test:
    return lambda sign: first <= sign <= last


def either_case(test: Test, *, everywhere: bool) -> Test:
    """The same for the other case of a letter; of ASCII only, unless `everywhere`."""

    def passes(sign: str) -> bool:
        if test(sign):
            return True
        return (everywhere or sign.isascii()) and (test(sign.lower()) or test(sign.upper()))

    return passes


def anything(*, across_lines: bool, unix: bool) -> Test:
    """What a dot stands for."""
    return (lambda sign: True) if across_lines else outside(among("\n" if unix else _LINE_ENDS))


_DIGIT = among(string.digits)
_WORD = among(string.ascii_letters + string.digits + "_")
_SPACE = among(" \t\n\v\f\r")
_HORIZONTAL = among(" \t\xa0\u1680\u180e\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
_VERTICAL = among("\n\v\f\r\x85\u2028\u2029")

ESCAPED: Final[dict[str, Test]] = {
    "d": _DIGIT,
    "D": outside(_DIGIT),
    "w": _WORD,
    "W": outside(_WORD),
    "s": _SPACE,
    "S": outside(_SPACE),
    "h": _HORIZONTAL,
    "H": outside(_HORIZONTAL),
    "v": _VERTICAL,
    "V": outside(_VERTICAL),
}
"""What stands after a backslash."""

_NAMED: Final[dict[str, Test]] = {
    "Lower": among(string.ascii_lowercase),
    "Upper": among(string.ascii_uppercase),
    "ASCII": str.isascii,
    "Alpha": among(string.ascii_letters),
    "Digit": _DIGIT,
    "Alnum": among(string.ascii_letters + string.digits),
    "Punct": among(string.punctuation),
    "Graph": among(string.ascii_letters + string.digits + string.punctuation),
    "Print": among(string.ascii_letters + string.digits + string.punctuation + " "),
    "Blank": among(" \t"),
    "Cntrl": among([*map(chr, range(32)), "\x7f"]),
    "XDigit": among(string.hexdigits),
    "Space": _SPACE,
    "IsAlphabetic": str.isalpha,
    "IsLetter": str.isalpha,
    "IsDigit": str.isdecimal,
    "IsLowercase": str.islower,
    "IsUppercase": str.isupper,
    "IsWhite_Space": str.isspace,
    "IsPunctuation": lambda sign: unicodedata.category(sign).startswith("P"),
}


def named(name: str) -> Test:
    """The class that stands in `\\p{name}`. Raises Unsupported."""
    if name in _NAMED:
        return _NAMED[name]
    match = _CATEGORY.fullmatch(name)
    if match is None:
        raise Unsupported(f"the class \\p{{{name[:40]}}} in a regular expression")
    category = match["category"]
    return lambda sign: unicodedata.category(sign).startswith(category)
