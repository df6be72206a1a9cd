"""Raised digits and fractions. NFKC would join them to the digits before them: `40¹` would be 401, and `1½` 11⁄2.
Unicode Standard Annex 15, figure 6: https://www.unicode.org/reports/tr15/#Compatibility_Composite_Figure
"""

import re
from decimal import Decimal
from typing import Final
from unicodedata import normalize

_RAISED: Final = re.compile("(?<=[0-9])[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]++")
_TEN: Final = re.compile(r"(?<![0-9])10\Z")
_SIGN: Final = re.compile("(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215e])")
_FRACTION: Final = re.compile("(?<![0-9/.,\u2044])(?:([0-9]{1,3})[ -])?([1-9])[/\u2044]([2-9])(?![0-9/\u2044])")


def parted(text: str) -> str:
    """The text with `10^23` for `10²³`, without the raised digits behind other numbers, which are powers of a unit or
    marks of notes, and with a blank before fraction signs."""
    return text if text.isascii() else _SIGN.sub(" ", _RAISED.sub(_exponent, text))


def in_decimals(plain: str) -> str:
    """The text with `1.5` for `1 1/2` and `0.333` for `1/3`."""
    return _FRACTION.sub(_decimal, plain)


def _exponent(raised: re.Match[str]) -> str:
    is_power_of_ten = _TEN.search(raised.string[max(raised.start() - 3, 0) : raised.start()])
    return f"^{normalize('NFKC', raised[0])}" if is_power_of_ten else ""


def _decimal(fraction: re.Match[str]) -> str:
    whole, part, of = (int(group or 0) for group in fraction.groups())
    return f"{round(whole + Decimal(part) / of, 3).normalize():f}" if part < of else fraction[0]
