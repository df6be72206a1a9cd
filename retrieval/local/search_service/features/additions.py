"""What a search adds to its documents and around them: facets, highlights, captions and answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.engine.index import LocalIndex
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.features import captions, facets, highlights
from retrieval.local.search_service.features.captions import Passage
from retrieval.local.search_service.features.highlights import Highlighter
from retrieval.local.search_service.query.options import SearchOptions
from retrieval.local.search_service.query.tree import Query

RankerAway: TypeAlias = Literal["maxWaitExceeded", "capacityOverloaded", "transient"]
"""Why the semantic ranker does not answer."""

_TAGS: Final = ("<em>", "</em>")


@dataclass(frozen=True, slots=True)
class Answered:
    """`beside` has members of documents in `value` by ordinal, `around` members of the envelope."""

    beside: Mapping[int, Mapping[str, Any]]
    around: Mapping[str, Any]


class Additions:
    """What the options of one search ask for. Building it raises InvalidArgument, Unsupported for what is wrong."""

    def __init__(self, index: LocalIndex, options: SearchOptions, query: Query, fields: Sequence[str]) -> None:
        self._index = index
        self._tags = (options.highlight_pre_tag or _TAGS[0], options.highlight_post_tag or _TAGS[1])
        self._coverage = options.minimum_coverage is not None
        self._captions = captions.read_captions(options.captions)
        self._answers = captions.read_answers(options.answers)
        if (self._captions or self._answers) and not options.is_semantic:
            raise InvalidArgument("captions and answers need queryType 'semantic' or a semanticQuery.")
        self.facets = facets.read(options.facets or (), index.definition.paths)
        asked = highlights.read(options.highlight or (), index.definition.paths)
        self._highlighter = Highlighter(asked, query, fields=fields, tags=self._tags) if asked else None

    def highlighted(self, document: Document) -> dict[str, Any]:
        """Members of a document in `value`."""
        found = self._highlighter.of(document) if self._highlighter else {}
        return {"@search.highlights": found} if found else {}

    def counted(self, ordinals: Iterable[int]) -> dict[str, Any]:
        """Members of the envelope about all the documents found, which `ordinals` name."""
        around: dict[str, Any] = {"@search.coverage": 100.0} if self._coverage else {}
        if self.facets:
            documents = [self._index.document(ordinal) for ordinal in ordinals]
            around["@search.facets"] = {one.field.name: facets.counted(one, documents) for one in self.facets}
        return around

    def answered(
        self, question: str | None, configuration: SemanticConfiguration | None, ordinals: Sequence[int]
    ) -> Answered:
        """Captions and answers from the documents that were ranked; without a question there are none."""
        if not question or configuration is None or not (self._captions or self._answers):
            return Answered({}, {"@search.answers": []} if self._answers else {})
        documents = [(ordinal, self._index.document(ordinal)) for ordinal in ordinals]
        asked = self._index.rankers[configuration.name].questions(question, documents)
        passages = {
            ordinal: captions.best_passage(document, one, configuration)
            for (ordinal, document), one in zip(documents, asked, strict=True)
        }
        return Answered(self._beside(passages), self._around(question, passages))

    def _beside(self, passages: Mapping[int, Passage | None]) -> dict[int, dict[str, Any]]:
        if self._captions is None:
            return {}
        return {
            ordinal: {"@search.captions": captions.caption(passage, self._captions, self._tags)}
            for ordinal, passage in passages.items()
        }

    def _around(self, question: str, passages: Mapping[int, Passage | None]) -> dict[str, Any]:
        if self._answers is None:
            return {}
        if not captions.is_question(question):
            return {"@search.answers": []}
        key = self._index.definition.key
        keyed = [(self._index.document(ordinal)[key], passage) for ordinal, passage in passages.items()]
        return {"@search.answers": captions.answers(keyed, self._answers, self._tags)}
