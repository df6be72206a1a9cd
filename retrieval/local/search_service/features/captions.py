"""Captions and answers of a semantic search: the passages that say most of the query, verbatim but for the tags.

https://learn.microsoft.com/azure/search/semantic-how-to-query-request and semantic-answers. The confidence of an answer
is the share of the query's weight that its passage holds, together with the document's title and keywords: 0 to 1, and
not comparable with Azure's.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.models.lexical_ranker import Question, read_texts
from retrieval.local.search_service.text.passages import Span, joined, marked, sentences

PASSAGE: Final = 400
"""Characters of a passage at most; Azure's are said to be shorter than 200 words."""

MAX_ANSWERS: Final = 10
DEFAULT_CONFIDENCE: Final = 0.7

_CAPTIONS = re.compile(r"extractive(?:\|highlight-(?P<highlight>true|false))?")
_COUNT = re.compile(r"count-(\d{1,3})", re.ASCII)
_THRESHOLD = re.compile(r"threshold-(\d(?:\.\d{1,9})?)", re.ASCII)
_ASKS = re.compile(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have)"
    r"(?:['’](?:s|re|d|ll))?\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CaptionAsk:
    """`highlight` says whether the words of the query are marked."""

    highlight: bool


@dataclass(frozen=True, slots=True)
class AnswerAsk:
    """At most `count` answers of at least the confidence `threshold`."""

    count: int
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """`words` are the places within `text` of the terms of the query; `confidence` is between 0 and 1."""

    text: str
    span: Span
    words: Sequence[tuple[int, int]]
    confidence: float

    @property
    def verbatim(self) -> str:
        return self.text[self.span.start : self.span.end]

    def marked(self, tags: tuple[str, str]) -> str:
        return marked(self.text, self.span, self.words, tags)


def read_captions(text: str | None) -> CaptionAsk | None:
    """Read without case, as C# and Python write `highlight-True`. Raises InvalidArgument, Unsupported for an option
    that this service lacks."""
    said = (text or "none").lower()
    if text is None or said == "none":
        return None
    match = _CAPTIONS.fullmatch(said)
    if match is None:
        raise _refusal("captions", text)
    return CaptionAsk(match["highlight"] != "false")


def read_answers(text: str | None) -> AnswerAsk | None:
    """Read without case. Raises InvalidArgument, Unsupported for an option that this service lacks."""
    said = (text or "none").lower()
    if text is None or said == "none":
        return None
    kind, bar, rest = said.partition("|")
    count, threshold = 1, DEFAULT_CONFIDENCE
    for option in rest.split(",") if bar else ():
        if match := _COUNT.fullmatch(option.strip()):
            count = int(match[1])
        elif match := _THRESHOLD.fullmatch(option.strip()):
            threshold = float(match[1])
        else:
            raise _refusal("answers", text)
    if kind != "extractive" or not 1 <= count <= MAX_ANSWERS or threshold > 1:
        raise _refusal("answers", text)
    return AnswerAsk(count, threshold)


def _refusal(name: str, text: str) -> InvalidArgument | Unsupported:
    if "maxcharlength" in text.lower():
        return Unsupported(f"{name}: {text[:80]!r}")
    return InvalidArgument(f"The value of {name} is not valid: {text[:80]!r}.")


def is_question(text: str) -> bool:
    """Whether a query reads as a question: only then are there answers."""
    return text.rstrip().endswith(("?", "？")) or _ASKS.match(text.lstrip()) is not None


def best_passage(document: Document, question: Question, configuration: SemanticConfiguration) -> Passage | None:
    """The first of the passages that say most of the question, of the content if there is any; None without a text."""
    total = sum(question.weights.values()) or 1
    heading = {term for text in read_texts(document, configuration.heading) for term in question.analyzer.terms(text)}
    best: Passage | None = None
    for text in _texts(document, configuration):
        passage = _best(text, question, heading, total)
        if passage is not None and (best is None or passage.confidence > best.confidence):
            best = passage
    return best


def _texts(document: Document, configuration: SemanticConfiguration) -> Iterable[str]:
    content = [text for text in read_texts(document, configuration.content) if text.strip()]
    return content or read_texts(document, configuration.heading)


def _best(text: str, question: Question, heading: set[str], total: int) -> Passage | None:
    weights = question.weights
    words = [token for token in question.analyzer.tokens(text) if token.term in weights]
    best: tuple[int, int, Span] | None = None
    held: set[str] = set()
    first = after = 0
    for span in joined(sentences(text, PASSAGE), PASSAGE):
        while first < len(words) and words[first].start < span.start:
            first += 1
        after = max(after, first)
        while after < len(words) and words[after].end <= span.end:
            after += 1
        terms = {word.term for word in words[first:after]}
        said = sum(weights[term] for term in terms)
        before = words[first].start - span.start if terms else 0
        if best is None or (said, -before) > best[:2]:
            best, held = (said, -before, span), terms
    if best is None:
        return None
    span = best[2]
    confident = sum(weight for term, weight in weights.items() if term in held or term in heading)
    inside = [(word.start, word.end) for word in words if span.start <= word.start and word.end <= span.end]
    return Passage(text=text, span=span, words=inside, confidence=round(confident / total, 4))


def caption(passage: Passage | None, ask: CaptionAsk, tags: tuple[str, str]) -> list[dict[str, str]]:
    """The value of `@search.captions`."""
    if passage is None:
        return []
    return [{"text": passage.verbatim, "highlights": passage.marked(tags) if ask.highlight else ""}]


def answers(
    passages: Iterable[tuple[str, Passage | None]], ask: AnswerAsk, tags: tuple[str, str]
) -> list[dict[str, Any]]:
    """The value of `@search.answers`: `passages` come with the keys of their documents, in the order of the ranks."""
    sure = [(key, one) for key, one in passages if one is not None and one.confidence >= max(ask.threshold, 1e-9)]
    sure.sort(key=lambda pair: -pair[1].confidence)
    return [
        {"score": one.confidence, "key": key, "text": one.verbatim, "highlights": one.marked(tags)}
        for key, one in sure[: ask.count]
    ]
