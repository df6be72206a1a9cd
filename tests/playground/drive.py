"""Drives the page in a browser and prints what it saw, as one JSON object.

Runs in an environment of its own with Playwright: `drive.py BROWSER SCENARIO ADDRESS FOLDER`. Screenshots go into the
folder.
What a service cannot be made to do is answered here in its name (`Page.route`): it is away, silent, or hostile.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlencode

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION: Final = "Why is the street grid of Phoenix so sharply visible from space?"
TWO_PARTS: Final = "Why is Phoenix so bright at night, and which fires glow?"
MARKUP: Final = "<img src=x onerror='window.ran=1'><script>window.ran=1</script><a href='javascript:window.ran=1'>x</a>"
SIZES: Final = {"narrow": (400, 900), "middle": (920, 900), "wide": (1920, 1080)}
DONE: Final = "play-references .find"

WATCH: Final = """
  window.running = 0;
  new MutationObserver(() => { if (document.querySelector(".bar.running")) window.running += 1; })
    .observe(document, { subtree: true, childList: true });
"""
"""Counts how often a bar was under way: an event was shown before the step had ended."""

WIDER: Final = """
  document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 40)}`).slice(-3)
"""
"""What is wider than the page, where a reader would have to scroll sideways."""

Json: TypeAlias = dict[str, Any]


class Look:
    """A page, with what it asked for and what it complained about."""

    def __init__(self, page: "Page", address: str) -> None:
        self.page, self.address = page, address
        self.asked: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)

    def open(self, wait: str = DONE, path: str = "", **settings: str) -> None:
        """The page by a link with these settings, until something is there."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{path}#{urlencode(settings)}")
        self.page.wait_for_selector(wait, timeout=20_000)
        self.until("!document.querySelector('#results[aria-busy=true]')")

    def until(self, expression: str) -> None:
        """Waits for something to be true. Playwright's own way evaluates a text in the page, which the policy bars."""
        for _ in range(400):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"It never was so: {expression}")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        return [str(one) for one in self.page.locator(selector).all_inner_texts()]

    def copied(self, button: str) -> str:
        """What a button puts on the clipboard."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.click(button)
        self.until(f"document.querySelector('{button}').textContent === 'Copied'")
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def verdict(self, words: str) -> str:
        """What the page says of a document that is missed."""
        self.page.fill("play-references input", words)
        self.page.keyboard.press("Enter")
        self.until("document.querySelector('.verdict p') !== null")
        return self.text(".verdict")

    def seen(self) -> Json:
        """What is common to all scenarios."""
        return {
            "elsewhere": sorted({url for url in self.asked if not url.startswith(f"{self.address}/")}),
            "said": self.said,
            "ran": self.page.evaluate("Boolean(window.ran)"),
            "wider": self.page.evaluate(WIDER),
        }

    def serious(self) -> list[str]:
        """What axe finds of impact serious or critical: the rule and where."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {node['target']}"
            for one in found
            if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]


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


def every_view(address: str, folder: Path) -> Json:
    """The page at both widths and in both themes, with an answer of each kind."""
    found: Json = {}
    for size in SIZES:
        for theme in ("light", "dark"):
            with looking(address, size, theme) as look:
                look.open(wait=".welcome")
                serious = look.serious()
                look.open(wait="play-scores .plot", q=QUESTION, mode="answerSynthesis")
                serious += look.serious()
                look.open(wait="play-evidence .card", q=TWO_PARTS, way="answer", compare="1", **{"b.threshold": "1.6"})
                look.page.click("play-references summary >> nth=0")
                look.page.evaluate("document.getElementById('more').open = true")
                serious += look.serious()
                look.page.screenshot(path=folder / f"{size}-{theme}.png", full_page=True)
                sides = look.page.evaluate("[...document.querySelectorAll('play-result')].map((one) => one.offsetTop)")
                found[f"{size} {theme}"] = {**look.seen(), "serious": serious, "stacked": sides[0] != sides[1]}
    return found


def a_question(address: str, folder: Path) -> Json:
    """A question, the threshold by keyboard, and the document that is not there."""
    with looking(address) as look:
        look.page.add_init_script(WATCH)
        look.open(wait="play-scores .plot", q=QUESTION)
        before = look.text("play-scores .said")
        look.page.focus("play-scores input")
        for _ in range(34):
            look.page.keyboard.press("ArrowLeft")
        lower = look.text("play-scores .said")
        come = look.texts("play-scores .comes")
        verdicts = {words: look.verdict(words) for words in ("Bright Grid", "Yemen", "no such document")}
        look.page.locator("play-references").screenshot(path=folder / "verdict.png")
        look.page.click("play-scores button")
        look.until("document.querySelectorAll('.references > li').length > 2")
        seen = {
            **look.seen(),
            "running": look.page.evaluate("window.running"),
            "before": before,
            "lower": lower,
            "come": come,
            "verdicts": verdicts,
            "time": look.text("play-waterfall .lead"),
            "plan": look.text("play-dropped .card"),
            "facts": look.text(".facts"),
            "link": look.page.url,
            "copied": look.copied("#share"),
            "fields": look.texts(".field-name"),
            "again": len(look.texts(".references > li")),
            "axis": look.texts(".ticks span"),
        }
        look.open(wait="play-scores .plot", q=QUESTION, filter="page_number eq '105'")
        filtered = look.verdict("Phoenix by Night")
        look.open(wait="play-scores .plot", q=QUESTION, effort="auto")
        return {**seen, "filtered": filtered, "enough": look.text("play-dropped .lead")}


def codes(address: str, folder: Path) -> Json:
    """The request as code in every language, with characters that each would have to escape."""
    with looking(address) as look:
        question = f'{QUESTION} Say "it\'s a grid" \\ “für” 日本 😀 $HOME `id`'
        look.open(wait="play-scores .plot", q=question, threshold="1", filter="page_number eq '105'", effort="medium")
        look.page.click("play-copy summary")
        found = {}
        for language in look.texts("play-copy option"):
            look.page.select_option("play-copy select", language)
            found[language] = look.page.text_content("play-copy pre")
        return {**look.seen(), "codes": found}


def citations(address: str, folder: Path) -> Json:
    """A citation jumps to its place; a follow-up goes on in the conversation."""
    with looking(address) as look:
        look.open(wait="play-evidence .card", q=TWO_PARTS, way="answer")
        look.page.click(".answer .cite >> nth=1")
        marked = look.text("mark")
        visible = look.page.locator("mark").first.is_visible()
        look.page.fill("#q", "And in dry nights?")
        look.page.click("#follow")
        look.until("document.querySelectorAll('#turns li').length === 4")
        return {
            **look.seen(),
            "marked": marked,
            "visible": visible,
            "turns": look.texts("#turns li"),
            "answer": look.text(".answer"),
        }


def keyboard(address: str, folder: Path) -> Json:
    """A question by keyboard alone: Tab reaches every control in order, Enter asks, Space opens a reference."""
    with looking(address) as look:
        look.open(wait=".welcome")
        reached = []
        for _ in range(6):
            look.page.keyboard.press("Tab")
            reached.append(look.page.evaluate("document.activeElement.id || document.activeElement.textContent"))
        look.page.focus("#q")
        look.page.keyboard.type(QUESTION)
        look.page.keyboard.press("Tab")
        look.page.keyboard.press("Enter")
        look.page.wait_for_selector("play-scores .plot")
        look.page.focus("play-references summary")
        look.page.keyboard.press("Space")
        look.page.wait_for_selector("play-references .words")
        return {**look.seen(), "reached": reached, "read": look.text("play-references .words")}


def a_wrong_key(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(wait=".welcome")
        look.page.fill("#key", "wrong")
        look.page.keyboard.press("Enter")
        look.page.wait_for_selector("#base-name:visible")
        connection = look.text("#connection")
        look.page.fill("#base-name", "earth-at-night")
        look.page.fill("#q", QUESTION)
        look.page.click("#ask")
        look.page.wait_for_selector(".problem")
        refused = look.text(".problem")
        look.page.fill("#key", "local-dev-key")
        look.page.click("#access button")
        look.until("document.querySelectorAll('.field-name').length > 0")
        look.page.click("#ask")
        look.page.wait_for_selector(DONE)
        stored = look.page.evaluate("JSON.stringify(localStorage)") + look.page.url
        return {
            **look.seen(),
            "connection": connection,
            "refused": refused,
            "stored": stored,
            "found": len(look.texts(".references > li")),
        }


def away(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(wait=".welcome")
        look.page.route("**/knowledgebases/**", lambda route: route.abort())
        look.page.fill("#q", QUESTION)
        look.page.click("#ask")
        look.page.wait_for_selector(".problem")
        return {**look.seen(), "problem": look.text(".problem"), "question": look.page.input_value("#q")}


def silent(address: str, folder: Path) -> Json:
    """An answer that takes long: time passes on the page, and the call can be stopped."""
    with looking(address) as look:
        look.open(wait=".welcome")
        look.page.route("**/retrieve?**", lambda route: None)
        look.page.fill("#q", QUESTION)
        look.page.click("#ask")
        look.until("parseFloat(document.getElementById('clock').textContent) > 0")
        said, clock = look.text("#progress"), look.text("#clock")
        serious = look.serious()
        look.page.keyboard.press("Enter")
        look.page.wait_for_selector(".problem")
        return {**look.seen(), "progress": said, "clock": clock, "stopped": look.text(".problem"), "serious": serious}


def empty(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(wait=".empty", q=QUESTION, base="empty")
        return {**look.seen(), "said": look.said, "empty": look.text(".empty"), "plan": look.text("play-dropped .lead")}


def hostile(address: str, folder: Path) -> Json:
    """Documents with markup in every field and in their keys' data, then a model that answers with markup."""
    with looking(address) as look:
        look.open(wait="play-scores .plot", q=f"lamps {MARKUP}", base="hostile")
        look.page.click("play-references summary >> nth=0")
        documents = look.text(".references")
        look.page.click("play-copy summary")
        look.page.route("**/answer", lambda route: route.fulfill(json=hostile_answer()))
        look.page.select_option("#way", "answer")
        look.page.click("#ask")
        look.page.wait_for_selector("play-evidence .points")
        made = look.page.evaluate("document.querySelectorAll('#output img, #output script, #output a').length")
        cites = look.texts(".answer .cite")
        return {**look.seen(), "documents": documents, "answer": look.text("#output"), "made": made, "cites": cites}


def a_model(address: str, folder: Path) -> Json:
    """A model plans with markup and writes markup."""
    with looking(address) as look:
        look.open(wait="play-scores .plot", q=QUESTION, mode="answerSynthesis", effort="low")
        made = look.page.evaluate("document.querySelectorAll('#output img, #output script, #output a').length")
        with_model = {
            "plan": look.text("play-dropped"),
            "facts": look.text(".facts"),
            "bars": look.texts(".bars .name"),
        }
        look.open(
            wait="play-result:nth-of-type(2) play-scores .plot", q=QUESTION, compare="1", **{"b.effort": "minimal"}
        )
        return {
            **look.seen(),
            **with_model,
            "made": made,
            "summary": look.text("#progress"),
            "sides": look.texts(".facts dd"),
            "differs": look.texts(".facts .differs dt"),
        }


def beneath(address: str, folder: Path) -> Json:
    """The page behind a gateway with a path of its own, by an address with a slash at its end."""
    with looking(f"{address}/search") as look:
        look.open(wait="play-scores .plot", path="playground/", q=QUESTION)
        return {**look.seen(), "references": len(look.texts(".references > li")), "fields": look.texts(".field-name")}


def hostile_answer() -> Json:
    chunk = {
        "id": "c1",
        "source": MARKUP,
        "text": MARKUP,
        "score": 3,
        "doc_key": MARKUP,
        "index": "x",
        "round": 0,
        "rationale": MARKUP,
    }
    search = {
        "index": MARKUP,
        "query": MARKUP,
        "filter": MARKUP,
        "count": 1,
        "returned": 1,
        "dropped": {MARKUP: 1},
        "elapsed_ms": 3,
    }
    return {
        "route": {"by": "model"},
        "plan": {"by": "model", "notes": [MARKUP]},
        "selected": [chunk],
        "evidence": {
            "is_sufficient": True,
            "confidence": 0.5,
            "by": "model",
            "key_points": [{"text": MARKUP, "chunk_ids": ["c1"]}],
            "missing_info_questions": [MARKUP],
            "followup_queries": [MARKUP],
        },
        "answer_markdown": f"{MARKUP} [1] `a[1]` [x](javascript:window.ran=1)\n\n**Sources**\n\n- [1] {MARKUP}",
        "sources": [MARKUP],
        "citations": [{"chunk_id": "c1", "source": MARKUP, "start": 0, "end": 9}],
        "ended_by": [],
        "activity": [{"type": "round", "id": 0, "round": 0, "started_ms": 0, "elapsed_ms": 3, "searches": [search]}],
    }


def many(address: str, folder: Path) -> Json:
    """200 references, a model that plans and judges, a follow-up, and one sub-query that failed."""
    with looking(address, "narrow") as look:
        look.page.route("**/retrieve?**", lambda route: route.fulfill(json=large_answer()))
        look.open(wait="play-scores .plot", q=QUESTION)
        serious = look.serious()
        look.page.screenshot(path=folder / "many.png", full_page=False)
        return {
            **look.seen(),
            "references": len(look.texts(".references > li")),
            "marks": len(look.texts(".marks i")),
            "plan": look.text("play-dropped .card"),
            "bars": look.texts(".bars .name"),
            "facts": look.text(".facts"),
            "serious": serious,
        }


def large_answer() -> Json:
    def search(id: int, at: int, **more: Any) -> Json:
        moment = f"2026-11-22T10:00:0{at}.000Z"
        arguments = {"search": f"sub-query {id}", "filter": None}
        return {
            "id": id,
            "type": "searchIndex",
            "startedAt": moment,
            "queryTime": moment,
            "elapsedMs": 900,
            "count": 50,
            "dropped": {"threshold": 5, "duplicate": 3},
            "knowledgeSourceName": "earth_at_night",
            "searchIndexArguments": arguments,
            **more,
        }

    def model(id: int, at: int) -> Json:
        return {
            "id": id,
            "type": "modelQueryPlanning",
            "startedAt": f"2026-11-22T10:00:0{at}.000Z",
            "elapsedMs": 700,
            "inputTokens": 600,
            "outputTokens": 60,
        }

    failed = {
        "count": 0,
        "dropped": {},
        "error": {"code": "Throttled", "message": "The search service asks for fewer calls."},
    }
    ranking = {
        "id": 6,
        "type": "agenticReasoning",
        "startedAt": "2026-11-22T10:00:01.000Z",
        "elapsedMs": 900,
        "reasoningTokens": 9000,
        "plannedBy": "model",
        "retrievalReasoningEffort": {"kind": "medium"},
    }
    activity = [model(0, 0), search(1, 1), search(2, 1), search(3, 1, **failed), model(4, 2), search(5, 3), ranking]
    references = [
        {
            "type": "searchIndex",
            "id": str(n),
            "activitySource": 1 + n % 2,
            "docKey": f"key-{n}",
            "rerankerScore": round(4 - n / 80, 4),
            "sourceData": {"id": f"key-{n}", "title": f"Document {n}", "content": "Lamps. " * 40},
        }
        for n in range(200)
    ]
    return {
        "response": [{"role": "assistant", "content": [{"type": "text", "text": "[]"}]}],
        "activity": activity,
        "references": references,
    }


def pictures(address: str, folder: Path) -> Json:
    """The page as README and docs show it."""
    with looking(address, scale=0.66) as look:
        look.page.set_viewport_size({"width": 1480, "height": 960})
        look.open(wait="play-evidence .card", q=TWO_PARTS, way="answer")
        look.page.screenshot(path=folder / "playground.png")
        look.page.set_viewport_size({"width": 1520, "height": 800})
        look.open(wait="play-scores .plot", q=QUESTION)
        look.page.focus("play-scores input")
        for _ in range(34):
            look.page.keyboard.press("ArrowLeft")
        look.page.evaluate("document.querySelector('play-waterfall').scrollIntoView()")
        look.page.screenshot(path=folder / "playground-threshold.png")
        return look.seen()


SCENARIOS: Final[dict[str, Callable[[str, Path], Json]]] = {
    one.__name__: one
    for one in (
        every_view,
        a_question,
        codes,
        citations,
        keyboard,
        a_wrong_key,
        away,
        silent,
        empty,
        hostile,
        a_model,
        beneath,
        many,
        pictures,
    )
}

if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[2]](sys.argv[3], Path(sys.argv[4]))))
