"""The letters of scripts that are written without blanks between words, as Thai. Only a dictionary can find their
words, so texts are compared by pairs of neighbouring characters, as Chinese.

They are the scripts of the line-breaking class SA, and those of Java, Bali and the Yi. Vowel signs and tone marks are
included, digits and punctuation are not. Unicode Standard Annex 14: https://www.unicode.org/reports/tr14/#SA
"""

from typing import Final

UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"  # Burmese, Mon, Shan
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u1950-\u1974\u1980-\u19c9\u1a20-\u1a7c\u1aa7\uaa80-\uaadd\U00011700-\U0001172b"  # Tai, Ahom
    "\ua980-\ua9c0\u1b00-\u1b4c"  # Javanese, Balinese
    "\ua000-\ua48c"  # Yi
)
"""Ranges for a character class of a regular expression."""
