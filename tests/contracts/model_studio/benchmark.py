"""What Model Studio's Retrieve costs beyond a retrieve: the signature, the parameters with their filters, the answer.

CPU time of this process, on the request that Alibaba's SDK sends with every parameter; and twenty of its callers at
once against the local host, each in a thread of its own, as the SDK's synchronous client is used.
"""

import gc
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Final
from urllib.parse import quote_plus

from retrieval.contracts.model_studio.contract import Contract
from retrieval.contracts.model_studio.parameters import read
from retrieval.contracts.model_studio.signatures import WINDOW, Nonces, Signatures, SignedCall, paths
from retrieval.contracts.model_studio.workspaces import PublishedIndex
from retrieval.filters import odata
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Grounding, Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import Hit, SearchTarget
from retrieval.outgoing.acs3 import signature
from retrieval.settings import shapes
from tests.benchmarks.table import Row, quantile, show
from tests.running import served

ROUNDS: Final = 9
CALLS: Final = 400
CALLERS: Final = 20
EACH: Final = 25
NOW: Final = datetime(2026, 11, 20, 16, 42, 11, tzinfo=UTC)
FIELDS: Final = shapes.Fields.model_validate(
    {
        "fields": {
            "姓名": {"path": "name", "type": "Edm.String"},
            "tags": {"path": "tags", "type": "Collection(Edm.String)"},
            "年龄": {"path": "age", "type": "Edm.Int32"},
        }
    }
).field_map()
PUBLISHED: Final = PublishedIndex(workspace="llm-x", id="kb", agent="a", index="atlas", fields=FIELDS)
AGENT: Final = Agent(name="a", targets=(Target(index="atlas"),))
FILTERS: Final = (
    '[{"tags":["a","b"],"姓名":{"like":"张%"},"年龄":"{\\"gte\\":1,\\"lt\\":9.5}"},'
    '{"_operator":"OR","_conditions":[{"姓名":"李四"},{"年龄":{"neq":7}}]}]'
)
QUERY: Final = "&".join(
    f"{name}={quote_plus(value)}"
    for name, value in {
        "DenseSimilarityTopK": "50",
        "EnableReranking": "True",
        "EnableRewrite": "True",
        "IndexId": "kb",
        "Query": 'What is 百炼 & "RAG" ~a*b+c d/e?',
        "QueryHistory": '[{"content":"hi","role":"user"},{"content":"你好","role":"assistant"}]',
        "Rerank": '[{"ModelName":"gte-rerank-hybrid"}]',
        "RerankMinScore": "0.2",
        "RerankTopN": "5",
        "SearchFilters": FILTERS,
    }.items()
)
HEADERS: Final = {
    "accept": "application/json",
    "host": "127.0.0.1:32863",
    "user-agent": "AlibabaCloud (Linux; x86_64) Python/3.11.7 Core/0.4.3 TeaDSL/2",
    "x-acs-action": "Retrieve",
    "x-acs-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "x-acs-date": "2026-11-20T16:42:11Z",
    "x-acs-signature-nonce": "e01850def5a5b3781d3fa63b0b8f03aa",
    "x-acs-version": "2023-12-29",
}


def signed() -> SignedCall:
    """The call with a signature that holds."""
    block = "".join(f"{name}:{value}\n" for name, value in HEADERS.items())
    names = ";".join(HEADERS)
    path = paths("llm-x")[0]
    canonical = QUERY.replace("+", "%20").replace("*", "%2A")
    text = "\n".join(("POST", path, canonical, block, names, HEADERS["x-acs-content-sha256"]))
    claim = f"ACS3-HMAC-SHA256 Credential=k,SignedHeaders={names},Signature={signature(text, 'secret')}"
    return SignedCall(method="POST", paths=(path,), query=QUERY, headers={**HEADERS, "authorization": claim}, body=b"")


class Forgetful(Nonces):
    """Every nonce is new, so that one call can be measured many times."""

    def is_new(self, key: str, nonce: str, *, signed_at: datetime, now: datetime) -> bool:
        super().is_new(key, nonce, signed_at=signed_at, now=now)
        return True


def contract() -> Contract:
    return Contract(parameters=read(QUERY, "", b""), published=PUBLISHED, request_id="r")


def translation() -> None:
    """From the query string to the filter that the index gets."""
    request = contract().parse(b"", AGENT, user_token=None)
    assert request.targets[0].filter is not None
    odata.write(request.targets[0].filter)


def answering() -> Callable[[], None]:
    """From twenty documents of 1.4 kB to the bytes of the answer."""
    target = SearchTarget(index="atlas", threshold=0)
    hits = [Hit(key=str(n), score=4 - n / 10, title="t", content="x" * 1_400, source={"id": str(n)}) for n in range(20)]
    references = tuple(Reference(hit=hit, target=target, subquery=0) for hit in hits)
    request = RetrievalRequest(messages=(), targets=(target,), limits=Limits(output_tokens=10, runtime=60))
    outcome = Outcome(request=request, grounding=Grounding(text="[]", included=()), references=references, activity=())

    of_query = contract()

    def render() -> None:
        assert of_query.render(outcome).status == 200

    return render


def microseconds(work: Callable[[], object]) -> float:
    """CPU time a call, the median of some rounds."""
    work()
    rounds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = process_time()
        for _ in range(CALLS):
            work()
        rounds.append((process_time() - start) * 1e6 / CALLS)
    return median(rounds)


def callers(endpoint: str) -> list[float]:
    """Seconds of every call."""
    from alibabacloud_bailian20231229.client import Client
    from alibabacloud_bailian20231229.models import RetrieveRequest
    from alibabacloud_tea_openapi.utils_models import Config

    def caller(_: int) -> list[float]:
        client = Client(
            Config(access_key_id="local-ak", access_key_secret="local-secret", endpoint=endpoint, protocol="http")
        )
        seconds = []
        for _ in range(EACH):
            start = perf_counter()
            response = client.retrieve("llm-local", RetrieveRequest(index_id="earth-at-night", query="gas flares"))
            assert response.body.success
            seconds.append(perf_counter() - start)
        return seconds

    with ThreadPoolExecutor(CALLERS) as pool:
        return [one for seconds in pool.map(caller, range(CALLERS)) for one in seconds]


def main() -> None:
    call, signatures = signed(), Signatures(secrets={"k": "secret"}, nonces=Forgetful(WINDOW, most=1_000))
    rows = [
        Row(name="signature", value=microseconds(lambda: signatures.admit(call, now=NOW)), target=100, unit="µs"),
        Row(name="translation", value=microseconds(translation), target=300, unit="µs"),
        Row(name="answer", value=microseconds(answering()), target=300, unit="µs"),
    ]
    show("CPU time that Model Studio's Retrieve adds to a call", rows)
    with served(Path(sys.executable)) as address:
        start = perf_counter()
        seconds = callers(address.removeprefix("http://"))
        rate = len(seconds) / (perf_counter() - start)
    slow = quantile(seconds, 0.95) * 1000
    note = f"{len(seconds)} calls, {rate:.0f} a second, p95 {slow:.0f} ms; the SDK's share is in it"
    show(
        f"{CALLERS} callers of Alibaba's SDK at once",
        [Row(name="p50", value=quantile(seconds, 0.5) * 1000, target=50, unit="ms", note=note)],
    )


if __name__ == "__main__":
    main()
