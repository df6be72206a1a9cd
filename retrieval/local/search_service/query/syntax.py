"""The text of a search by the name of its syntax."""

from collections.abc import Collection
from typing import Literal, TypeAlias

from retrieval.local.search_service.query import lucene, simple
from retrieval.local.search_service.query.tree import Mode, Query

Syntax: TypeAlias = Literal["simple", "full"]


def read(text: str, *, syntax: Syntax, mode: Mode, fields: Collection[str]) -> Query:
    """`fields` are the searchable ones, which the full syntax may name. Raises InvalidArgument, Unsupported."""
    if syntax == "full":
        return lucene.read(text, mode=mode, fields=fields)
    return simple.read(text, mode=mode)
