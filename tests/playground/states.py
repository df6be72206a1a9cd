"""Scenarios that show the states of the page: sizes, themes, keyboard, refusals, a first visit, a comparison."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.playground.looking import DONE, PRICES, QUESTION, Json, looking

FOCUSED: Final = "(({ id, dataset, className }) => id || dataset.key || className)(document.activeElement)"
TAGS: Final = "[...document.querySelectorAll('.turn.shown .answer > *')].map((one) => one.tagName)"
TOP: Final = """
  document.querySelector("#turns").lastElementChild.getBoundingClientRect().top
    - document.querySelector("#scroll").getBoundingClientRect().top
"""
UNDERLINED: Final = """
  [...document.querySelectorAll("#tabs button")]
    .filter((one) => getComputedStyle(one).borderBottomColor !== "rgba(0, 0, 0, 0)").map((one) => one.id)
"""
SIDE: Final = "(one) => getComputedStyle(document.querySelector(one)).direction"
TEXTS: Final = (
    ".turn.shown h2",
    ".turn.shown .answer blockquote p",
    "#panel .name strong",
    "#panel .opened .text",
    "#question",
)
HEIGHTS: Final = "(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight, innerHeight])(more)"
TROUBLES: Final = {
    "ended_by": ["runtime", "tokens"],
    "unfounded_figures": [{"figure": "17", "text": "There are 17 lamps.", "chunk_ids": ["c1"]}],
    "evidence": {
        "is_sufficient": False,
        "confidence": 0.25,
        "confidence_kind": "judged",
        "key_points": [{"text": "The grid is lit.", "sources": ["Bright Grid"], "chunk_ids": ["c1"]}],
        "missing_info_questions": ["How many lamps are there?"],
        "followup_queries": [],
        "more_is_useless": False,
        "by": "model",
    },
}
"""What a model's judgement and limits add to an answer."""

THEN: Final = "And which fires glow?"


def every_state(address: str, folder: Path, *, size: str, theme: str, base: str, question: str) -> Json:
    """Each state of the page at a size and in a theme: what axe finds there, and what is wider than the page."""
    states: dict[str, list[str]] = {}
    with looking(address, size, theme) as look:

        def note(name: str) -> None:
            seen = look.seen()
            states[name] = [*seen["faults"], *seen["wider"], *seen["loose"]]
            look.page.screenshot(path=folder / f"{name}.png")

        look.open()
        look.page.wait_for_selector("#suggestions li")
        note("first visit")
        look.page.click("#credential summary")
        note("key")
        look.page.click("#credential summary")
        look.page.click("#summary")
        note("settings")
        look.page.click("#summary")
        look.open(base=base, q=question, threshold="0.5")
        note("answer")
        look.page.focus(".turn.shown .cite >> nth=0")
        note("citation")
        look.tab("documents")
        look.page.click("button.row >> nth=0")
        look.page.fill("#sought", "night")
        look.slide(-4)
        note("documents")
        look.tab("steps")
        look.page.click("button.step >> nth=2")
        note("steps")
        look.tab("code")
        note("code")
        if size in {"phone", "narrow"}:
            look.page.click("#close")
        look.page.click(".turn.shown [data-key^=pin]")
        look.ask(THEN, filter="")
        look.tab("documents")
        note("compared")
        look.tab("steps")
        note("compared steps")
        look.tab("retrieve")
        note("retrieve, not called")
        look.page.click("#panel [data-key^=beside]")
        look.page.wait_for_selector("#panel button.record")
        look.page.click("#panel button.row >> nth=0")
        look.page.click("#panel button.record >> nth=0")
        note("retrieved")
        troubled = {**look.answers()[-1]["answer"], **TROUBLES}
        look.open(base=base, q=question, filter="nosuchfield eq 1")
        note("refused")
        look.page.route("**/answer?**", lambda route: route.fulfill(json=troubled))
        look.ask(question, filter="")
        look.tab("steps")
        note("troubles")
        if size in {"phone", "narrow"}:
            look.page.click("#close")
            note("troubles, the sheet closed")
        look.open(base=base, q=question, mode="retrieve")
        if size not in {"phone", "narrow"}:
            look.page.click("#summary")
        note("retrieve mode")
        look.page.check("[name=mode][value=answer]")
        look.page.route("**/answer?**", lambda route: None)
        look.page.fill("#question", question)
        look.page.press("#question", "Enter")
        look.until("document.querySelector('.working')")
        note("working")
        return {**look.seen(), "states": states}


