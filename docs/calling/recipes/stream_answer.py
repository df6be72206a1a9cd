"""An answer in Python, block by block: `python stream_answer.py "Why is the street grid of Phoenix so visible?"`."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

ADDRESS = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071")
KEY = os.environ.get("RETRIEVAL_API_KEY", "local-dev-key")


def events(agent: str, question: str) -> Iterator[tuple[str, Any]]:
    """The events of an answer: each its name and its data."""
    body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": question}]}]}).encode()
    headers = {"api-key": KEY, "content-type": "application/json", "accept": "text/event-stream"}
    name = ""
    with urlopen(Request(f"{ADDRESS}/agents/{agent}/answer", body, headers)) as response:
        for line in response:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                yield name, json.loads(value)


def main(question: str, agent: str = "earth-at-night") -> None:
    blocks: dict[int, str] = {}
    for name, data in events(agent, question):
        for block in {"block": [data], "revision": data.get("blocks", [])}.get(name, []):
            blocks[block["id"]] = block["markdown"]
        if name == "search":
            print(f"searched: {data['query']} ({data['count']} documents)", file=sys.stderr)
        elif name == "block":
            print(data["markdown"], end="", flush=True)
        elif name == "error":
            sys.exit(data["error"]["message"])
        elif name == "end":
            assert "".join(blocks[id] for id in sorted(blocks)) == data["answer_markdown"]
            print(f"\n\n{len(data['citations'])} citations were checked.", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
