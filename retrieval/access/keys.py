"""API keys: the `api-key` header against the configured ones."""

import hmac
from collections.abc import Mapping, Sequence

from retrieval.errors import NotAuthenticated, NotAuthorized

HEADER = "api-key"


def admit(headers: Mapping[str, str], keys: Sequence[str]) -> None:
    """Let a call pass whose `api-key` is one of `keys`; with no keys, none passes.

    Every key is compared, each in constant time. `headers` has lower-case names.
    Raises NotAuthenticated without the header, NotAuthorized for any other value.
    """
    sent = headers.get(HEADER)
    if not sent:
        raise NotAuthenticated()
    found = [hmac.compare_digest(sent.encode("utf-8", "replace"), key.encode()) for key in keys]
    if not any(found):
        raise NotAuthorized()
