"""Documents and questions made up for benchmarks: words as often as in natural text, always the same ones."""

import itertools
import random
from collections.abc import Iterator
from typing import Any, Final

STOP_WORDS: Final = (
    "the of and to a in is that for it as was with be on by at this are or an not from but which".split()
)
VOCABULARY: Final = 60_000
CATEGORIES: Final = 20
TAGS: Final = tuple("ab bc cd de ef fg gh hi".split())

_STARTS: Final = "b br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh st t tr v w".split()
_MIDDLES: Final = "a ai e ea i o oa u y".split()
_ENDS: Final = "ck d l ll m n nd ng nt p r rd rm s sh st t tch x".split()


def vocabulary() -> list[str]:
    """The most frequent word first: stop words, then made-up words of one to three syllables."""
    syllables = ["".join(parts) for parts in itertools.product(_STARTS, _MIDDLES, _ENDS)]
    chance = random.Random(1)
    made = dict.fromkeys(STOP_WORDS)
    while len(made) < VOCABULARY:
        made["".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3))))] = None
    return list(made)


def documents(count: int) -> Iterator[dict[str, Any]]:
    """About 150 words each, 8 of them the title; a category, a year and three tags to filter by."""
    chance = random.Random(2)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for number in range(count):
        length = max(20, min(600, round(chance.lognormvariate(4.85, 0.45))))
        text = chance.choices(words, cum_weights=weights, k=8 + length)
        yield {
            "id": str(number),
            "title": " ".join(text[:8]),
            "content": " ".join(text[8:]),
            "category": f"category {chance.randrange(CATEGORIES)}",
            "year": chance.randrange(2000, 2026),
            "tags": chance.sample(TAGS, 3),
        }


def questions(count: int) -> list[str]:
    """Two to six words each: six in ten of middling frequency only, the others as frequent as in the documents."""
    chance = random.Random(3)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    middling = words[300:8_000]
    return [
        " ".join(
            chance.choices(middling, k=length)
            if chance.random() < 0.6
            else chance.choices(words, cum_weights=weights, k=length)
        )
        for length in (chance.randint(2, 6) for _ in range(count))
    ]
