"""Scenarios that show whether what the page says is true; `test_truth.py` compares it with what was answered."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.playground.looking import (
    COMPUTED,
    DONE,
    FIGURES,
    LOOSE,
    MARKUP,
    MEMBERS,
    PRICES,
    QUESTION,
    ROWS,
    Json,
    Look,
    looking,
)

if TYPE_CHECKING:
    from playwright.sync_api import Route

LATENCY: Final = 400
BARS: Final = """
  [...document.querySelectorAll(".track .bar")].map((one) => ({
    kind: one.className.replace("bar ", ""), start: Number(one.dataset.start), ms: Number(one.dataset.ms),
    width: one.getBoundingClientRect().width, track: one.parentElement.getBoundingClientRect().width,
    left: one.getBoundingClientRect().left - one.parentElement.getBoundingClientRect().left,
    shown: one.closest(".step").querySelector(".ms").textContent,
  }))
"""


def figures(address: str, folder: Path, base: str, question: str, **settings: str) -> Json:
    """Every figure of a run, in every state of its three tabs."""
    with looking(address) as look:
        look.open(base=base, q=question, **settings)
        return {**look.seen(), **_walked(look)}


def _walked(look: Look) -> Json:
    found, computed, loose = [], [], []

    def note() -> None:
        found.extend(look.page.evaluate(FIGURES))
        computed.extend(look.page.evaluate(COMPUTED))
        loose.extend(look.page.evaluate(LOOSE))

    look.tab("documents")
    rows = look.page.evaluate(ROWS)
    sought = [rows[0]["key"][:4]]
    for place in range(min(3, look.page.locator("button.row").count())):
        look.page.locator("button.row").nth(place).click()
        note()
    dropped = look.page.locator("li.dropped button.row")
    if dropped.count():
        dropped.last.click()
        note()
        sought.append(look.page.locator("li.dropped .name strong").last.inner_text().split("›")[0])
    for words in sought:
        look.page.fill("#sought", words)
        note()
    look.page.fill("#sought", "")
    look.tab("steps")
    note()
    steps = []
    for bar in look.page.locator("button.step").all():
        bar.click()
        note()
        steps.append(look.page.locator(".detail pre").all_text_contents())
    return {
        "figures": found,
        "computed": computed,
        "rows": rows,
        "steps": steps,
        "sought": sought,
        "waited": look.texts("div.step .ms"),
        "loose": loose,
        "total": look.text(".turn.shown [data-page=total]"),
        "calls": look.answers(),
    }


def threshold(address: str, folder: Path, base: str, question: str, then: str) -> Json:
    """The threshold of a second turn, without a model: what is promised, and what asking again brings."""
    with looking(address) as look:
        look.open(base=base, q=question)
        first = look.text(".line label")
        look.ask(then, threshold="3.5")
        strict = look.text(".line label")
        look.slide(-60)
        would = look.keys("li.would-pass")
        said = look.text(".line [role=status]")
        opened = look.page.locator("li.would-pass button.row")
        if opened.count():
            opened.first.click()
        opened_text = look.text(".opened") if opened.count() else ""
        look.page.click("[data-key=again]")
        look.until("document.querySelector('.line label')?.textContent.includes('0.50')")
        passed = look.keys("#panel .documents:not(.below) > li")
        look.slide(20)
        return {
            **look.seen(),
            "would_go": look.keys("li.would-go"),
            "told_higher": look.text(".line [role=status]"),
            "first": first,
            "strict": strict,
            "would": would,
            "told": said,
            "opened": opened_text,
            "passed": passed,
            "calls": look.answers(),
        }


def unselected(address: str, folder: Path, base: str, question: str, **settings: str) -> Json:
    """What is said of the documents that were kept and not selected: in the list, opened, and where it is asked."""
    with looking(address) as look:
        look.open(base=base, q=question, **settings)
        over = look.keys("li.over")
        chips = look.texts("li.over .chip:last-child")
        selected = look.keys("#panel > .documents:not(h3 ~ *) > li")
        look.page.click("li.over button.row >> nth=0")
        opened = look.text(".opened ul")
        look.page.fill("#sought", over[0])
        return {
            **look.seen(),
            "over": over,
            "chips": chips,
            "selected": selected,
            "opened": opened,
            "where": look.text(".seek [role=status]"),
            "calls": look.answers(),
        }


def waiting(address: str, folder: Path, base: str, question: str) -> Json:
    """The bars of a call whose way there takes long, and of one whose way back does."""
    return {name: _late(address, base, question, late) for name, late in (("there", _late_there), ("back", _late_back))}


def _late(address: str, base: str, question: str, late: Callable[[Look, "Route"], None]) -> Json:
    with looking(address) as look:
        look.open(base=base)
        look.page.route("**/answer?**", lambda route: late(look, route))
        look.ask(question)
        look.tab("steps")
        total = look.text(".turn.shown [data-page=total]")
        return {
            **look.seen(),
            "bars": look.page.evaluate(BARS),
            "ticks": look.texts(".ticks span"),
            "calls": look.answers(),
            "total": total,
            "lead": look.text("#panel .lead"),
            "told": look.told,
        }


def _late_there(look: Look, route: "Route") -> None:
    look.relay(route, sooner=LATENCY)


def _late_back(look: Look, route: "Route") -> None:
    look.relay(route, later=LATENCY)


def working(address: str, folder: Path, base: str, question: str) -> Json:
    """While a call is under way nothing of it is known; then it is stopped, and refused with a wrong setting."""
    with looking(address) as look:
        look.open(base=base)
        look.page.route("**/answer?**", lambda route: None)
        look.page.fill("#question", question)
        look.page.press("#question", "Enter")
        look.until("document.querySelector('.working')")
        line = look.text(".turn.shown .figures")
        panel = look.text("#panel")
        look.page.click("#stop")
        look.page.wait_for_selector(".trouble")
        stopped, after = look.text(".trouble"), look.text(".turn.shown .figures")
        look.page.unroute("**/answer?**")
        look.page.evaluate(PRICES)
        look.open(base=base, q=question, filter="nosuchfield eq 1")
        return {
            **look.seen(),
            "line": line,
            "panel": panel,
            "stopped": stopped,
            "after": after,
            "refused": look.text(".trouble"),
            "refused_line": look.text(".turn.shown .figures"),
            "calls": look.answers(),
        }


def begins(address: str, folder: Path, base: str, question: str) -> Json:
    """Each step of a slow model as it begins, with its seconds; then the model that was asked, by name. A reply is
    given once a file says that the page shows its step."""
    with looking(address) as look:
        look.open(base=base)
        look.page.unroute("**/answer?**")  # a relayed answer comes as a whole
        look.page.fill("#question", question)
        look.page.press("#question", "Enter")
        look.page.click("#tab-steps")
        lines = []
        for step in ("plan", "read and answer"):
            look.until(f"document.querySelector('.working')?.textContent.includes('is asked to {step}: ')")
            lines.append([look.text(".working"), look.text("#panel .bars")])
            (folder / f"shown-{len(lines)}").touch()
        look.until(DONE)
        look.page.locator("#panel .bars button.step").nth(1).click()
        return {**look.seen(), "lines": lines, "detail": look.text("#panel .detail")}


def money(address: str, folder: Path, base: str, question: str) -> Json:
    """Money is shown by the prices that the reader entered, and by no others; the browser keeps them."""
    with looking(address) as look:
        look.open(base=base, q=question)
        before = look.text(".turn.shown .figures")
        look.page.click("#summary")
        look.page.click("#more details summary")
        look.page.fill("[data-price=ranked]", "2.5")
        after = look.text(".turn.shown [data-page=cost]")
        calls, asked = [*look.answers()], [url for url in look.asked if "/retrieve?" in url]
        look.page.reload()
        look.page.wait_for_selector(".turn:not(:has(.working))")
        look.until(DONE)
        kept = look.page.locator("[data-price=ranked]").input_value()
        return {
            **look.seen(),
            "before": before,
            "after": after,
            "kept": kept,
            "calls": calls,
            "asked": asked,
        }


def shared(address: str, folder: Path, base: str, question: str, then: str) -> Json:
    """A link to the second turn, opened elsewhere."""
    with looking(address) as look:
        look.open(base=base, q=question)
        look.ask(then)
        link = look.copied(".turn.shown [data-key^=link]")
        calls = look.answers()
    with looking(address) as look:
        look.page.goto(link)
        look.page.wait_for_selector(".turn.shown:not(:has(.working))")
        return {
            **look.seen(),
            "link": link,
            "calls": calls,
            "again": look.answers(),
            "turns": look.texts(".turn h2"),
            "stored": look.page.evaluate("JSON.stringify(localStorage)"),
        }


def other_base(address: str, folder: Path, base: str, question: str, other: str) -> Json:
    """Another base in the middle of a conversation; the first turn stays what it was."""
    with looking(address) as look:
        look.open(base=base, q=question, threshold="0.2")
        look.page.select_option("#base", other)
        look.ask("And here?", threshold="")
        about = look.texts(".turn .about")
        look.page.click(".turn >> nth=0 >> .why")
        look.tab("code")
        return {**look.seen(), "calls": look.answers(), "about": about, "request": look.text("[data-code=request] pre")}


def codes(address: str, folder: Path) -> Json:
    """The call as code in every language, with characters that each would have to escape, in a conversation."""
    with looking(address) as look:
        question = f'{QUESTION} Say "it\'s a grid" \\ “für” 日本 😀 $HOME `id` ${{x}} \\u0041'
        before = json.dumps([["user", "It's night?"], ["assistant", 'Yes: "night" \\ ü']])
        limits = {
            "threshold": "0.25",
            "filter": "page_number eq '105'",
            "followUps": "0",
            "chunks": "2",
            "queries": "2",
        }
        look.open(base="earth-at-night", q=question, before=before, **limits)
        look.tab("code")
        found = {}
        for language in ("curl", "python", "javascript", "csharp", "java", "mcp"):
            look.page.click(f"[data-key='in {language}']")
            found[language] = look.page.text_content("[data-code=code] pre")
        lacking = look.text("#panel .lead")
        copied = look.copied("[data-key='copy code']")
        return {
            **look.seen(),
            "codes": found,
            "lacking": lacking,
            "copied": copied,
            "calls": look.answers(),
            "raw": look.page.text_content("[data-code=answer] pre"),
        }


def retrieved(address: str, folder: Path, base: str, question: str, **settings: str) -> Json:
    """What retrieve is shown to return, with every row opened; then the same question's answer beside it."""
    with looking(address) as look:
        look.open(base=base, q=question, mode="retrieve", **settings)
        figures, members, computed = [], {}, {}
        for row in ["button.row", "button.record"]:
            for place in range(look.page.locator(f"#panel {row}").count()):
                look.page.locator(f"#panel {row}").nth(place).click()
                figures.extend(look.page.evaluate(FIGURES))
                members.update(look.page.evaluate(MEMBERS))
                computed.update(look.page.evaluate(COMPUTED))
        seen = {
            **look.seen(),
            "figures": [one for one in figures if one["form"] != "json"],
            "members": members,
            "computed": computed,
            "panel": look.text("#panel"),
            "turn": look.text(".turn.shown"),
            "curl": look.copied("[data-key='copy curl']"),
            "response": json.loads(look.page.text_content("[data-code=response] pre") or ""),
        }
        look.page.click("[data-key^=beside]")
        look.until(DONE)
        cited = look.keys("#panel li:has(.chip.cited)")
        return {**seen, "answer": look.text(".turn.shown .answer"), "cited": cited, "calls": look.answers()}


