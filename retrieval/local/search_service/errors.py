"""Refusals of the local search service; `service.py` renders them as {"error": {"code", "message"}}."""

from retrieval.errors import RetrievalError


class SearchServiceError(RetrievalError):
    """An answer that is not a success. `code` is the service's own word for it; a reader needs `message` only."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class InvalidArgument(SearchServiceError):
    """400: the request breaks a rule of the service."""

    def __init__(self, message: str) -> None:
        super().__init__(400, "InvalidRequestParameter", message)


class Unsupported(SearchServiceError):
    """400: Azure AI Search knows this, the local service does not. Nothing is ignored in silence."""

    def __init__(self, what: str) -> None:
        super().__init__(400, "UnsupportedByLocalSearch", f"The local search service does not support {what}.")
        self.what = what


class NotFound(SearchServiceError):
    """404: no such index, document or route."""

    def __init__(self, message: str) -> None:
        super().__init__(404, "ResourceNotFound", message)
