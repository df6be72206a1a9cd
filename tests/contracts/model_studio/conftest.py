"""Retrieve of Model Studio against the functions, over the sample corpus, with the local key."""

import json
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import pytest

from tests.conftest import Post, Response

PATH = "/llm-local/index/retrieve"
QUERY = "Phoenix street grid"

Ask = Callable[..., Awaitable[Response]]


def query_string(**parameters: object) -> str:
    """As the Python SDK writes it: True, and arrays and objects as compact JSON."""
    texts = {
        name: json.dumps(value, ensure_ascii=False, separators=(",", ":")) if isinstance(value, list | dict) else value
        for name, value in parameters.items()
        if value is not None
    }
    return urlencode(texts)


@pytest.fixture
def ask(post: Post) -> Ask:
    """Ask for the sample corpus; a parameter that is None is left out."""

    async def send(*, path: str = PATH, **parameters: object) -> Response:
        usual = {"IndexId": "earth-at-night", "Query": QUERY, **parameters}
        return await post(b"", f"{path}?{query_string(**usual)}")

    return send