def keyboard(address: str, folder: Path) -> Json:
    """Everything by keyboard alone: the question, the tabs, a document, the threshold, a bar, a pin."""
    with looking(address) as look:
        look.open()
        look.page.wait_for_selector("#suggestions li")
        reached = []
        for _ in range(100):
            look.page.keyboard.press("Tab")
            reached.append(look.page.evaluate(FOCUSED))
        look.page.select_option("#base", "earth-at-night")
        look.page.focus("#question")
        look.page.keyboard.type("Why is the street grid")
        look.page.keyboard.press("Shift+Enter")
        look.page.keyboard.type("of Phoenix so visible?")
        broken = look.page.input_value("#question")
        look.page.keyboard.press("Enter")
        look.until("document.querySelectorAll('.turn').length === 2 && !document.querySelector('.working')")
        focused = look.page.evaluate("document.activeElement.id")
        look.page.focus("#tab-documents")
        look.page.keyboard.press("ArrowRight")
        tab = look.page.evaluate("document.activeElement.id")
        look.page.keyboard.press("ArrowLeft")
        look.page.focus("button.row")
        look.page.keyboard.press("Enter")
        expanded = look.page.evaluate("document.activeElement.getAttribute('aria-expanded')")
        look.slide(3)
        slid = look.text(".line [role=status]")
        still = look.page.evaluate("document.activeElement.id")
        opened = look.text(".opened")
        look.page.keyboard.press("Tab")
        again = look.page.evaluate(FOCUSED)
        look.page.keyboard.press("Enter")
        look.until("document.querySelectorAll('.turn').length === 3 && !document.querySelector('.working')")
        look.page.focus("#tab-documents")
        look.page.keyboard.press("ArrowRight")
        look.page.focus("button.step >> nth=0")
        look.page.keyboard.press("Enter")
        step = look.text(".detail")
        look.page.focus(".turn.shown [data-key^=pin]")
        look.page.keyboard.press("Space")
        pinned = look.page.evaluate("document.activeElement.textContent")
        look.page.focus("#tab-steps")
        look.page.keyboard.press("ArrowRight")
        look.page.focus("[data-key='in mcp']")
        look.page.keyboard.press("Enter")
        return {
            **look.seen(),
            "reached": reached,
            "broken": broken,
            "focused": focused,
            "tab": tab,
            "expanded": expanded,
            "slid": slid,
            "still": still,
            "opened": opened,
            "again": again,
            "step": step,
            "pinned": pinned,
            "code": look.page.text_content("[data-code=code] pre"),
        }


def first_visit(address: str, folder: Path, base: str) -> Json:
    """What is there before anything is typed, and that no question was asked."""
    with looking(address) as look:
        look.open()
        look.page.wait_for_selector("#suggestions li")
        suggested = look.texts("#suggestions li")
        seen = {
            "chosen": look.page.input_value("#base"),
            "about": look.text(".turn .about"),
            "questions": look.texts("#suggestions > div:first-of-type li"),
            "suggested": suggested,
            "documents": len(look.texts("li.document")),
            "calls": len(look.answers()),
        }
        look.page.click("#suggestions button >> nth=0")
        look.until("document.querySelectorAll('.turn').length === 2 && !document.querySelector('.working')")
        return {**look.seen(), **seen, "after": look.answers(), "left": look.texts("#suggestions li")}


def left_out(address: str, folder: Path) -> Json:
    """What is told of files that could not be loaded, before and after it is opened."""
    with looking(address) as look:
        look.open()
        look.page.wait_for_selector("#warnings summary")
        closed = look.texts("#left-out li:visible")
        look.page.click("#warnings summary")
        return {**look.seen(), "closed": closed, "opened": look.texts("#left-out li:visible")}


def in_view(address: str, folder: Path, size: str, question: str) -> Json:
    """How far below the top of the conversation a new turn begins: a question, and one asked again by the threshold."""
    with looking(address, size) as look:
        look.open()
        look.page.wait_for_selector("#suggestions li")
        look.ask(question)
        tops = [look.page.evaluate(TOP)]
        look.tab("documents")
        look.slide(3)
        look.page.click("[data-key=again]")
        look.until("document.querySelectorAll('.turn').length === 3")
        look.until(DONE)
        tops.append(look.page.evaluate(TOP))
        return {**look.seen(), "tops": tops}


def citation(address: str, folder: Path, base: str, question: str) -> Json:
    """Hovering over a citation shows its sentence; a click opens its document at right, with the sentence marked."""
    with looking(address) as look:
        look.open(base=base, q=question)
        look.page.hover(".turn.shown .cite >> nth=0")
        hint = look.text(".citation:hover .hint")
        look.page.click(".turn.shown .cite >> nth=0")
        return {
            **look.seen(),
            "hint": hint,
            "opened": look.text(".opened .text"),
            "key": look.keys("li:has(.opened)"),
            "blocks": look.page.evaluate(TAGS),
            "answer": look.text(".turn.shown .answer"),
            "closest": look.texts(".turn.shown .closest"),
            "line": look.text(".turn.shown"),
            "calls": look.answers(),
        }


