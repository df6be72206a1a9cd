"""A page in a browser, with what it asked, what was answered, what it complained about, and its figures."""

import json
import sys
import time
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
  [...document.querySelectorAll("a, button, select, summary, input, textarea")]
    .filter((one) => one.checkVisibility() && (one.offsetHeight < 24 || one.offsetWidth < 24))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent}: ${one.offsetWidth}, ${one.offsetHeight}`)
"""
"""Targets that are smaller than a finger needs."""

FIGURES: Final = """
  [...document.querySelectorAll(":is(#panel, .turn.shown) [data-from]")]
    .map((one) => ({ path: one.dataset.from, form: one.dataset.form, text: one.textContent }))
"""

MEMBERS: Final = """
  [...document.querySelectorAll("#panel [data-form=json]")].map((one) => [one.dataset.from, one.textContent])
"""
"""The members of a response that are shown as they are, by path."""

COMPUTED: Final = """
  [...document.querySelectorAll(":is(#panel, .turn.shown) [data-page]")]
    .map((one) => [one.dataset.page, one.textContent])
"""
"""Figures that the page computed or measured, by name."""

ROWS: Final = """
  [...document.querySelectorAll("#panel li.document")].map((one) => ({
    key: one.dataset.document, rank: one.querySelector(".rank").textContent,
    chips: [...one.querySelectorAll(".chips .chip")].map((chip) => chip.textContent),
  }))
"""

LOOSE: Final = """
  (() => {
    const known = "[data-from], [data-page], .chip, .rank, .name, .snippet, .text, .answer, .ticks, .ms, code, pre," +
      " em, dt, .told, .what, h2, .about, .trouble, .bad, .link, .detail li";
    const found = [];
    for (const root of document.querySelectorAll("#compared, #panel, .turn.shown")) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        const unquoted = data.replace(/“[^”]*”/g, "");
        if (/\\d/.test(unquoted) && !parentElement.closest(known)) found.push(data);
      }
    }
    return found;
  })()
"""
"""Texts with a figure that says nowhere what it is."""

PRICES: Final = "localStorage.setItem('playground-prices', JSON.stringify({ in: '1', out: '1', ranked: '1' }))"
LABELS: Final = """
  (selector) => {
    window.labels = [];
    const node = document.querySelector(selector);
    const keep = () => window.labels.push(node.textContent);
    new MutationObserver(keep).observe(node, { childList: true, characterData: true, subtree: true });
  }
"""
"""Keeps every label that a button has from now on, however soon it goes."""

PATIENCE: Final = 90
"""Seconds that something may take on a machine that does much else."""

Json: TypeAlias = dict[str, Any]


class Look:
    """A page, with what it asked for and what it complained about."""

    def __init__(self, page: "Page", address: str) -> None:
        self.page, self.address = page, address
        self.asked: list[str] = []
        self.said: list[str] = []
        self.answered: list[Json] = []
        self.told: dict[str, float] = {}
        page.on("request", lambda request: self.asked.append(request.url))
        page.route("**/answer?**", lambda route: self.relay(route))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)

    def open(self, path: str = "", **settings: str) -> None:
        """The page by a link with these settings, until it is done."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{path}#{urlencode(settings)}")
        self.page.wait_for_selector(".turn" if settings else ".turn, #connection:not(:empty)")
        if settings:
            self.page.wait_for_selector(".turn:not(:has(.working))")
        self.until(DONE)

    def until(self, expression: str) -> None:
        """Waits for something to be true. Playwright's own way evaluates a text in the page, which the policy bars."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
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
        self.page.evaluate(LABELS, selector)
        self.page.click(selector)
        self.until("labels.includes('Copied')")
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def relay(self, route: "Route", *, sooner: int = 0, later: int = 0) -> None:
        """Sends a call on, so many milliseconds after the page did, and its answer back as late; and keeps both.

        `told` has the moments at which the page had sent the call, and at which the answer goes to it.
        """
        self.told["sent"] = time.time() * 1000
        if sooner:
            self.page.wait_for_timeout(sooner)
        response = route.fetch()
        path = route.request.url.removeprefix(f"{self.address}/")
        body = json.loads(route.request.post_data or "null")
        self.answered.append({"path": path, "body": body, "answer": _json_of(response)})
        if later:
            self.page.wait_for_timeout(later)
        self.told["back"] = time.time() * 1000
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
            "loose": self.page.evaluate(LOOSE),
            "faults": self.faults(),
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
        context.set_default_timeout(PATIENCE * 1000)
        yield Look(context.new_page(), address)
        browser.close()
