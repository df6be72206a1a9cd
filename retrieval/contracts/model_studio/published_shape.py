"""The shape of `WORKSPACES`. It is read only if that setting exists, because the import of shapes takes time."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from retrieval.model.definitions import PATTERN
from retrieval.settings.shapes import Fields

_WORKSPACE: Final = re.compile(r"(?:llm|ws)[-_][A-Za-z0-9_-]{1,100}")


class PublishedShape(Fields):
    """An entry of `WORKSPACES`: the agent and the search index that answer calls of Model Studio with one index id."""

    agent: Annotated[str, Field(pattern=PATTERN)]
    index: str


PUBLISHED: Final = TypeAdapter(PublishedShape)


def entries(workspace: str, indexes: object) -> Mapping[str, PublishedShape]:
    """The entries of a workspace, by the id of the index. Raises ValueError."""
    if not _WORKSPACE.fullmatch(workspace):
        raise ValueError("the id of a workspace begins with llm- or ws_, then letters, digits, - and _")
    if not isinstance(indexes, dict) or not all(indexes):
        raise ValueError("it must be an object of indexes by their ids")
    return {id: PUBLISHED.validate_python(value) for id, value in indexes.items()}
