"""A number as lists write it: a letter, a Roman numeral, a numeral of East Asia."""

from typing import Final

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN: Final = 3_999
_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC: Final = "абвгдежзиклмнопрстуфхцчшщэюя"
_MOST_TURNS: Final = 5
"""How often a letter is repeated: z is followed by aa, then bb."""

_HAN: Final = "〇一二三四五六七八九"
_CIRCLED: Final = 20


def letters(number: int, alphabet: str = _LATIN) -> str:
    turns, at = divmod(number - 1, len(alphabet))
    return alphabet[at] * (turns + 1) if 0 <= turns < _MOST_TURNS else str(number)


def upper_letters(number: int) -> str:
    return letters(number).upper()


def cyrillic(number: int) -> str:
    return letters(number, _CYRILLIC)


def upper_cyrillic(number: int) -> str:
    return cyrillic(number).upper()


def roman(number: int) -> str:
    if not 0 < number <= _MOST_ROMAN:
        return str(number)
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text


def upper_roman(number: int) -> str:
    return roman(number).upper()


def han(number: int) -> str:
    """Up to 99, as clauses are counted in Chinese and Japanese."""
    if not 0 <= number < 100:
        return str(number)
    tens, ones = divmod(number, 10)
    before = ("十" if tens == 1 else f"{_HAN[tens]}十") if tens else ""
    return before + (_HAN[ones] if ones or not tens else "")


def circled(number: int) -> str:
    return chr(0x2460 + number - 1) if 0 < number <= _CIRCLED else str(number)


def ordinal(number: int) -> str:
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
