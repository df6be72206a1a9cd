"""What `de.lucene` does to a word: lower case, stop words, one spelling of umlauts, stem.

As Lucene's GermanAnalyzer does it
(https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/de/GermanAnalyzer.html): Snowball's
list of stop words, GermanNormalizationFilter and GermanLightStemmer.
"""

import re
from typing import Final

STOP_WORDS: Final = frozenset(
    "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern "
    "anderr anders auch auf aus bei bin bis bist da damit dann der den des dem die das dass daß derselbe derselben "
    "denselben desselben demselben dieselbe dieselben dasselbe dazu dein deine deinem deinen deiner deines denn derer "
    "dessen dich dir du dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer eines einig "
    "einige einigem einigen einiger einiges einmal er ihn ihm es etwas euer eure eurem euren eurer eures für gegen "
    "gewesen hab habe haben hat hatte hatten hier hin hinter ich mich mir ihr ihre ihrem ihren ihrer ihres euch im in "
    "indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen "
    "keiner keines können könnte machen man manche manchem manchen mancher manches mein meine meinem meinen meiner "
    "meines mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines "
    "selbst sich sie ihnen sind so solche solchem solchen solcher solches soll sollte sondern sonst über um und uns "
    "unsere unserem unseren unser unseres unter viel vom von vor während war waren warst was weg weil weiter welche "
    "welchem welchen welcher welches wenn werde werden wie wieder will wir wird wirst wo wollen wollte würde würden "
    "zu zum zur zwar zwischen".split()
)

_SPELLED_OUT: Final = re.compile(r"([ao]|(?<![aeioquyäöü])u)e")
_ONE_SPELLING: Final = str.maketrans(dict(zip("äöüàáâòóôìíîïùúûß", [*"aouaaaoooiiiiuuu", "ss"], strict=True)))
_FIRST: Final = re.compile(r"(?<=...)ern|(?<=...)e[mnrs]|(?<=...)e|(?<=..[bdfghklmnt])s")
_SECOND: Final = re.compile(r"(?<=...)est|(?<=...)e[rn]|(?<=..[bdfghklmnt])st")


def normalize(word: str) -> str | None:
    lower = word.lower()
    return None if lower in STOP_WORDS else _stem(_SPELLED_OUT.sub(r"\1", lower).translate(_ONE_SPELLING))


def _stem(word: str) -> str:
    for ending in (_FIRST, _SECOND):
        found = next((one for one in ending.finditer(word, max(len(word) - 3, 0)) if one.end() == len(word)), None)
        word = word if found is None else word[: found.start()]
    return word
