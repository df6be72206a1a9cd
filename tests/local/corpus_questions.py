"""Questions put to the sample corpus, each with the chunks that answer it: for calibration and for tests.

Written together with the corpus, by the same hand: good for setting a threshold and for noticing a regression, not
for claims about quality.
"""

from dataclasses import dataclass
from typing import Literal

Wording = Literal["question", "keywords", "follow_up", "paraphrase", "elsewhere"]
"""`question`: a whole sentence that shares words with the answer. `keywords`: no sentence. `follow_up`: not understood
without `earlier`. `paraphrase`: the answer says it in other words, which a lexical ranker may miss. `elsewhere`:
nothing in the corpus answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`answers` are keys, the best first, empty for `elsewhere`; `earlier` are the user's turns before."""

    text: str
    wording: Wording
    answers: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


def _page(number: int, suffix: str = "") -> str:
    return f"earth_at_night_508_page_{number}_verbalized{suffix}"


PHOENIX = Question(
    text="Why is the Phoenix nighttime street grid is so sharply visible from space, whereas large stretches of the "
    "interstate between midwestern cities remain comparatively dim?",
    wording="question",
    answers=(_page(105),),
)
"""The question of Microsoft's published example, word for word:
https://learn.microsoft.com/azure/search/search-agentic-retrieval-how-to-retrieve"""

