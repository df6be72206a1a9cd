"""Makes a call of Retrieve, version 2023-12-29, in the same form as Alibaba's SDK for Python. All parameters are texts
in the query string, and every header that `sign` writes is signed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

from retrieval.model.conversation import Message
from retrieval.model.model_studio import ModelStudioBase
from retrieval.model.search import Subquery
from retrieval.outgoing import acs3
from retrieval.outgoing.plain_http import HttpRequest
from retrieval.sources.model_studio import search_filters
from retrieval.sources.model_studio.response import MOST_CHUNKS
from retrieval.text.clipped import clip
from retrieval.version import USER_AGENT

LOWEST_THRESHOLD: Final = 0.01
LONGEST_HISTORY: Final = 1_000
"""The most characters of earlier turns. All parameters are in the URL, where a Chinese character takes nine bytes."""

USUAL: Final = {
    "accept": "application/json",
    "user-agent": USER_AGENT,
    "x-acs-action": "Retrieve",
    "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
    "x-acs-credentials-provider": "static_ak",
    "x-acs-version": "2023-12-29",
}


def query(subquery: Subquery, base: ModelStudioBase) -> str:
    """The query string of a call for the 20 best chunks. Raises UnsupportedFilter.

    For a knowledge base with a calibration, the call requests hits with a score of at least LOWEST_THRESHOLD. This
    service then compares their scores with the request's threshold, so that it can count the hits below the threshold.
    """
    turns, filter = _history(subquery.history), subquery.target.filter
    parameters: Mapping[str, object] = {
        "EnableReranking": True,
        "EnableRewrite": True if turns else None,
        "IndexId": base.index,
        "Query": subquery.search,
        "QueryHistory": _json([{"content": turn.text, "role": turn.role} for turn in turns]),
        "RerankMinScore": None if base.calibration is None else LOWEST_THRESHOLD,
        "RerankTopN": MOST_CHUNKS,
        "SearchFilters": _json([] if filter is None else search_filters.write(filter, base.fields)),
    }
    return acs3.query_string({name: str(value) for name, value in parameters.items() if value is not None})


def sign(
    base: ModelStudioBase, query: str, headers: Mapping[str, str], *, key: tuple[str, str], at: datetime, nonce: str
) -> HttpRequest:
    """The signed request. It has `headers` in addition to the headers of Retrieve. `key` is the id and the secret of
    the access key. `at` is in UTC."""
    path = f"/{quote(base.workspace, safe='')}/index/retrieve"
    all_headers = {
        **USUAL,
        "host": urlsplit(base.endpoint).netloc,
        "x-acs-date": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "x-acs-signature-nonce": nonce,
        **headers,
    }
    all_headers["authorization"] = acs3.authorization("POST", path, query, all_headers, key=key)
    return HttpRequest(method="POST", url=f"{base.endpoint}{path}?{query}", headers=all_headers)


def _json(values: Sequence[object]) -> str | None:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) if values else None


def _history(turns: Sequence[Message]) -> list[Message]:
    """The latest turns with the roles user and assistant, up to LONGEST_HISTORY characters. The service accepts only
    these two roles."""
    history: list[Message] = []
    room = LONGEST_HISTORY
    for turn in reversed(turns):
        text = clip(turn.text, room)
        if turn.role in {"user", "assistant"} and text.strip():
            history.append(Message(role=turn.role, text=text))
            room -= len(text)
        if room <= 0:
            break
    return history[::-1]
