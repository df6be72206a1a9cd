"""The language of a text, by its commonest words and its signs. Only the beginning of a text is read.

Words with a capital within a text do not count, since they are titles more often than not ("Los Angeles", "Die Welt");
question words count as three, months and weekdays as two. A language needs two more than English has: in doubt a text
is English.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, assert_never, get_args

from retrieval.model.conversation import Message
from retrieval.text.languages.en import ENGLISH
from retrieval.text.languages.language import Language, words

Code: TypeAlias = Literal["en", "de", "fr", "es", "it", "pt", "zh", "ja", "ko"]
CODES: Final[tuple[Code, ...]] = get_args(Code)

READ: Final = 400
"""Characters of a text that are read."""

REMEMBERED: Final = 64
"""Cached beginnings."""

MOST_TURNS: Final = 40
LEAST: Final = 2
ASKING: Final = 3
"""What a question word counts."""

_WORD: Final = re.compile(r"[^\W\d_\u2e80-\U0010ffff]+")
_ASCII_WORD: Final = re.compile("[A-Za-z]+")
_LETTERS: Final[Mapping[Code, re.Pattern[str]]] = {
    "de": re.compile("[äöüß]"),
    "fr": re.compile("[àâçèêëîïôùûœ]"),
    "es": re.compile("[áíñóú]"),
    "it": re.compile("[àèìòù]"),
    "pt": re.compile("[ãõçáâêôíóú]"),
}
"""Letters that count as one more word of a language that has a word; `¿` and `¡` count as a question word does."""

_SIGN: Final = re.compile(r"[\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_HANGUL: Final = re.compile(r"[\uac00-\ud7af]")
_SIGNS_PER_KANA: Final = 8
"""Japanese has at least so many kana."""

_OPENING: Final = frozenset("¿¡")

_USUAL: Final[Mapping[Code, frozenset[str]]] = {
    "en": (ENGLISH.pointers | ENGLISH.stop_words) - words("am me no so"),
    "de": words(
        """der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren
        wird werden wurde wurden hat haben hatte kann können muss müssen soll darf man es er sie ich du wir ihr
        ihm mir mich dir uns sich sein seine mein meine dein deine euer eure in im an am auf aus bei beim mit nach
        von vom vor zu zum zur für über unter um durch gegen ohne bis seit als wenn dass auch noch nur schon sehr
        so doch dort hier da was dies diese dieser dieses jede jeder alle viel mehr gibt kostet heißt liegt
        erkläre nenne beschreibe zeige brauche"""
    ),
    "fr": words(
        """le la les un une des du de au aux et ou mais ne pas est sont était étaient être sera a ont avait avoir
        fait peut doit faut on il elle ils elles je tu nous vous me se lui leur son sa ses mon ma mes ton ta tes
        notre nos votre vos ce cet cette ces ça cela y en dans sur sous par pour avec sans chez entre vers depuis
        jusqu avant après que qu dont si plus moins très aussi bien tout tous toute toutes même comme puis donc
        comment à explique décris donne"""
    ),
    "es": words(
        """el la los las un una unos unas lo al del de y e o u pero no ni es son era eran fue fueron ser está están
        estar estaba ha han había hay he hace tiene tienen puede pueden debe se me te le les nos su sus mi mis tu
        tus nuestro nuestra este esta esto estos estas ese esa eso esos esas aquel aquella en a con sin por para
        sobre entre hasta desde según que quien cuando donde como si más menos muy también ya todo todos toda
        todas otro otra puedo quiero necesito explica dime cuantos cuantas cuanto"""
    ),
    "it": words(
        """il lo la i le un uno una dell all nell sull dal del della dello dei degli delle al alla ai agli alle nel
        nella nei nelle sul sulla di da in con su per tra fra e ed o ma non è sono era erano essere ha hanno può
        deve mi ti si ci che chi cosa se come più anche questo questa questi queste quello quella suo sua loro
        quando dove vi"""
    ),
    "pt": words(
        """o a os as um uma uns umas ao aos à às de do da dos das em no na nos nas num numa por pelo pela para com
        sem e ou mas que se não é são era foi ser está tem há pode posso mais muito também seu sua este esta isso
        como quando onde quem fica ficam"""
    ),
}

_SURE: Final[Mapping[Code, frozenset[str]]] = {
    "en": ENGLISH.asking,
    "de": words(
        """wer wen wem wessen wo woher wohin wann warum weshalb wieso wie wieviel welche welcher welches welchen
        welchem worüber womit wofür worin"""
    ),
    "fr": words("qui où quand pourquoi combien quel quelle quels quelles lequel laquelle lesquels lesquelles quoi"),
    "es": words("qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas adónde"),
    "it": words("quale quali perché quanti quante"),
    "pt": words("qual quais quê quantos quantas"),
}

_CALENDAR: Final[Mapping[Code, frozenset[str]]] = {
    "de": words(
        "januar februar märz juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag"
    ),
    "fr": words(
        """janvier février avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi
        vendredi samedi dimanche"""
    ),
    "es": words(
        """enero febrero abril junio julio septiembre octubre noviembre diciembre lunes martes miércoles jueves
        viernes sábado"""
    ),
    "it": words(
        """gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì
        venerdì sabato"""
    ),
    "pt": words("janeiro fevereiro março maio junho julho setembro outubro dezembro"),
}
"""Months and weekdays that are no word of English, and count in any case."""


class _Weight(NamedTuple):
    """What a word counts for a language; with a capital within a text only if `in_any_case`."""

    code: Code
    weight: int
    in_any_case: bool


def _weights() -> Mapping[str, Sequence[_Weight]]:
    found: dict[str, list[_Weight]] = {}
    for lists, weight in ((_USUAL, 1), (_SURE, ASKING), (_CALENDAR, LEAST)):
        for code, said in lists.items():
            for word in said:
                found.setdefault(word, []).append(_Weight(code, weight, code == "en" or lists is _CALENDAR))
    return found


_WEIGHTS: Final = _weights()


def language_of(text: str) -> Language:
    """The language of a text; English in doubt."""
    return recognised(text) or ENGLISH


def language_of_conversation(messages: Sequence[Message]) -> Language:
    """The language of the user's last turn that is recognised, of the last forty turns; English in doubt."""
    found = (recognised(one.text) for one in reversed(messages[-MOST_TURNS:]) if one.role == "user")
    return next((one for one in found if one is not None), ENGLISH)


