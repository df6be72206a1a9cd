"""Reads parameters from the query string, where the SDK sends them, and from a JSON body or a form.

The query string is parsed here, because the Functions host joins repeated parameters and drops empty parameters.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote_to_bytes

from retrieval.errors import BadRequest
from retrieval.text import strict_json

MOST: Final = 200
FORM: Final = "application/x-www-form-urlencoded"


def parameter_pairs(query: str, content_type: str, body: bytes) -> list[tuple[str, object]]:
    """The name and the value of each parameter, in order. A value is a string or a JSON value. Raises BadRequest.

    `query` is still percent-encoded. An empty body may have any content type, because the SDK's async client sends an
    empty body as an octet-stream.
    """
    pairs = [*_pairs(query), *_of_body(content_type, body)]
    if len(pairs) > MOST:
        raise BadRequest(f"More than {MOST} parameters are given.", target="query")
    return pairs


def _of_body(content_type: str, body: bytes) -> list[tuple[str, object]]:
    if not body.strip():
        return []
    if body.lstrip()[:1] == b"{":
        return _members(body)
    if content_type.partition(";")[0].strip().lower() == FORM and body.isascii():
        return list(_pairs(body.decode("ascii").strip()))
    raise BadRequest(f"It is neither a JSON object nor a form with the Content-Type {FORM}.", target="body")


def _members(body: bytes) -> list[tuple[str, object]]:
    try:
        value = strict_json.read(body)
    except strict_json.BadJson as error:
        raise BadRequest(f"It is not JSON: {error}.", target="body") from None
    return list(value.items()) if isinstance(value, dict) else []


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    for pair in text.split("&", MOST + 1) if text else ():
        name, _, value = pair.partition("=")
        yield _decode(name), _decode(value)


def _decode(text: str) -> str:
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode()
    except UnicodeError:
        raise BadRequest("A name or value is not UTF-8.", target="query") from None
