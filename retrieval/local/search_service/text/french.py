"""What `fr.lucene` does to a word: elision, lower case, stop words, stem.

https://lucene.apache.org/core/6_6_1/analyzers-common/org/apache/lucene/analysis/fr/FrenchAnalyzer.html. The stemmer is
Snowball's for French, where Lucene's is a lighter one.
"""

import re
from collections.abc import Callable

import snowballstemmer

_ELIDED = re.compile(r"(?:l|m|t|qu|n|s|j|d|c|jusqu|quoiqu|lorsqu|puisqu)['’]", re.IGNORECASE)

STOP_WORDS = frozenset(
    "au aux avec ce ces dans de des du elle en et eux il je la le leur lui ma mais me même mes moi mon ne nos notre "
    "nous on ou par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c d j l à m n s t "
    "y été étée étées étés étant suis es est sommes êtes sont serai seras sera serons serez seront serais serait "
    "serions seriez seraient étais était étions étiez étaient fus fut fûmes fûtes furent sois soit soyons soyez soient "
    "fusse fusses fût fussions fussiez fussent ayant eu eue eues eus ai as avons avez ont aurai auras aura aurons "
    "aurez auront aurais aurait aurions auriez auraient avais avait avions aviez avaient eut eûmes eûtes eurent aie "
    "aies ait ayons ayez aient eusse eusses eût eussions eussiez eussent ceci cela celà cet cette ici ils les leurs "
    "quel quels quelle quelles sans soi".split()
)

_stem: Callable[[str], str] = snowballstemmer.stemmer("french").stemWord


def normalize(word: str) -> str | None:
    elided = _ELIDED.match(word)
    lower = (word[elided.end() :] if elided else word).lower()
    return None if not lower or lower in STOP_WORDS else _stem(lower)