_ASKED = (
    PHOENIX,
    Question(
        text="Which suburbs continue the city blocks in an astronaut photograph of the Phoenix metropolitan area?",
        wording="question",
        answers=(_page(104),),
    ),
    Question(
        text="Why does Nebraska show a town every fifteen or twenty kilometers along Interstate 80?",
        wording="question",
        answers=(_page(108),),
    ),
    Question(
        text="Why did Berlin's two halves have street lighting of different color?",
        wording="question",
        answers=(_page(34),),
    ),
    Question(
        text="Why is North Korea dark at night while South Korea seems to be an island?",
        wording="question",
        answers=(_page(31),),
    ),
    Question(
        text="Why has India set floodlights along its border fence with Pakistan?",
        wording="question",
        answers=(_page(33),),
    ),
    Question(
        text="Why do squid boats hang out rows of bulbs?",
        wording="question",
        answers=(_page(97),),
    ),
    Question(
        text="Why is the sea near Bangkok green at night?",
        wording="question",
        answers=(_page(99),),
    ),
    Question(
        text="How much gas is burned in flares each year, and which countries lead?",
        wording="question",
        answers=(_page(93),),
    ),
    Question(
        text="What made a patch of North Dakota prairie glow around 2008?",
        wording="question",
        answers=(_page(94),),
    ),
    Question(
        text="Why did the people of Perth leave their lamps on for John Glenn?",
        wording="question",
        answers=(_page(63),),
    ),
    Question(
        text="How does stray light slip past the baffles near the terminator?",
        wording="question",
        answers=(_page(19),),
    ),
    Question(
        text="How many times fainter than the Sun is the full Moon, and how much darker is a quarter Moon?",
        wording="question",
        answers=(_page(21),),
    ),
    Question(
        text="Which cities went dark in the blackout of August 2003?",
        wording="question",
        answers=(_page(122),),
    ),
    Question(
        text="What share of its night radiance did Syria lose in the war?",
        wording="question",
        answers=(_page(127),),
    ),
    Question(
        text="Why do hatchlings of the sea turtle crawl inland on a lit beach?",
        wording="question",
        answers=(_page(145),),
    ),
    Question(
        text="How much brighter do American suburbs become with December holiday lights?",
        wording="question",
        answers=(_page(112),),
    ),
    Question(
        text="What glow do clouds have above the tomato greenhouses of Leamington in Ontario?",
        wording="question",
        answers=(_page(118),),
    ),
    Question(
        text="Is the picture of India on the night of Diwali real?",
        wording="question",
        answers=(_page(114),),
    ),
    Question(
        text="Phoenix nighttime street grid visibility from space", wording="keywords", answers=(_page(105), _page(104))
    ),
    Question(text="suburban belts December brightening urban cores", wording="keywords", answers=(_page(112),)),
    Question(text="Day/Night Band pixel size and swath", wording="keywords", answers=(_page(13),)),
    Question(text="DMSP film archive 1992 saturation", wording="keywords", answers=(_page(15), _page(140))),
    Question(text="Hurricane Maria Puerto Rico recovery", wording="keywords", answers=(_page(123),)),
    Question(text="Lake Maracaibo lightning flashes per square kilometer", wording="keywords", answers=(_page(81),)),
    Question(text="milky sea bacteria Java 2019", wording="keywords", answers=(_page(87),)),
    Question(text="Trans-Siberian railway cities Omsk Novosibirsk", wording="keywords", answers=(_page(67),)),
    Question(text="dragon fruit Vietnam bulbs", wording="keywords", answers=(_page(118, "_b"),)),
    Question(text="Antarctica McMurdo winter lamps", wording="keywords", answers=(_page(154),)),
    Question(text="Tucson street lamps dimmer experiment", wording="keywords", answers=(_page(152),)),
    Question(
        text="And how long did it take until the last ones were reconnected?",
        wording="follow_up",
        answers=(_page(123),),
        earlier=("What did Hurricane Maria do to the lights of Puerto Rico?",),
    ),
    Question(
        text="What about the delta?",
        wording="follow_up",
        answers=(_page(28), _page(29)),
        earlier=("How does the Nile look at night?",),
    ),
    Question(
        text="Why does it not rise above fifty or ninety kilometers, and how long does one last?",
        wording="follow_up",
        answers=(_page(82),),
        earlier=("What are red sprites?",),
    ),
    Question(
        text="Do they do the same harm to insects?",
        wording="follow_up",
        answers=(_page(146),),
        earlier=("How do street lamps affect trees?",),
    ),
    Question(
        text="Who enforces the line, and when does the fleet leave?",
        wording="follow_up",
        answers=(_page(98),),
        earlier=("Where is the Argentine squid fleet?", "What is the exclusive economic zone there?"),
    ),
    Question(
        text="Does putting up modern bulbs fool the instruments into thinking a place got darker?",
        wording="paraphrase",
        answers=(_page(151), _page(24)),
    ),
    Question(
        text="Can you tell how rich a nation is by looking at it after sunset?",
        wording="paraphrase",
        answers=(_page(134),),
    ),
    Question(
        text="Which constellation of towns in Australia turned out not to exist?",
        wording="paraphrase",
        answers=(_page(64),),
    ),
    Question(
        text="How are poachers on the ocean spotted when their tracking gear is off?",
        wording="paraphrase",
        answers=(_page(103),),
    ),
    Question(
        text="Why do pictures from orbit come out smeared, and what have crews done about it?",
        wording="paraphrase",
        answers=(_page(17),),
    ),
    Question(
        text="Do feathered travelers get confused by skyscrapers?",
        wording="paraphrase",
        answers=(_page(144),),
    ),
)

_ELSEWHERE = (
    "How long should lasagna stay in the oven?",
    "Which receipts do I need to deduct a home office from my income tax?",
    "Who won the football world cup in 1998?",
    "How do I knead sourdough so that it rises well?",
    "What is the offside rule?",
    "chess opening sicilian defense najdorf",
    "How do I sort a linked list in Java?",
    "Which vaccine does a newborn baby get first?",
    "What did Beethoven compose after his ninth symphony?",
    "mortgage interest rate forecast",
    "How do I train a puppy not to bite?",
    "Which basketball team from Phoenix reached the finals?",
)

QUESTIONS: tuple[Question, ...] = (*_ASKED, *(Question(text=text, wording="elsewhere") for text in _ELSEWHERE))
