"""A page in a browser, with what it asked, what was answered, what it complained about, and its figures."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlencode

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Route

QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
MARKUP: Final = "<img src=x onerror='window.ran=1'><script>window.ran=1</script><a href='javascript:window.ran=1'>x</a>"
SIZES: Final = {"phone": (320, 640), "narrow": (400, 900), "middle": (1024, 768), "wide": (1920, 1080)}
DONE: Final = "!document.querySelector('.working') && !document.querySelector('#stop:not([hidden])')"

WIDER: Final = """
  document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 40)}`).slice(-3)
"""
"""What is wider than the page, where a reader would have to scroll sideways."""

SMALL: Final = """
  [...document.querySelectorAll("button, select, summary, input:not([type=range]), textarea")]
    .filter((one) => one.checkVisibility() && (one.offsetHeight < 24 || one.offsetWidth < 24))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent}: ${one.offsetWidth}, ${one.offsetHeight}`)
"""
"""Targets that are smaller than a finger needs."""

FIGURES: Final = """
  [...document.querySelectorAll("#panel [data-from], .turn.shown :is(.figures, .verdict) [data-from]")]
    .map((one) => ({ path: one.dataset.from, form: one.dataset.form, text: one.textContent }))
"""

LOOSE: Final = """
  (() => {
    const known = "[data-from], [data-page], .chip, .rank, .name, .snippet, .text, .answer, .ticks, .ms, code, pre," +
      " em, .told, .what, h2, .about, #about, .comparison, .link, .key, input, dd ol, .detail dd";
    const walker = document.createTreeWalker(document.querySelector("#panel"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      const unquoted = data.replace(/“[^”]*”/g, "");
      if (/\\d/.test(unquoted) && !parentElement.closest(known)) found.push(data);
    }
    return found;
  })()
"""
"""Texts of the panel with a figure that says nowhere what it is."""

Json: TypeAlias = dict[str, Any]


class Look:
    """A page, with what it asked for and what it complained about."""

    def __init__(self, page: "Page", address: str) -> None:
        self.page, self.address = page, address
        self.asked: list[str] = []
        self.said: list[str] = []
        self.answered: list[Json] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.route("**/answer?**", lambda route: self.relay(route))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)

    def open(self, path: str = "", **settings: str) -> None:
        """The page by a link with these settings, until it is done."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{path}#{urlencode(settings)}")
        self.page.wait_for_selector(".turn" if settings else ".turn, #connection:not(:empty)", timeout=20_000)
        if settings:
            self.page.wait_for_selector(".turn:not(:has(.working))", timeout=20_000)
        self.until(DONE)

    def until(self, expression: str) -> None:
        """Waits for something to be true. Playwright's own way evaluates a text in the page, which the policy bars."""
        for _ in range(400):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"It never was so: {expression}")

    def ask(self, question: str, **settings: str) -> None:
        """A question in the composer, with settings, until it is answered or refused."""
        if settings:
            self.page.evaluate("document.getElementById('more').open = true")
        for name, value in settings.items():
            self.page.fill(f"#{name}", value)
        count = len(self.texts(".turn"))
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        self.until(f"document.querySelectorAll('.turn').length > {count}")
        self.until(DONE)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        return [str(one) for one in self.page.locator(selector).all_inner_texts()]

    def keys(self, selector: str) -> list[str]:
        """The keys of the documents there."""
        return [
            str(one)
            for one in self.page.locator(selector).evaluate_all("(all) => all.map((one) => one.dataset.document)")
        ]

    def tab(self, name: str) -> None:
        self.page.click(f"#tab-{name}")

    def slide(self, steps: int) -> None:
        """Moves the threshold by steps of .05, by keyboard."""
        self.page.focus("#slider")
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")

    def copied(self, selector: str) -> str:
        """What a button puts on the clipboard."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.click(selector)
        self.until(f"document.querySelector({json.dumps(selector)}).textContent === 'Copied'")
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def relay(self, route: "Route", *, later: int = 0) -> None:
        """Sends a call on, and keeps its body and its answer, which the page gets so many milliseconds later."""
        response = route.fetch()
        path = route.request.url.removeprefix(f"{self.address}/")
        body = json.loads(route.request.post_data or "null")
        self.answered.append({"path": path, "body": body, "answer": _json_of(response)})
        if later:
            self.page.wait_for_timeout(later)
        route.fulfill(response=response)

    def answers(self) -> list[Json]:
        """Each call for an answer: its path and body, and the JSON that came."""
        return self.answered

    def seen(self) -> Json:
        """What is common to all scenarios."""
        return {
            "elsewhere": sorted({url for url in self.asked if not url.startswith(f"{self.address}/")}),
            "said": self.said,
            "ran": self.page.evaluate("Boolean(window.ran)"),
            "wider": self.page.evaluate(WIDER),
        }

    def faults(self) -> list[str]:
        """What axe finds, of any impact: the rule and where; and targets that are too small."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        rules = [f"{one['id']}: {node['target']} {node['html'][:90]}" for one in found for node in one["nodes"]]
        return [*rules, *self.page.evaluate(SMALL)]


def _json_of(response: "APIResponse") -> Any:
    """The body, or the data of the last event."""
    text = response.text()
    if "text/event-stream" in response.headers.get("content-type", ""):
        return json.loads(text.rstrip().rpartition("\ndata: ")[2])
    return json.loads(text)


@contextmanager
def looking(address: str, size: str = "wide", theme: str = "light", scale: float = 1) -> Iterator[Look]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion="reduce",
            device_scale_factor=scale,
        )
        yield Look(context.new_page(), address)
        browser.close()