def places(address: str, folder: Path, size: str, base: str, question: str) -> Json:
    """What the page says of documents that look alike, where its tabs begin, and what is in view."""
    with looking(address, size) as look:
        look.open(base=base, q=question)
        closed = look.page.evaluate(UNDERLINED)
        lines = [look.page.evaluate("getComputedStyle(document.querySelector('.turn.shown .figures')).position")]
        look.tab("documents")
        names, nexts = look.texts("#panel .name strong"), []
        snippets, lowest = look.texts("#panel .snippet"), look.text(".line [role=status]")
        for place in range(3):
            look.page.locator("button.row").nth(place).click()
            nexts.append(look.text(".opened ul"))
        title = look.answers()[0]["answer"]["explained"]["documents"][0]["title"]
        look.page.fill("#sought", title)
        sought = look.texts("[data-key^='found ']")
        look.page.evaluate("document.querySelector('#panel').scrollTop = 500")
        look.tab("code")
        begins = look.page.evaluate("document.querySelector('#panel').scrollTop")
        return {
            **look.seen(),
            "closed": closed,
            "positions": lines,
            "names": names,
            "nexts": nexts,
            "calls": look.answers(),
            "snippets": snippets,
            "lowest": lowest,
            "sought": sought,
            "begins": begins,
            "underlined": look.page.evaluate(UNDERLINED),
        }


def settings(address: str, folder: Path, size: str) -> Json:
    """How high the open settings are, how much of them is seen, and how high the page is."""
    with looking(address, size) as look:
        look.open()
        look.page.wait_for_selector("#suggestions li")
        look.page.click("#summary")
        return {**look.seen(), "heights": look.page.evaluate(HEIGHTS)}


def bold(address: str, folder: Path, base: str, question: str) -> Json:
    """Bold words of an answer's passages."""
    with looking(address) as look:
        look.open(base=base, q=question)
        answer = look.text(".turn.shown .answer")
        return {
            **look.seen(),
            "bold": look.texts(".turn.shown .answer strong"),
            "answer": answer,
            "calls": look.answers(),
        }


def missing(address: str, folder: Path, base: str, question: str, words: dict[str, str], filter: str) -> Json:
    """Where a document is: in the list, below the threshold, in the index alone, or nowhere."""
    with looking(address) as look:
        look.open(base=base, q=question, threshold="1")
        found = {}
        for name, sought in words.items():
            look.page.fill("#sought", sought)
            found[name] = look.text(".seek [role=status]")
            if look.page.locator("[data-key=look]").count():
                look.page.click("[data-key=look]")
                look.until("!/Searching|one more/.test(document.querySelector('.seek').textContent)")
                found[name] = look.text(".seek [role=status]")
        look.open(base=base, q=question, filter=filter)
        look.page.fill("#sought", words["here"])
        return {**look.seen(), "verdicts": found, "filtered": look.text(".seek [role=status]")}


def compared(address: str, folder: Path, base: str, question: str) -> Json:
    """A pinned run, and the next one against it: ranks, what is gone, one time axis."""
    with looking(address) as look:
        look.open(base=base, q=question)
        look.page.click(".turn.shown [data-key^=pin]")
        look.ask(question, threshold="2", chunks="1")
        there = look.page.locator("li.document").evaluate_all(
            "(all) => all.map((one) => [one.dataset.document, one.querySelector('[data-there]')?.dataset.there])"
        )
        said = look.text(".comparison")
        took = look.texts(".comparison [data-page=total]"), look.texts(".turn .figures [data-page=total]")
        look.tab("steps")
        ticks = look.texts(".ticks")
        look.page.click("button.step >> nth=-1")
        opened = look.page.locator("ol.bars").evaluate_all(
            "(all) => all.map((one) => one.querySelectorAll('.detail').length)"
        )
        return {
            **look.seen(),
            "there": there,
            "told": said,
            "took": took,
            "ticks": ticks,
            "opened": opened,
            "calls": look.answers(),
            "charts": look.texts("#panel h3"),
        }


