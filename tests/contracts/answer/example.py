"""The example of docs/calling/answer.md: its request, and its answer as it is now.

`python -m tests.contracts.answer.example` puts that answer into the file that the page links.
"""

import asyncio
import json
from typing import Any, Final

from retrieval.local.host import open_host
from retrieval.local.wire import WireRequest
from tests.conftest import KEY, ROOT

PAGE: Final = ROOT / "docs" / "calling" / "answer.md"
TARGET: Final = "/agents/earth-at-night/answer"
SHOWN: Final = PAGE.parent / "answer-example.json"


def request(page: str) -> bytes:
    return page.split("<<'JSON'\n")[1].split("\nJSON")[0].encode()


def shown(answer: dict[str, Any]) -> str:
    """One line a member, one line a record."""
    members = ",\n ".join(f"{json.dumps(name)}: {_lines(value)}" for name, value in answer.items())
    return f"{{{members}}}\n"


def _lines(value: object) -> str:
    if not isinstance(value, list) or not any(isinstance(one, dict) for one in value):
        return json.dumps(value, ensure_ascii=False)
    return "[" + ",".join(f"\n  {json.dumps(one, ensure_ascii=False)}" for one in value) + "]"


async def answer(body: bytes) -> dict[str, Any]:
    host = await open_host(ROOT)
    headers = (("api-key", KEY), ("content-type", "application/json"), ("content-length", str(len(body))))
    response = await host(WireRequest(method="POST", target=TARGET, headers=headers, body=body))
    found: dict[str, Any] = json.loads(response.body)
    return found


def main() -> None:
    SHOWN.write_text(shown(asyncio.run(answer(request(PAGE.read_text(encoding="utf-8"))))), encoding="utf-8")


if __name__ == "__main__":
    main()
