"""The definition of the kind `rssFeed`, its records and its references."""

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.kind import Kind, Members, Shapes
from retrieval.contracts.azure.members_by_version import KIND as OF_KIND
from retrieval.contracts.azure.members_by_version import of_kind
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve.record_shapes import FoundReference, Out, Search, Text
from retrieval.model.definitions import Source
from retrieval.model.search import Searched


class RssParameters(Wire):
    feed_url: Annotated[str, Field(min_length=1, max_length=2_048)]


class RssDefinition(Wire):
    rss_feed_parameters: Annotated[OptionalMember[RssParameters], of_kind("rssFeed")]


class RssArguments(Out):
    words: list[str]


class RssFeed(Search):
    type: Annotated[Literal["rssFeed"], OF_KIND]
    rss_feed_arguments: RssArguments


class RssReference(FoundReference):
    type: Annotated[Literal["rssFeed"], OF_KIND]
    title: Text
    link: Text


def _members(source: Source) -> Members:
    return {"feed_url": source.index}


def _read(source: Source, parameters: Members) -> Source:
    return replace(source, index=parameters.get("feed_url") or "")


def _arguments(result: Searched) -> Members:
    return {"words": result.subquery.search.lower().split()}


KIND: Final = Kind(
    members=_members,
    read=_read,
    shapes=Shapes(definition=RssDefinition, record=RssFeed, reference=RssReference, origin="link", is_own=True),
    arguments=_arguments,
)
