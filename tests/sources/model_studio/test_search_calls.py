"""What is sent to Model Studio is what Alibaba's SDK sends, header by header: both call one service on loopback.

The SDK signs the headers that its caller adds, and takes the date, the nonce and the agent from there, so both
calls can be the same. Its defaults are its own: 2.14.5 of `alibabacloud_bailian20231229`.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from alibabacloud_bailian20231229.client import Client
from alibabacloud_bailian20231229.models import RetrieveRequest, RetrieveRequestQueryHistory
from alibabacloud_tea_openapi.utils_models import Config
from darabonba.runtime import RuntimeOptions
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from retrieval.errors import UnsupportedFilter
from retrieval.filters.tree import Compare, Filter, Flag, Integer, Path, String
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from retrieval.model.conversation import Message
from retrieval.model.search import SearchTarget, Subquery
from retrieval.sources.model_studio import search_filters
from retrieval.sources.model_studio.base import ModelStudioBase, ScoreCalibration
from retrieval.sources.model_studio.search import ModelStudioIndex
from tests.filters.people import FIELDS, WORDS
from tests.filters.trees import OPERATORS, joined
from tests.laws import law
from tests.scripted_model_studio import chunks

OF_THE_CONNECTION: Final = {"accept-encoding", "connection", "content-length", "content-type", "authorization"}
CHOSEN: Final = ("x-acs-date", "x-acs-signature-nonce", "user-agent")
"""What no two calls share, and who sends; the SDK is given them."""

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40) | st.sampled_from(WORDS)
names = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=12)
names |= st.sampled_from(["llm-ws 1/é", "a+b*c~d", "%2F"])
names = names.filter(lambda name: name not in {".", ".."})  # The client of the SDK removes such a part of a path.
keys = st.text(st.characters(min_codepoint=48, max_codepoint=122, categories=["L", "N"]), min_size=1, max_size=30)
turns = st.builds(Message, role=st.sampled_from(["user", "assistant"]), text=texts.filter(str.strip))
filters: st.SearchStrategy[Filter] = joined(
    st.builds(Compare, st.just(Path(("name",))), st.sampled_from(OPERATORS[:2]), texts.map(String))
    | st.builds(Compare, st.just(Path(("age",))), st.sampled_from(OPERATORS), st.integers(-9, 99).map(Integer))
    | st.just(Flag(Path(("active",)))),
    most=6,
)


class Recording:
    """A service that keeps what it was sent, and finds nothing."""

    def __init__(self) -> None:
        self.address = ""
        self.requests: list[WireRequest] = []

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.requests.append(request)
        return await chunks()(request)


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Recording]:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    service = Recording()
    async with serving(service) as service.address:
        yield service


@given(
    search=texts | st.just(""),
    workspace=names,
    index=names,
    calibrated=st.booleans(),
    history=st.lists(turns, max_size=3),
    filter=st.none() | filters,
    key=st.tuples(keys, keys),
)
@law(1_000, suppress=(HealthCheck.function_scoped_fixture,))
async def test_every_signed_request_is_the_one_of_the_sdk(
    search: str,
    workspace: str,
    index: str,
    calibrated: bool,
    history: list[Message],
    filter: Filter | None,
    key: tuple[str, str],
    service: Recording,
) -> None:
    service.requests.clear()
    base = ModelStudioBase(
        workspace=workspace,
        index=index,
        endpoint=service.address,
        fields=FIELDS,
        calibration=ScoreCalibration() if calibrated else None,
    )
    target = SearchTarget(index="base", threshold=0, filter=filter)
    ours = ModelStudioIndex({"base": base}, access_key_id=key[0], access_key_secret=key[1])
    try:
        groups = None if filter is None else search_filters.write(filter, FIELDS)
        await ours.search(Subquery(search=search, target=target, history=tuple(history)))
    except UnsupportedFilter:
        assume(False)
    finally:
        await ours.close()
    chosen = {name: service.requests[0].header(name) for name in CHOSEN}
    await theirs(
        service.address,
        key,
        workspace,
        chosen,
        index_id=index,
        query=search,
        enable_reranking=True,
        rerank_top_n=20,
        rerank_min_score=0.01 if calibrated else None,
        enable_rewrite=True if history else None,
        query_history=[RetrieveRequestQueryHistory(role=turn.role, content=turn.text) for turn in history] or None,
        search_filters=groups or None,
    )
    sent, expected = service.requests
    assert (sent.method, sent.body, parameters(sent)) == (expected.method, expected.body, parameters(expected))
    assert signed(sent) == signed(expected)
    assert sent.header("authorization") == expected.header("authorization")


async def theirs(
    address: str, key: tuple[str, str], workspace: str, headers: Mapping[str, str | None], **members: Any
) -> None:
    """The same call by the SDK."""
    config = Config(access_key_id=key[0], access_key_secret=key[1], endpoint=urlsplit(address).netloc, protocol="http")
    await Client(config).retrieve_with_options_async(
        workspace, RetrieveRequest(**members), dict(headers), RuntimeOptions()
    )


def parameters(request: WireRequest) -> tuple[str, dict[str, str]]:
    """The path and the parameters of the query; the two encode them differently."""
    address = urlsplit(request.target)
    return unquote(address.path), dict(parse_qsl(address.query, keep_blank_values=True, strict_parsing=True))


def signed(request: WireRequest) -> dict[str, str]:
    """The headers but those of the connection: all of them are signed."""
    return {name: value for name, value in request.headers if name not in OF_THE_CONNECTION}