@cache
def openers() -> frozenset[str]:
    """The openers of every language, without case and punctuation."""
    return frozenset[str]().union(*(language(code).openers for code in CODES))


@cache
def addressing() -> frozenset[str]:
    """The words that ask for an address, of every language, without case."""
    return frozenset[str]().union(*(language(code).addressing for code in CODES))


def recognised(text: str) -> Language | None:
    """The language of a text; None in doubt."""
    code = _code(text[:READ])
    return None if code is None else language(code)


@cache
def language(code: Code) -> Language:
    """The language of a code, whose file is read at its first use."""
    match code:
        case "en":
            return ENGLISH
        case "de":
            from retrieval.text.languages.de import GERMAN as found
        case "fr":
            from retrieval.text.languages.fr import FRENCH as found
        case "es":
            from retrieval.text.languages.es import SPANISH as found
        case "it":
            from retrieval.text.languages.it import ITALIAN as found
        case "pt":
            from retrieval.text.languages.pt import PORTUGUESE as found
        case "zh":
            from retrieval.text.languages.zh import CHINESE as found
        case "ja":
            from retrieval.text.languages.ja import JAPANESE as found
        case "ko":
            from retrieval.text.languages.ko import KOREAN as found
        case _:
            assert_never(code)
    return found


@lru_cache(maxsize=REMEMBERED)
def _code(read: str) -> Code | None:
    """The code of the language that has most of the words; None where too few say so, or two languages do."""
    plain = read.isascii()
    found = (_ASCII_WORD if plain else _WORD).findall(read.lower() if read.isupper() else read)
    signs = 0 if plain else len(_SIGN.findall(read))
    if signs and signs >= 2 * len(found):
        return _of_signs(read, signs)
    scores = dict.fromkeys(_USUAL, 0)
    for word in frozenset(found):
        small = word.islower() or word == found[0]
        for code, weight, in_any_case in _WEIGHTS.get(word.casefold(), ()):
            scores[code] += weight * (small or in_any_case)
    if not plain:
        scores["es"] += ASKING * (not _OPENING.isdisjoint(read))
        scores = {code: score + _is_written(code, read) * (score > 0) for code, score in scores.items()}
    first, second = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    least = scores[second] + 1 if first == "en" else max(scores[second] + 1, scores["en"] + LEAST)
    return first if scores[first] >= max(least, LEAST) else None


def _is_written(code: Code, read: str) -> bool:
    """Whether a text has a letter that few other languages have."""
    return code in _LETTERS and _LETTERS[code].search(read) is not None


def _of_signs(read: str, signs: int) -> Code:
    """Korean, Japanese or Chinese."""
    if 2 * len(_HANGUL.findall(read)) > signs:
        return "ko"
    return "ja" if _SIGNS_PER_KANA * len(_KANA.findall(read)) >= signs else "zh"
