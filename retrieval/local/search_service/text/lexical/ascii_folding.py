"""`asciifolding`: letters, digits and punctuation beyond ASCII as the ASCII signs that stand for them, if any do.

https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/miscellaneous/ASCIIFoldingFilter.html.
What Unicode takes apart into an ASCII letter and marks is that letter; the others are listed.
"""

import unicodedata
from typing import Final

_LISTED: Final = {
    **dict.fromkeys("ÐĐƉ", "D"), **dict.fromkeys("ðđɖɗ", "d"), **dict.fromkeys("ØƟ", "O"), **dict.fromkeys("øɵ", "o"),
    **dict.fromkeys("ŁȽ", "L"), **dict.fromkeys("łƚɫ", "l"), "Þ": "TH", "þ": "th", "ß": "ss", "ẞ": "SS", "Æ": "AE",
    "æ": "ae", "Œ": "OE", "œ": "oe", "Ħ": "H", "ħ": "h", "ı": "i", "ĸ": "q", "Ŋ": "N", "ŋ": "n", "Ŧ": "T", "ŧ": "t",
    "ƀ": "b", "Ɓ": "B", "Ƈ": "C", "ƈ": "c", "Ƒ": "F", "ƒ": "f", "Ɠ": "G", "ɠ": "g", "Ƙ": "K", "ƙ": "k", "Ɲ": "N",
    "ɲ": "n", "Ƥ": "P", "ƥ": "p", "Ƭ": "T", "ƭ": "t", "Ʋ": "V", "ʋ": "v", "Ƴ": "Y", "ƴ": "y", "Ƶ": "Z", "ƶ": "z",
    "Ǝ": "E", "ǝ": "e", "Ə": "A", "ə": "a", "Ɛ": "E", "ɛ": "e", "Ɨ": "I", "ɨ": "i", "Ʉ": "U", "ʉ": "u",
    **dict.fromkeys("«»“”„″‶❝❞❮❯", '"'), **dict.fromkeys("‘’‚‛′‵‹›❛❜", "'"), **dict.fromkeys("‐‑‒–—⁻₋", "-"),
    "⁅": "[", "⁆": "]", "⁎": "*", "⁄": "/", "⁏": ";", "⁒": "%", "⁓": "~", "⁺": "+", "₊": "+", "⁼": "=", "₌": "=",
    "⁽": "(", "₍": "(", "⁾": ")", "₎": ")", "‼": "!!", "⁇": "??", "⁈": "?!", "⁉": "!?", "‸": "^",
}  # fmt: skip
_FULL_WIDTH: Final = range(0xFF01, 0xFF5F)


def folded(term: str) -> str:
    return term if term.isascii() else "".join(sign if sign.isascii() else _folded(sign) for sign in term)


def _folded(sign: str) -> str:
    if sign in _LISTED:
        return _LISTED[sign]
    if unicodedata.category(sign)[0] not in "LN" and ord(sign) not in _FULL_WIDTH:
        return sign
    apart = [_LISTED.get(one, one) for one in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(one)]
    plain = "".join(apart)
    return plain if plain.isascii() and plain else sign
