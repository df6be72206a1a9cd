"""Alibaba Cloud's request signature, version 3 (ACS3-HMAC-SHA256). Alibaba's SDKs for Python, Node and other languages
compute the same signature.

This service signs its own calls to Model Studio with it.
https://www.alibabacloud.com/help/en/sdk/product-overview/v3-request-structure-and-signature
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

ALGORITHM: Final = "ACS3-HMAC-SHA256"


def canonical_request(
    method: str, path: str, query: str, headers: Mapping[str, str], signed_headers: Sequence[str]
) -> str:
    """The text that is signed."""
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in sorted(signed_headers))
    content_hash = headers["x-acs-content-sha256"].strip().lower()
    return "\n".join((method, path, query, lines, ";".join(signed_headers), content_hash))


def authorization(method: str, path: str, query: str, headers: Mapping[str, str], *, key: tuple[str, str]) -> str:
    """The Authorization header of a call. Its signature covers all of `headers`, as in the SDK for Python.

    `query` is a result of `query_string`. `headers` have lower-case names and include the hash of the body. `key` is
    the access key id and its secret.
    """
    signed_headers = sorted(headers)
    request = canonical_request(method, path, query, headers, signed_headers)
    names, proof = ";".join(signed_headers), signature(request, key[1])
    return f"{ALGORITHM} Credential={key[0]},SignedHeaders={names},Signature={proof}"


def query_string(parameters: Mapping[str, str]) -> str:
    """The query string that is signed. Its parameters are percent-encoded and sorted by name."""
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in sorted(parameters.items()))


def signature(canonical_request: str, secret: str) -> str:
    """The signature of a canonical request, as 64 lower-case hexadecimal digits."""
    digest = hashlib.sha256(canonical_request.encode("utf-8", "replace")).hexdigest()
    return hmac.new(secret.encode(), f"{ALGORITHM}\n{digest}".encode(), hashlib.sha256).hexdigest()
