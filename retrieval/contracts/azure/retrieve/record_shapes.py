"""Shapes that the records of searches and the references of every kind of knowledge source share."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import ErrorDetail, OptionalMember
from retrieval.contracts.azure.members_by_version import since
from retrieval.model.activity import DropReason
from retrieval.model.search import StatedBy

OURS: Final = since("2025-08-01-preview", "2026-04-01", until=("2026-04-01",))
"""The versions with our own members."""

WARNED: Final = since("2026-05-01-preview", "2026-10-01")
TIMED: Final = since("2026-08-01-preview", "2026-10-01")


class Out(BaseModel):
    """A shape of an answer. It keeps the members that it declares, and ignores all other members."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, extra="ignore", defer_build=True
    )


Text: TypeAlias = OptionalMember[str]


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class Record(Out):
    """The record of an activity. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: int
    elapsed_ms: int
    error: OptionalMember[ErrorDetail]
    started_at: Annotated[Text, TIMED]
    completed_at: Annotated[Text, TIMED]
    warning: Annotated[Text, WARNED]


class Threshold(Out):
    """The lowest score of a document that is kept, and what stated it: the request, the definition, or else the
    version. A value of 0 keeps every document."""

    value: float
    set_by: StatedBy


class Search(Record):
    """A sub-query, its threshold, and the number of its dropped documents, by reason. A search whose documents are not
    ranked has no threshold. `count` is the number of documents found, without those that were dropped for a reason in
    `answers.IRRELEVANT`. `queryTime` is the end of the sub-query."""

    knowledge_source_name: str
    query_time: str
    count: int
    threshold: Annotated[OptionalMember[Threshold], OURS]
    dropped: Annotated[dict[DropReason, int], OURS]
    guessed: Annotated[OptionalMember[bool], OURS]


class Arguments(Out):
    """The search text, and the filter in OData."""

    search: str
    filter: str | None


class FoundReference(Out):
    """A reference. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: str
    activity_source: int
    reranker_score: float | None
    source_data: dict[str, object] | None


class Cited(FoundReference):
    """A reference with the address of its document, since 2026-08-01-preview. `citationUrl` begins with the endpoint
    that the caller called. It opens only if that host leads `/indexes` to the search service."""

    citation_url: Annotated[Text, TIMED]
