"""The signals of evidence by rules: what a search returned says of whether it answers a question.

No signal needs statistics of the index, and none understands a text. Their values differ threefold between indexes;
what carries from one to another is the rank of a value among those of its own index, which a calibration knows.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Final

from retrieval.model.calibration import Calibration
from retrieval.model.chunk import Chunk
from retrieval.text import content_words
from retrieval.text.sentences import sentences

READ: Final = 3
"""The first chunks whose sentences are read."""

TENTH: Final = 9

HIGHEST_SCORE: Final = 4.0

CALIBRATED: Final = ("rankerScore", "searchScore", "searchLead", "sentenceShare")


def signals(question: str, first: Sequence[Chunk], read: Sequence[Chunk]) -> Mapping[str, float]:
    """Of the chunks of a first round, best first: the ranker's best score, and how far it is above the tenth; the same
    of the search before it; of the chunks to `read`, the largest share of the question's words that a sentence has."""
    ranked = [one for chunk in first if (one := chunk.reference.hit.score) is not None]
    searched = sorted((one for chunk in first if (one := chunk.reference.hit.search_score) is not None), reverse=True)
    asked = content_words.as_written(question).keys()
    found = {"sentenceShare": _sentence_share(asked, read)} if asked else {}
    if ranked:
        found |= {"rankerScore": max(ranked), "rankerLead": _lead(ranked)}
    if searched:
        found |= {"searchScore": searched[0], "searchLead": _lead(searched)}
    return {name: round(value, 4) for name, value in found.items()}


def together(found: Mapping[str, float], calibration: Calibration | None) -> float:
    """The signals as one figure, 0 to 1: the mean of their ranks within the index, or of their values without any."""
    if calibration is not None:
        ranks = [one for name in CALIBRATED if (one := calibration.rank(name, found.get(name, 0.0))) is not None]
        if ranks:
            return sum(ranks) / len(ranks)
    scores = [min(found[name] / HIGHEST_SCORE, 1.0) for name in ("rankerScore", "rankerLead") if name in found]
    values = [*scores, *(found[name] for name in ("sentenceShare",) if name in found)]
    return sum(values) / len(values) if values else 0.0


def _lead(falling: Sequence[float]) -> float:
    return falling[0] - (falling[TENTH] if len(falling) > TENTH else 0.0)


def _sentence_share(asked: Set[str], read: Sequence[Chunk]) -> float:
    texts = (chunk.text[span.start : span.end] for chunk in read for span in sentences(chunk.text))
    return max((len(asked & content_words.vocabulary(text)) / len(asked) for text in texts), default=0.0)
