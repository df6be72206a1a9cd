"""The number words of a text as digits: `three days` becomes `3 days`, `zweitausend` 2000, `deux cent vingt` 220 and
`一万二千` 12000. The Latin words for a million or more stay, because they may also stand behind digits (`1.2 million`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Final

from retrieval.text.languages.ko import KOREAN
from retrieval.text.languages.language import Language
from retrieval.text.languages.recognition import KNOWN
from retrieval.text.languages.zh import CHINESE

_WORD: Final = re.compile(r"[^\W\d_]++(?:'[^\W\d_]++)*+")
_BETWEEN: Final = re.compile(r" ?-?(?:(?<=[ -])(?:and|und|et|y|e)[ -])?")
_PER: Final = frozenset("per pour por".split())
_AFTER_DIGITS: Final = re.compile(r"[0-9][ -]?\Z")
_SPEAKING: Final = tuple(language for language in KNOWN if language.is_latin)
_COMPOUND: Final = re.compile("hundert|tausend|cento|mila|mille")
_LONGEST_BEFORE: Final = 30
_COUNT: Final = re.compile(r"(?:(?<![0-9.,])([1-9])|\ban?)[ -]\Z")
_AND: Final = re.compile(r"(?:(?<![0-9.,])([0-9]{1,3}) )?(?:[^\W\d_]{1,12}+ )?(?:and (?:a|1)|(?:et|y|e)(?: 1)?) \Z")
_PARTS_OF_SIGNS: Final = re.compile(r"(?<![0-9])([2-9])分之([1-9])(?![0-9])")
_POWERS: Final = {"十": 10, "百": 100, "千": 1_000, **dict.fromkeys("万萬", 10**4), **dict.fromkeys("億亿", 10**8)}
_SIGNS: Final = re.compile(rf"(?<![0-9])(百分之)?([{''.join((*CHINESE.numbers, *_POWERS))}]++)")


def in_digits(plain: str, language: Language | None) -> str:
    """The text with its number words in digits. If the language is None, the words of all languages are read."""
    if language is None or language.is_latin:
        plain = "".join(_of_words(plain, _SPEAKING if language is None else (language,)))
    if plain.isascii() or (language is not None and language.is_latin):
        return plain
    if language is None or language is KOREAN:
        korean = _any_of((KOREAN,))
        plain = re.sub(
            f"(?:{korean.pattern})++",
            lambda run: _written(KOREAN.numbers[word] for word in korean.findall(run[0])),
            plain,
        )
    return _SIGNS.sub(_of_signs, plain)


def ranks(plain: str, language: Language | None) -> Iterator[int]:
    """The numbers of the ordinal words in a text, such as 4 for `fourth` and `vierten`."""
    languages = _SPEAKING if language is None else (language,)
    for word in {match.casefold() for match in _WORD.findall(plain)}:
        yield from (one.ranks[word] for one in languages if word in one.ranks)


def parts(digits: str, language: Language | None) -> Iterator[Decimal]:
    """The parts that a text with its numbers in digits names: 0.5 for `half`, 0.333 for `a third`, 1.5 for `1 hour and
    a half`. Without a number or article before it, `third` is an ordinal and `quarter` a time."""
    languages = _SPEAKING if language is None else (language,)
    for match in _WORD.finditer(digits):
        word = match[0].casefold()
        for of in (one.parts[word] for one in languages if word in one.parts):
            before = digits[max(match.start() - _LONGEST_BEFORE, 0) : match.start()]
            count, mixed = _COUNT.search(before), _AND.search(before)
            if of == 2 or count is not None:
                yield Decimal(int(count[1] or 1) if count is not None else 1) / of
            if mixed is not None:
                yield int(mixed[1] or 1) + Decimal(1) / of
    yield from (Decimal(part) / Decimal(of) for of, part in _PARTS_OF_SIGNS.findall(digits))
    if "半" in digits or "절반" in digits:
        yield Decimal("0.5")


def _of_words(plain: str, languages: tuple[Language, ...]) -> Iterator[str]:
    """The parts of a text in Latin letters. Each run of number words is one part in digits."""
    numbers, done, end, before, values = _numbers(languages), 0, 0, "", list[int]()
    for match in _WORD.finditer(plain.replace("’", "'")):
        word, start = match[0].casefold(), match.start()
        parts = _parts(word, numbers, languages)
        if parts and parts[0] in (100, 1_000) and (before in _PER or _AFTER_DIGITS.search(plain[start - 2 : start])):
            parts = []
        before = word
        if not parts:
            continue
        if not values or not _BETWEEN.fullmatch(plain, end, start):
            yield from (_written(values), plain[end:start]) if values else (plain[done:start],)
            values = []
        values += parts
        done = end = match.end()
    yield from (_written(values), plain[end:])


def _parts(word: str, numbers: Mapping[str, int], languages: tuple[Language, ...]) -> list[int]:
    """The values of a number word, or of the parts of a compound such as `zweitausend`."""
    if word in numbers:
        return [numbers[word]]
    compound = _any_of(languages)
    if _COMPOUND.search(word) and not compound.sub("", word).replace("und", ""):
        return [numbers[part] for part in compound.findall(word)]
    return []


@cache
def _numbers(languages: tuple[Language, ...]) -> Mapping[str, int]:
    return {word: value for language in languages for word, value in language.numbers.items()}


@cache
def _any_of(languages: tuple[Language, ...]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(_numbers(languages), key=len, reverse=True)))


def _of_signs(run: re.Match[str]) -> str:
    """A run of Chinese number signs in digits. `百分之五` is `5%`."""
    signs = run[2]
    if len(signs) > 1 and not _POWERS.keys() & set(signs):
        written = "".join(str(CHINESE.numbers[sign]) for sign in signs)
    else:
        written = _written((_POWERS.get(sign) or CHINESE.numbers[sign] for sign in signs), least=10)
    return f"{written}%" if run[1] else written


def _written(values: Iterable[int], *, least: int = 100) -> str:
    return ", ".join(map(str, _joined(values, least)))


def _joined(values: Iterable[int], least: int) -> Iterator[int]:
    """The numbers that a run of values says: 2, 100, 20 and 5 are 225. A power of ten from `least` on multiplies what
    stands before it."""
    number: int | None = None
    for value in values:
        if value >= least and str(value).strip("0") == "1":
            above, below = divmod(number or 0, value)
            number = (above + (below or 1)) * value
        elif number is None:
            number = value
        elif value == 20 and number % 100 == 4:
            number += 76  # quatre-vingts
        elif _fits(number, value):
            number += value
        else:
            yield number
            number = value
    if number is not None:
        yield number


def _fits(number: int, value: int) -> bool:
    """Whether a value is the next part of a number: 5 after 120, 11 after 60 (`soixante et onze`), 8 after 10
    (`dix-huit`)."""
    if 10 <= value < 20 and number % 100 in (60, 80):
        return True
    return number > 0 and number % 10 ** len(str(value)) == 0