def refused(address: str, folder: Path, base: str, question: str) -> Json:
    """Calls of retrieve that are refused, and then the same one by another version; and by a key that lists nothing."""
    with looking(address) as look:
        look.open(base=base, q=question, mode="retrieve", effort="auto")
        told, kept = look.text(".turn.shown .trouble"), look.page.input_value("#question")
        look.open(base=base, q=question, mode="retrieve", threshold="1")
        uncounted = look.text("#panel .drops")
        look.page.click("[data-key=counted]")
        look.until("document.querySelector('#panel .drops li')")
        counted = look.text("#panel .drops")
        look.page.click("#credential summary")
        look.page.fill("#key", "local-dev-key")
        look.page.press("#key", "Enter")
        look.page.wait_for_selector("#base-name:visible")
        look.ask(question)
        unlisted = look.text(".turn.shown .trouble")
        look.ask(question, threshold="")
        return {
            **look.seen(),
            "refused": told,
            "kept": kept,
            "uncounted": uncounted,
            "counted": counted,
            "unlisted": unlisted,
            "references": look.page.locator("#panel button.row").count(),
        }


def sources(address: str, folder: Path, base: str, question: str, chosen: dict[str, str]) -> Json:
    """The choice of sources: by hand, and by the link of the turn."""
    with looking(address) as look:
        look.open()
        look.page.wait_for_selector("#suggestions li")
        look.page.select_option("#base", base)
        look.page.check("[name=mode][value=retrieve]")
        look.page.click("#summary")
        look.page.wait_for_selector("[data-source]")
        look.page.select_option("#version", index=1)
        for name, choice in chosen.items():
            look.page.select_option(f"[data-source={name}]", choice)
        look.ask(question)
        made = look.text("[data-code=request] pre")
        searched = look.texts("#panel button.record")
        link = look.copied(".turn.shown [data-key^=link]")
        look.page.goto("about:blank")
        look.page.goto(link)
        look.page.wait_for_selector(".turn.shown")
        look.until(DONE)
        again = look.text("[data-code=request] pre")
        return {**look.seen(), "made": made, "again": again, "searched": searched}


def hostile(address: str, folder: Path) -> Json:
    """Documents with markup in every field, then a refusal and an answer of a model with markup."""
    with looking(address) as look:
        look.open(base="hostile", q=f"lamps {MARKUP}")
        look.page.click("button.row >> nth=0")
        documents = look.text("#panel")
        look.tab("steps")
        for bar in look.page.locator("button.step").all():
            bar.click()
        made = look.page.evaluate("document.querySelectorAll('main img, main script, main a, main iframe').length")
        return {**look.seen(), "documents": documents, "made": made, "turn": look.text(".turn.shown")}


TRUTHS: Final[tuple[Callable[..., Json], ...]] = (
    figures,
    threshold,
    unselected,
    waiting,
    begins,
    working,
    money,
    shared,
    other_base,
    codes,
    retrieved,
    refused,
    sources,
    hostile,
)
