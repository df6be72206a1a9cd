"""A program for Playwright's Python: opens the recipe's page, asks, and prints the answer as it begins and ends."""

import json
import sys
from urllib.parse import quote

from playwright.sync_api import sync_playwright  # type: ignore[import-not-found,unused-ignore]


def main(chromium: str, page_address: str, service: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{page_address}?address={quote(service)}")
        page.click("button")
        for words in ("old road", "Sources"):
            page.wait_for_function(f"document.querySelector('#answer').textContent.includes('{words}')", timeout=60_000)
            print(json.dumps(page.text_content("#answer")), flush=True)
        browser.close()


main(*sys.argv[1:])
