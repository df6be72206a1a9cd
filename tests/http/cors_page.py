"""Fetches of a page in a browser from a service of another origin, and what the page could read: JSON.

Runs in an environment of its own with Playwright: `cors_page.py BROWSER SERVICE PORT PORT`, the page is served at
both ports.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

FETCHES = """
async (service) => {
  const key = { "api-key": "local-dev-key", "content-type": "application/json" };
  const question = JSON.stringify({ messages: [{ role: "user", content: [{ type: "text", text: "Phoenix?" }] }] });
  const intents = JSON.stringify({ intents: [{ type: "semantic", search: "Why is Phoenix bright?" }] });
  const retrieve = `${service}/agents('earth-at-night')/retrieve?api-version=2025-05-01-preview`;
  const code = async (answer) => (await answer.json()).error.code;
  const tries = {
    async answer() {
      const headers = { ...key, "x-ms-client-request-id": "from-a-page" };
      const answer = await fetch(retrieve, { method: "POST", headers, body: question });
      const body = await answer.json();
      const id = Boolean(answer.headers.get("request-id"));
      const sent = answer.headers.get("x-ms-client-request-id");
      return { status: answer.status, references: body.references.length > 0, id, sent };
    },
    async refused() {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(retrieve, { method: "POST", headers, body: question });
      return { status: answer.status, code: await code(answer) };
    },
    async nowhere() {
      const answer = await fetch(`${service}/nowhere`, { method: "POST", headers: key, body: question });
      return { status: answer.status, code: await code(answer) };
    },
    async put() {
      const headers = { ...key, "api-key": "local-admin-key" };
      const body = JSON.stringify({ name: "of-a-page", targetIndexes: [{ indexName: "earth_at_night" }] });
      const address = `${service}/agents('of-a-page')?api-version=2025-05-01-preview`;
      const answer = await fetch(address, { method: "PUT", headers, body });
      return { status: answer.status, etag: answer.headers.get("etag") };
    },
    async events() {
      const headers = { ...key, accept: "text/event-stream" };
      const address = `${service}/knowledgebases/earth-at-night/retrieve?api-version=2026-08-01-preview`;
      const answer = await fetch(address, { method: "POST", headers, body: intents });
      const text = await answer.text();
      const parts = text.split("\\n\\n").filter((part) => part.startsWith("event:"));
      return { kind: answer.headers.get("content-type"), parts: parts.length, last: parts.at(-1).split("\\n")[0] };
    },
    async cookies() {
      const answer = await fetch(retrieve, { method: "POST", headers: key, body: question, credentials: "include" });
      return answer.status;
    },
  };
  const seen = {};
  for (const [name, tried] of Object.entries(tries)) seen[name] = await tried().catch(String);
  return seen;
}
"""


class Page(BaseHTTPRequestHandler):
    """An empty page, wherever it is asked for."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>A page</title>")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def main(chromium: str, service: str, *ports: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        seen = {}
        for name, port in zip(("listed", "other"), ports, strict=True):
            with ThreadingHTTPServer(("127.0.0.1", int(port)), Page) as server:
                Thread(target=server.serve_forever, daemon=True).start()
                page = started.new_page()
                page.goto(f"http://localhost:{port}/")
                seen[name] = page.evaluate(FETCHES, service)
                server.shutdown()
        started.close()
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
