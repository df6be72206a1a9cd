"""The kind of answer that a question asks for, by its question words, and whether a sentence has that kind.

The kinds are a number, a date, a name and steps: a sentence without that kind does not answer. English, and for
numbers, dates and names the commonest words of other languages; without such a word no kind is asked for. A sentence
of the kind may still not answer: it has a number, but maybe not the right number. Linear in both texts.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias, assert_never

from retrieval.text import content_words

REMEMBERED: Final = 32
"""Cached questions: a question is compared with many sentences."""

Kind: TypeAlias = Literal["number", "date", "name", "steps"]

_BEGINS: Final = (
    r"(?:(?:^|[.?!;:¿])\s*(?:and\s+|but\s+|so\s+|y\s+|et\s+|e\s+)?|\b(?:and|by|for|from|to|with|of|since)\s+)"
)
"""Where a word that may also join clauses is a question word: at the start of a clause, or after a preposition."""

_BE: Final = r"(?:is|are|was|were|did|do|does|has|have|had|will|would|can|could|should|must|may|might)"
_SEE: Final = r"(?:know|see|tell|say|think|feel|explain)"

ASKING: Final[Mapping[Kind, re.Pattern[str]]] = {
    "number": re.compile(
        r"\bhow\s+(?:many|much|old|tall|high|deep|far|heavy|wide|fast|long|hot|cold)\b"
        r"|\b(?:what|which)\s+(?:(?:is|was|are|were)\s+the\s+)?(?:number|percentage|percent|population|price|cost)\b"
        r"|\bwhat\s+do(?:es)?\b.{1,200}\bcost\b|\bwas\s+kostet\b|\bwie\s+teuer\b|多少钱|多少錢"
        r"|\bwie\s?(?:viele?|lange|hoch|alt|weit|groß|schwer|tief)\b|\bcu[áa]nt[oa]s?\b|\bcombien\b|\bquant[oaie]s?\b"
        r"|多少|几[个個]|いくつ|いくら|何人|何個|몇",
        re.IGNORECASE,
    ),
    "date": re.compile(
        rf"\bwhen\s+(?:exactly\s+)?{_BE}\b|\b(?:what|which)\s+(?:year|date|day|month|week|decade|century|time)s?\b"
        rf"|\bwann\b|\bwelche[mns]?\s+(?:jahr|tag|monat)|\bcuándo\b|{_BEGINS}(?:quand|quando|cuando)\b"
        r"|\bqu(?:é|elle|e|ale)\s+(?:año|année|ano|anno)\b|什么时候|什麼時候|何时|何時|几点|幾點|哪一?[年天]|几[月号]|いつ|何年|언제",
        re.IGNORECASE,
    ),
    "name": re.compile(
        rf"{_BEGINS}who(?:m|se)?\b|\b(?:what|which)\s+(?:is|was|are|were)\s+the\s+names?\b|\bwhat's\s+the\s+name\b"
        rf"|\b(?:what|which)\s+(?:person|people|man|men|woman|women|cit(?:y|ies)|towns?|countr(?:y|ies)|rivers?|compan(?:y|ies))\b"
        rf"|\bquién(?:es)?\b|{_BEGINS}(?:qui|quem|chi|we[rmn])\b|[谁誰]|だれ|누[가구]",
        re.IGNORECASE,
    ),
    "steps": re.compile(
        rf"\bhow\s+(?:do|can|could|should|must|may|would)\s+(?:i|we|you|one|users?)\s+(?!{_SEE}\b)"
        r"|\bhow\s+to\b|\b(?:what|which)\s+(?:are\s+the\s+)?steps\b"
        r"|\bwie\s+(?!viel|lange|hoch|alt|weit|groß|schwer|tief|oft|ist\b|war\b)\w+\s+(?:ich|man|wir)\b"
        r"|\bcomment\s+(?:\w+-(?:je|on)|faire)\b|\bcómo\s+(?:se|puedo|podemos|hago)\b"
        r"|怎样|怎麼(?!樣)|怎么(?!样)|如何|どうやって|어떻게",
        re.IGNORECASE,
    ),
}
_ASKS: Final = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|wer|wem|wen|wo|woher|wohin|warum|wieso|weshalb|welche[mnrs]?|wie"
    r"|was\s+(?:ist|sind|heißt|macht|tun|soll|muss|kann|passiert|bedeutet)|quel(?:le)?s?|où|pourquoi|comment"
    r"|qué|cuál(?:es)?|dónde|cómo|quale?|quali|dove|perché|onde)\b|什么|什麼|哪|谁|誰|为何|怎|何|どこ|だれ|なぜ|무엇|어디|누구|왜",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(r"\bwhen\s+(?:is|are|do|does|can|could|should|must|may|will|would)\b", re.IGNORECASE)

_SIGNS: Final = ".,;:!?()[]\"'“”‘’«»"
_WORD: Final = re.compile(r"[^\W\d_]+")
_FIGURES: Final = re.compile(r"\d|[二三四五六七八九十百千万萬億亿]")
_NUMBERS: Final = frozenset(
    """zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million
    millions billion billions dozen dozens half third thirds quarter quarters fifth
    fifths tenth tenths twice double triple single none
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend millionen
    deux trois quatre cinq sept huit neuf dix vingt trente cent mille
    dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cien mil millones
    due quattro cinque sei sette otto nove dieci venti trenta cento milioni
    dois duas três quatro sete oito dez vinte trinta cem milhões""".split()
)
_ONE: Final = re.compile(r"\bone\b(?!\s+(?:of|another|would|can|could|may|must|should)\b)", re.IGNORECASE)
_HOW_LONG: Final = re.compile(r"\bhow\s+long\b", re.IGNORECASE)
_WHOLE: Final = re.compile(r"\ball\s+(?:day|night|year)\b|\bforever\b", re.IGNORECASE)

_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_CALENDAR: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})\b\.?(?:\s+\d{{4}}\b)?"
    rf"|\b(?:{_MONTHS})\b\.?\s+\d{{1,2}}\b(?:st|nd|rd|th)?(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?:{_MONTHS}|in|since|until|by|from|during|early|late)\s+[12]\d{{3}}s?\b"
)
"""Figures of dates, which are not counts."""

_DATES: Final = re.compile(
    r"\b[12]\d{3}s?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}[./:-]\d{1,2}\b|\b\d+\s?(?:[ap]\.?m\b|BCE?\b|AD\b)|\bAD\s?\d|\bo['’]clock\b"
    r"|[\d〇零一二两三四五六七八九十]\s?[年月日時时点點號号]|(?:[周週]|星期|礼拜)[一二三四五六日天]|[上下]午|晚上|早上"
    r"|\b(?:\d+|\w+)\s+(?:years?|months?|weeks?|days?|hours?|centuries|decades?)\s+(?:ago|later|before|after)\b"
)
_TIMES: Final = frozenset(
    """january february april june july august september october november december jan feb apr jun jul aug sept oct nov
    dec monday tuesday wednesday thursday friday saturday sunday winter summer spring autumn night midnight noon dawn
    dusk morning evening afternoon sunset sunrise today yesterday tomorrow daily weekly monthly yearly annually century
    januar februar märz mai juni juli oktober dezember januari winter sommer herbst frühling
    janvier février mars avril juin juillet août septembre octobre novembre décembre hiver été automne printemps
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre invierno verano otoño
    janeiro fevereiro março maio junho julho setembro outubro dezembro inverno verão outono
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre estate autunno""".split()
)
_CAPITAL_MONTHS: Final = re.compile(r"\b(?:May|March|Mar)\b")
_OCCASIONS: Final = frozenset("when whenever if once after before until while always never".split())
_HOURS: Final = frozenset(
    """winter summer spring autumn night midnight noon dawn dusk morning evening afternoon sunset sunrise""".split()
)
_AT: Final = re.compile(
    r"\b(?:at|by|in|on|every|each|all|until|till|after|before|since|from|last|next|this|one|late|early)\s+(?:the\s+)?"
    rf"(?:\w+\s+)?(?:{'|'.join(sorted(_HOURS))})s?\b(?!['’])",
    re.IGNORECASE,
)
"""Times of day and year where they say when, and not which: "at night", not "the polar night"."""

_ROLES: Final = frozenset(
    """agency anybody anyone astronaut author board bureau captain citizen client committee company council crew
    customer department designer developer director doctor editor employee employer engineer everybody everyone
    fisherman founder government inventor king librarian lawyer manager mayor member minister nobody nurse
    office officer operator owner parent people pilot president queen resident researcher sailor scientist
    secretary staff student supervisor teacher team university user visitor volunteer worker""".split()
)
_PRONOUNS: Final = frozenset("i it he she they we you this that these those there here".split())

_ORDERED: Final = re.compile(
    r"(?:^|[,;:.]\s*)(?:first(?:ly)?|second(?:ly)?|then|next|finally|lastly|afterwards|after that)\b|\bstep\s+\w",
    re.IGNORECASE,
)
_SECOND: Final = re.compile(r"(?:\s|[:：。])\(?2[.):]\s|②|第二步")
"""The mark of the second item of a list."""

_BIDDING: Final = re.compile(
    r"\b(?:bitte|muss|müssen|sollte[nt]?|zuerst|anschließend|man|sie|veuillez|il faut|doit|devez|debe[ns]?|hay que)\b"
    r"|[请請需须須点點]|必须|可以|てください|하세요",
    re.IGNORECASE,
)
"""Words of other languages in sentences that tell what to do."""

_FIRST: Final = re.compile(r"(?:^|[,;:]\s+|\d[.):]\s+)(\w+)")
_TOLD: Final = re.compile(
    r"^please\s|\b(?:must|should|shall|needs?\s+to|have\s+to|has\s+to)\s+(?!be\s)\w"
    r"|\b(?:you|we|one|users?|everybody|everyone)\s+(?:can|may|will)\s+\w",
    re.IGNORECASE,
)
_ORDERS: Final = frozenset(
    """add apply ask attach begin bring build call change charge check choose clean click close complete
    configure confirm connect contact copy create cut delete disable disconnect download drag drop email enable
    enter fill find follow get give go hold insert install keep launch leave let log look make mix move navigate
    open pay pick place plug pour press print pull push put read register remove repeat replace report request
    reset restart run save scroll search select send set sign start stop store submit switch take tap tell test
    turn type unplug update upload use visit wait wash write""".split()
)


def asked_for(question: str) -> frozenset[Kind]:
    """The kinds of answer that a question asks for; empty if no word names a kind."""
    return frozenset(kind for kind, words in ASKING.items() if words.search(question))


def is_vague(question: str) -> bool:
    """Whether it has no content word, or a single content word and no question word: "lights?"."""
    told = len(content_words.as_written(question))
    return told == 0 or (told == 1 and _ASKS.search(question) is None)


def asks_what(question: str) -> bool:
    """Whether it asks for something, and not only whether something is so. Common question words, and all kinds."""
    return _ASKS.search(question) is not None or bool(asked_for(question))


def gives(kind: Kind, sentence: str, *, question: str) -> bool:
    """Whether a sentence has something of a kind that the question itself lacks. True in doubt."""
    match kind:
        case "number":
            return _counts(_beside(sentence, question), question=question)
        case "date":
            return _dates(_beside(sentence, question), question=question)
        case "name":
            return _names(sentence, question=question)
        case "steps":
            return _steps(sentence)
        case _:
            assert_never(kind)


def _beside(sentence: str, question: str) -> str:
    """A sentence without the figures and the times of the question."""
    said = _figures_and_times(question)
    return " ".join(word for word in sentence.split() if word.strip(_SIGNS).lower() not in said)


@lru_cache(maxsize=REMEMBERED)
def _figures_and_times(question: str) -> frozenset[str]:
    said = {word.strip(_SIGNS).lower() for word in question.split()}
    return frozenset(word for word in said if word in _TIMES or any(map(str.isdigit, word)))


@lru_cache(maxsize=REMEMBERED)
def _known(question: str) -> frozenset[str]:
    """Words that name nothing new."""
    return content_words.vocabulary(question) | _TIMES | _PRONOUNS


def _counts(sentence: str, *, question: str) -> bool:
    whole = _WHOLE.search(sentence) is not None and _HOW_LONG.search(question) is not None
    return bool(
        whole or _FIGURES.search(_CALENDAR.sub(" ", sentence)) or _ONE.search(sentence) or _lower(sentence) & _NUMBERS
    )


def _dates(sentence: str, *, question: str) -> bool:
    words = _lower(sentence)
    occasion = bool(words & _OCCASIONS) and _PRESENT.search(question) is not None
    told = any(sign.search(sentence) for sign in (_DATES, _CAPITAL_MONTHS, _AT))
    return bool(occasion or told or words & (_TIMES - _HOURS))


def _steps(sentence: str) -> bool:
    told = any(match[1].lower() in _ORDERS for match in _FIRST.finditer(sentence))
    return bool(told or any(sign.search(sentence) for sign in (_ORDERED, _TOLD, _SECOND, _BIDDING)))


def _names(sentence: str, *, question: str) -> bool:
    """Whether it names a person, a thing or a role that the question does not name."""
    known = _known(question)
    for place, word in enumerate(_WORD.findall(sentence)):
        if not place and word.lower() in _ORDERS:
            continue
        said = content_words.vocabulary(word)
        if said and said.isdisjoint(known | content_words.SILENT) and (word[0].isupper() or said & _ROLES):
            return True
    return content_words.unspaced(sentence)


def _lower(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))
