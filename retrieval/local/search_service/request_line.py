"""What a request line names: an operation, the names in its path, its query."""

from collections.abc import Mapping
from dataclasses import dataclass

_READS_DOCUMENTS = frozenset({"search", "count", "lookup", "suggest", "autocomplete"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLine:
    """`names` are the index name and, for a lookup, the document key; `query` holds lower-case names.

    `ignored` are the names of the query's parameters that the operation does not know, as they were sent;
    `unknown_version` is the api-version as it was sent, where `query` has the one that is served instead.
    """

    operation: str
    names: tuple[str, ...]
    query: Mapping[str, str]
    ignored: tuple[str, ...] = ()
    unknown_version: str | None = None

    @property
    def reads_documents(self) -> bool:
        return self.operation in _READS_DOCUMENTS

    @property
    def has_unsafe_keys(self) -> bool:
        """Whether the documents' keys may hold any character."""
        return self.says("allowunsafekeys")

    def says(self, name: str) -> bool:
        """Whether the query has the parameter, a name in lower case, with the value true."""
        return self.query.get(name, "").lower() == "true"