def a_wrong_key(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(base="earth-at-night")
        look.page.click("#credential summary")
        look.page.fill("#key", "wrong")
        look.page.keyboard.press("Enter")
        look.page.wait_for_selector("#base-name:visible")
        connection = look.text("#connection")
        look.ask(QUESTION)
        refused = look.text(".trouble")
        look.page.fill("#key", "local-dev-key")
        look.page.press("#key", "Enter")
        look.until("document.querySelector('#fields').textContent.includes('page_number')")
        asks_only = look.text("#connection")
        question = look.page.input_value("#question")
        look.ask(QUESTION)
        stored = look.page.evaluate("JSON.stringify(localStorage)") + look.page.url
        return {
            **look.seen(),
            "connection": connection,
            "refused": refused,
            "stored": stored,
            "kept": question,
            "asks_only": asks_only,
            "documents": len(look.texts("li.document")),
        }


def emptied_key(address: str, folder: Path) -> Json:
    """The key field after it was emptied and the page was loaded again, with and without the button; and a new key."""
    with looking(address) as look:
        kept = []
        for key, pressed in (("", False), ("local-dev-key", True), ("", True), ("local-admin-key", False)):
            look.open(base="earth-at-night")
            look.page.click("#credential summary")
            look.page.fill("#key", key)
            if pressed:
                look.page.press("#key", "Enter")
            look.open()
            kept.append(look.page.input_value("#key"))
        return {**look.seen(), "kept": kept}


def directions(address: str, folder: Path, base: str, question: str) -> Json:
    """From which side each text is written, and that of an English answer."""
    with looking(address) as look:
        look.open(base=base, q=question)
        look.tab("documents")
        look.page.click("button.row >> nth=0")
        look.page.fill("#question", question)
        sides = {one: look.page.evaluate(SIDE, one) for one in TEXTS}
        look.tab("steps")
        look.page.screenshot(path=folder / "directions.png")
        look.open(base="earth-at-night", q=QUESTION)
        return {**look.seen(), "sides": sides, "english": look.page.evaluate(SIDE, TEXTS[1])}


def away(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(base="earth-at-night")
        look.page.route("**/answer?**", lambda route: route.abort())
        look.ask(QUESTION)
        return {**look.seen(), "problem": look.text(".trouble"), "question": look.page.input_value("#question")}


def empty(address: str, folder: Path) -> Json:
    with looking(address) as look:
        look.open(base="nothing", q=QUESTION)
        found = look.text("#panel")
        look.ask("Thanks!")
        return {**look.seen(), "empty": found, "thanks": look.text("#panel"), "line": look.text(".turn.shown .figures")}


def beneath(address: str, folder: Path) -> Json:
    """The page behind a gateway with a path of its own, by an address with a slash at its end."""
    with looking(f"{address}/search") as look:
        look.open(path="playground/", q=QUESTION, base="earth-at-night")
        look.tab("code")
        return {**look.seen(), "documents": len(look.answers()), "code": look.text("[data-code=code] pre")}


def events(address: str, folder: Path, body: str) -> Json:
    """An answer that comes as events."""
    with looking(address) as look:
        look.open(base="earth-at-night")
        headers = {"content-type": "text/event-stream"}
        look.page.route("**/answer?**", lambda route: route.fulfill(body=body, headers=headers))
        look.ask(QUESTION)
        return {**look.seen(), "turn": look.text(".turn.shown"), "documents": len(look.texts("li.document"))}


def pictures(address: str, folder: Path, base: str, question: str) -> Json:
    """The page as the docs show it: what answers each of the seven questions."""
    with looking(address, scale=0.8) as look:

        def keep(name: str, selector: str) -> None:
            look.page.locator(selector).screenshot(path=folder / f"playground-{name}.png")

        look.page.set_viewport_size({"width": 1160, "height": 700})
        look.open()
        look.page.evaluate(PRICES)
        look.open(base=base, q=question, threshold="1.5")
        look.page.click("button.row >> nth=0")
        look.page.screenshot(path=folder / "playground.png")
        look.page.click("button.row >> nth=0")
        keep("cost", ".turn.shown .figures")
        look.page.fill("#sought", "Islands")
        keep("missing", ".seek")
        look.page.fill("#sought", "")
        look.page.mouse.move(0, 0)
        look.page.set_viewport_size({"width": 1160, "height": 600})
        look.slide(-16)
        look.page.evaluate("document.querySelector('li.would-pass').scrollIntoView({ block: 'center' })")
        keep("threshold", "#right")
        look.tab("steps")
        keep("steps", "#right")
        look.page.set_viewport_size({"width": 1160, "height": 1000})
        look.page.click("button.step:has-text('Model plan')")
        keep("plan", "li:has(.detail)")
        look.page.set_viewport_size({"width": 1160, "height": 600})
        look.tab("code")
        keep("code", "#right")
        look.page.set_viewport_size({"width": 1160, "height": 700})
        look.page.click(".turn.shown [data-key^=beside]")
        look.page.click("[data-key=counted]")
        look.page.wait_for_selector("#panel .drops li")
        look.page.screenshot(path=folder / "playground-retrieve.png")
        return look.seen()


STATES: Final[tuple[Callable[..., Json], ...]] = (
    every_state,
    keyboard,
    first_visit,
    left_out,
    in_view,
    citation,
    places,
    settings,
    bold,
    missing,
    compared,
    a_wrong_key,
    emptied_key,
    directions,
    away,
    empty,
    beneath,
    events,
    pictures,
)
