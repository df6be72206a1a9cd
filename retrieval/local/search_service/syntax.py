"""The text of a search by the name of its syntax."""

from collections.abc import Collection
from typing import Literal, TypeAlias

from retrieval.local.search_service import lucene_query, simple_query
from retrieval.local.search_service.query import Mode, Query

Syntax: TypeAlias = Literal["simple", "full"]


def read(text: str, *, syntax: Syntax, mode: Mode, fields: Collection[str]) -> Query:
    """`fields` are the searchable ones, which the full syntax may name. Raises InvalidArgument, Unsupported."""
    if syntax == "full":
        return lucene_query.read(text, mode=mode, fields=fields)
    return simple_query.read(text, mode=mode)
