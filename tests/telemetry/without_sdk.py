"""A retrieve in a process that has no SDK, for `test_without_sdk`: prints what happened as JSON.

With the argument `alone` it has an SDK, and no package that instruments others, as the extra `trace` installs it.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.local.host import open_host
from retrieval.local.wire import WireRequest
from tests.scripted_azure import ScriptedAzure, document, found, queries

ROOT = Path(__file__).resolve().parents[2]
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def have_an_sdk_alone() -> None:
    sys.modules["opentelemetry.instrumentation"] = None  # type: ignore[assignment]
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    trace.set_tracer_provider(TracerProvider())


async def main() -> None:
    if "alone" in sys.argv:
        have_an_sdk_alone()
    azure = ScriptedAzure(search=found(document("road", 3.1)), chat=queries("roads"))
    async with azure.listening():
        with TemporaryDirectory() as folder:
            agents = Path(folder) / "agents.json"
            agents.write_text(json.dumps([{"name": "plain", "targetIndexes": [{"indexName": "atlas"}]}]))
            os.environ |= {
                "AZURE_SEARCH_ENDPOINT": azure.address,
                "AZURE_SEARCH_API_KEY": "k",
                "AZURE_OPENAI_ENDPOINT": azure.address,
                "AZURE_OPENAI_DEPLOYMENT": "planner-model",
                "AZURE_OPENAI_API_KEY": "k",
                "AGENTS_FILE": str(agents),
                "API_KEYS": "caller",
                "LOCAL": "0",
            }
            host = await open_host(ROOT)
            imported = sorted({name for name in sys.modules if name.startswith("opentelemetry")})
            responses = [await host(_request(headers)) for headers in ({}, {"traceparent": PARENT})]
            await _end()
    loaded = {name for name in sys.modules if name.startswith(("opentelemetry", "azure.monitor"))}
    print(
        json.dumps(
            {
                "imported_with_the_app": imported,
                "statuses": [response.status for response in responses],
                "loaded": sorted(loaded),
                "search_headers": [one.request.header("traceparent") for one in azure.searches],
                "chat_headers": [one.request.header("traceparent") for one in azure.chats],
            }
        )
    )


async def _end() -> None:
    from retrieval import compose

    await compose.end()


def _request(headers: dict[str, str]) -> WireRequest:
    body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads?"}]}]}).encode()
    usual = {"api-key": "caller", "content-type": "application/json", "content-length": str(len(body))}
    target = "/agents('plain')/retrieve?api-version=2025-05-01-preview"
    return WireRequest(method="POST", target=target, headers=tuple({**usual, **headers}.items()), body=body)


if __name__ == "__main__":
    asyncio.run(main())
