"""Who may do what: admin keys everything, query keys and a data reader only what reads documents.

No credential: 401. A credential that is not accepted, or not for this operation: 403.
"""

import hmac
from collections.abc import Collection
from dataclasses import dataclass

from retrieval.local.search_service.errors import SearchServiceError
from retrieval.local.wire import WireRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceKeys:
    """`reader_keys` stand for the role Search Index Data Reader, which like a query key reads documents only. With
    `tokens`, any bearer token counts as an admin key: nobody here could check it. A key beats a token."""

    admin_keys: Collection[str]
    query_keys: Collection[str] = ()
    reader_keys: Collection[str] = ()
    tokens: bool = False

    def check(self, request: WireRequest, *, reads_documents: bool) -> None:
        """Raises SearchServiceError 401 or 403."""
        key = request.header("api-key")
        bearer = (request.header("authorization") or "").lower().startswith("bearer ")
        if key is None and not bearer:
            raise SearchServiceError(401, "Unauthorized", "The request has neither an api-key header nor a token.")
        if self._is_admin(key) or (reads_documents and self._is_reader(key)):
            return
        if key is not None and self._is_reader(key):
            raise SearchServiceError(403, "Forbidden", "This credential may read documents, and nothing else.")
        raise SearchServiceError(403, "Forbidden", "The credential is not accepted by this service.")

    def _is_admin(self, key: str | None) -> bool:
        return self.tokens if key is None else _among(key, self.admin_keys)

    def _is_reader(self, key: str | None) -> bool:
        return key is not None and (_among(key, self.query_keys) | _among(key, self.reader_keys))


def _among(key: str, keys: Collection[str]) -> bool:
    sent = key.encode("utf-8", "surrogateescape")
    return sum(hmac.compare_digest(sent, known.encode()) for known in keys) > 0
