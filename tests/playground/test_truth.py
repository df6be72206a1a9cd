"""Nothing is shown that is not in the answer or computed from it, over the sample and a loaded folder.

Each test is for something that the page once said and that was not true.
"""

import asyncio
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from math import floor
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.contracts.served_versions import newest, versions_of
from retrieval.local.corpora import THRESHOLD
from tests.answer.scripts import answered, by_step, planned, routed
from tests.playground.looking import MARKUP
from tests.playground.served import LOADED, QUESTIONS, SOURCES, TWO_SOURCES, Seen, drive, furnish, page
from tests.playground.truths import LATENCY
from tests.scripted_azure import ScriptedAzure, failing

pytestmark = pytest.mark.slow

CORPORA: Final = sorted(QUESTIONS)
ROUNDED: Final = 5
"""Milliseconds by which two clocks of a machine and the rounding of their times may differ."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with page() as address:
        furnish(address)
        yield address


def value(answer: Any, path: str) -> Any:
    """What is at a path of an answer, as `figure.js` has it."""
    if "+" in path:
        return sum(value(answer, part) for part in path.split("+"))
    for name in path.split("."):
        if only := re.fullmatch(r"(\w+)\[(\w+)\]", name):
            answer = [one for one in answer[only[1]] if one[only[2]]]
        else:
            answer = answer[int(name)] if isinstance(answer, list) else answer[name]
    return answer


def shown(found: Any, form: str) -> str:
    """A value as the page has to show it."""
    match form, found:
        case _, None:
            return "–"
        case "time", ms:
            return milliseconds(ms)
        case "score", score:
            return str(Decimal(score).quantize(Decimal("0.01"), ROUND_HALF_UP))
        case "count", items:
            return f"{len(items):,}"
        case "share", share:
            return f"{floor(share * 100 + 0.5)} %"
        case _:
            return f"{found:,}"


def milliseconds(ms: float) -> str:
    """The time as JavaScript rounds it: a half goes up, where Python takes the even number."""
    if ms < 1000:
        return f"{floor(ms + 0.5)} ms"
    return f"{Decimal(ms / 1000).quantize(Decimal('0.01' if ms < 10_000 else '0.1'), ROUND_HALF_UP)} s"


def allowed(name: str, seen: Seen) -> set[str]:
    """The texts that a figure of that name, which the page computes, may have of this answer."""
    answer, body = seen["calls"][-1]["answer"], seen["calls"][-1]["body"]
    documents = answer["explained"]["documents"]
    match name:
        case "total":
            return {seen["total"]}
        case "waited":
            return set(seen["waited"])
        case "turns":
            return {str(len(body["messages"]))}
        case "most":
            return {str(body.get("limits", {}).get("maxChunks", 8))}
        case "below":
            return {str(sum(one["reason"] == "threshold" for one in documents))}
        case "passing":
            return {f"{floor(one['score'] * 20) / 20:.2f}" for one in documents if one["reason"] == "threshold"}
        case "rank":
            return {str(place + 1) for place, one in enumerate(documents) if one["chunk_id"]}
        case "more":
            names = [f"{one['doc_key']} {one['title']} {one['source']}".lower() for one in documents]
            wanted = [words.lower().split() for words in seen["sought"]]
            return {f"{sum(all(word in name for word in words) for name in names) - 3}" for words in wanted}
        case _:
            raise AssertionError(name)


def assert_rows(seen: Seen) -> None:
    """Ranks and chips of the list."""
    answer = seen["calls"][-1]["answer"]
    cited = {one["chunk_id"] for one in answer["citations"]}
    documents = {one["doc_key"]: (place, one) for place, one in enumerate(answer["explained"]["documents"])}
    assert {row["key"] for row in seen["rows"]} == documents.keys()
    for row in seen["rows"]:
        place, document = documents[row["key"]]
        assert row["rank"] == (str(place + 1) if document["chunk_id"] else "")
        searches = [f"Q{one['search'] + 1}" for one in document["searches"]]
        assert [chip for chip in row["chips"] if re.fullmatch(r"Q\d+", chip)] == searches
        assert ("cited" in row["chips"]) == (document["chunk_id"] in cited)


def assert_figures(seen: Seen, *, at_least: int) -> None:
    answer = seen["calls"][-1]["answer"]
    assert_rows(seen)
    for name, text in seen["computed"]:
        assert text in allowed(name, seen), name
    assert len(seen["figures"]) >= at_least
    for figure in seen["figures"]:
        number = re.sub(r" (?!ms$|s$|%$)[a-z ]+$", "", figure["text"])
        assert number == shown(value(answer, figure["path"]), figure["form"]), figure
    assert seen["loose"] == []


@pytest.mark.parametrize("base", CORPORA)
def test_every_figure_is_that_of_the_answer(base: str, address: str, tmp_path: Path) -> None:
    seen = drive("figures", address, tmp_path, base=base, question=QUESTIONS[base][0], threshold="0.5")
    assert_figures(seen, at_least=60)
    assert [call["body"]["limits"] for call in seen["calls"]] == [{"rerankerThreshold": 0.5}]


@pytest.mark.parametrize("base", CORPORA)
def test_what_a_lower_threshold_is_said_to_bring_is_what_it_brings(base: str, address: str, tmp_path: Path) -> None:
    """Also in a conversation without a model; and the threshold is the one in force, not a default of elsewhere."""
    question, then = QUESTIONS[base]
    seen = drive("threshold", address, tmp_path, base=base, question=question, then=then)
    assert seen["first"] == f"Threshold {THRESHOLD:.2f} in force"
    assert seen["strict"] == "Threshold 3.50 in force"
    before, after = [call["answer"]["explained"]["documents"] for call in seen["calls"][1:]]
    below = {one["doc_key"]: one["score"] for one in before if one["reason"] == "threshold"}
    assert set(seen["would"]) == {key for key, score in below.items() if score >= 0.5} != set()
    assert seen["told"].startswith(f"At 0.50: {len(seen['would'])} more would pass")
    passed = {one["doc_key"] for one in after if one["reason"] != "threshold"}
    assert passed == set(seen["passed"]) == {one["doc_key"] for one in before if (one["score"] or 0) >= 0.5}
    best = seen["would"][0]
    assert f"its score {below[best]:.2f} is below the threshold 3.50" in seen["opened"]
    now, later = [len(call["answer"]["selected"]) for call in seen["calls"][1:]]
    most = int(re.findall(rf"; selected are {now} now, then at most (\d)", seen["told"])[0])
    assert now < later <= most == min(8, len(passed))
    chosen = {one["doc_key"] for one in seen["calls"][2]["answer"]["selected"] if one["score"] < 1.5}
    gone = {one["doc_key"] for one in after if one["chunk_id"] and one["score"] < 1.5}
    assert set(seen["would_go"]) == gone, "Those that were dropped already would not go."
    others = f", and {len(gone - chosen)} that were not selected" if gone - chosen else ""
    assert f"At 1.50: {len(chosen)} of the {later} selected would be dropped{others}, if" in seen["told_higher"]
    bodies = [call["body"] for call in seen["calls"]]
    assert bodies[2]["messages"] == bodies[1]["messages"] and len(bodies[1]["messages"]) == 3


@pytest.mark.parametrize(("chunks", "most"), [("", 8), ("2", 2)])
@pytest.mark.parametrize("base", CORPORA)
def test_what_was_kept_and_not_selected_is_told_apart_with_the_reason(
    base: str, chunks: str, most: int, address: str, tmp_path: Path
) -> None:
    limit = {"chunks": chunks} if chunks else {}
    seen = drive("unselected", address, tmp_path, base=base, question=QUESTIONS[base][0], **limit)
    answer = seen["calls"][0]["answer"]
    chosen = [one["doc_key"] for one in answer["selected"]]
    assert seen["selected"] == chosen and len(chosen) == most
    kept = [one["doc_key"] for one in answer["explained"]["documents"] if one["chunk_id"]]
    assert seen["over"] == [key for key in kept if key not in chosen] != []
    assert set(seen["chips"]) == {"not selected"}
    for told in ("opened", "where"):
        assert f"Not selected: an answer takes at most {most} (Documents, in the settings)." in seen[told]


def waits(run: Seen) -> tuple[float, float]:
    """The least milliseconds of waiting before the service began, and after it ended."""
    answer = run["calls"][-1]["answer"]
    began = datetime.fromisoformat(answer["explained"]["started_at"]).timestamp() * 1000
    worked = max(one["started_ms"] + one["elapsed_ms"] for one in answer["activity"])
    return began - run["told"]["sent"], run["told"]["back"] - began - worked


@pytest.mark.parametrize("base", CORPORA)
def test_bars_begin_with_the_click_and_are_as_long_as_what_they_show(base: str, address: str, tmp_path: Path) -> None:
    """What is measured outside the page bounds each waiting from below, and the whole call bounds their sum."""
    seen = drive("waiting", address, tmp_path, base=base, question=QUESTIONS[base][0])
    for end, run in seen.items():
        answer, bars = run["calls"][-1]["answer"], run["bars"]
        assert [bar["kind"] for bar in bars][:: len(bars) - 1] == ["waiting", "waiting"]
        assert bars[0]["start"] == 0
        there, back = waits(run)
        assert (there if end == "there" else back) >= LATENCY - ROUNDED
        assert bars[0]["ms"] >= there - ROUNDED and bars[-1]["ms"] >= back - ROUNDED
        longest = max(bars, key=lambda bar: bar["ms"])
        waited = rf"The longest was waiting: [a-z', ]+ with {milliseconds(longest['ms'])}\. "
        begins = waited if longest["kind"] == "waiting" else ""
        assert re.match(f"{begins}The slowest step: ", run["lead"])
        total = bars[-1]["start"] + bars[-1]["ms"]
        assert run["ticks"] == [milliseconds(total * part / 4) for part in range(5)]
        assert [bar["shown"] for bar in bars] == [milliseconds(bar["ms"]) for bar in bars]
        assert run["total"] in {milliseconds(total + part) for part in (-0.5, 0, 0.5)}  # rounded by two programs
        steps = [one for one in answer["activity"] if one["type"] == "step"]
        drawn = sorted(bar["ms"] for bar in bars if bar["kind"] in {"rules", "model"})
        assert drawn == sorted(step["elapsed_ms"] for step in steps)
        for bar in bars:
            assert abs(bar["width"] - max(2, bar["ms"] / total * bar["track"])) < 1.5
            assert abs(bar["left"] - bar["start"] / total * bar["track"]) < 1.5


@pytest.mark.parametrize("base", CORPORA)
def test_of_a_call_that_works_or_is_refused_nothing_is_known(base: str, address: str, tmp_path: Path) -> None:
    seen = drive("working", address, tmp_path, base=base, question=QUESTIONS[base][0])
    unknown = r"(?:[\d.]+ m?s|–) · – of – documents · – model calls · – tokens · – ranked queries"
    for line in ("line", "after", "refused_line"):
        assert re.fullmatch(unknown, seen[line]), seen[line]
    assert "0" not in seen["panel"] and seen["stopped"].startswith("Stopped")
    assert seen["refused"].startswith("Refused") and "Correct the filter" in seen["refused"]


@pytest.mark.parametrize("base", CORPORA)
def test_money_is_counted_by_the_readers_prices_alone_and_one_call_is_made(
    base: str, address: str, tmp_path: Path
) -> None:
    seen = drive("money", address, tmp_path, base=base, question=QUESTIONS[base][0])
    assert "$" not in seen["before"]
    ranked = sum(search["ranked"] for search in seen["calls"][0]["answer"]["explained"]["searches"])
    assert seen["after"] == f"${2.5 * ranked / 1000:.4f}"
    assert len(seen["calls"]) == 1 and seen["kept"] == "2.5"
    assert len(seen["asked"]) == 1, "The search for the suggestions, which the local host makes for nothing."


@pytest.mark.parametrize("base", CORPORA)
def test_a_link_has_the_conversation(base: str, address: str, tmp_path: Path) -> None:
    question, then = QUESTIONS[base]
    seen = drive("shared", address, tmp_path, base=base, question=question, then=then)
    assert seen["again"][0]["body"] == seen["calls"][1]["body"]
    assert len(seen["again"][0]["body"]["messages"]) == 3
    assert seen["turns"] == [question, then]
    said = seen["link"].split("before=")[0] + seen["stored"]
    assert "local-admin-key" not in said, "The documents may name it; the page does not."


@pytest.mark.parametrize(("base", "other"), [(LOADED, "earth-at-night"), ("earth-at-night", LOADED)])
def test_the_turns_of_a_base_are_not_sent_to_another_and_stay_what_they_were(
    base: str, other: str, address: str, tmp_path: Path
) -> None:
    seen = drive("other_base", address, tmp_path, base=base, question=QUESTIONS[base][0], other=other)
    first, second = seen["calls"]
    assert second["path"].startswith(f"agents/{other}/") and len(second["body"]["messages"]) == 1
    assert seen["about"] == [f"{base} · threshold 0.2", other]
    assert f"/agents/{base}/answer" in seen["request"]
    assert json.loads(seen["request"].split("\n\n", 1)[1]) == first["body"]


MOMENTS: Final = {"elapsedMs", "startedAt", "completedAt", "queryTime"}
"""What differs between two calls of the same."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each value that holds no other, with its path."""
    if not value or not isinstance(value, dict | list):
        yield path, value
        return
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(inner, f"{path}.{name}".lstrip("."))


def lasting(found: Any) -> dict[str, Any]:
    return {path: value for path, value in leaves(found) if path.rpartition(".")[2] not in MOMENTS}


def by_curl(code: str) -> Any:
    """What a copied call gets with a key that may ask."""
    command = ["bash", "-c", code.replace("YOUR-KEY", "local-dev-key")]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)


@pytest.mark.parametrize("version", ["", "2026-08-01-preview"])
@pytest.mark.parametrize("base", CORPORA)
def test_what_is_shown_of_retrieve_is_what_curl_gets(base: str, version: str, address: str, tmp_path: Path) -> None:
    settings = {"threshold": "0.5", "effort": "low", **({"version": version} if version else {})}
    seen = drive("retrieved", address, tmp_path, base=base, question=QUESTIONS[base][0], **settings)
    got = by_curl(seen["curl"])
    assert lasting(seen["response"]) == lasting(got) and got["references"]
    expected = lasting(got)
    assert expected.pop("response.0.content.0.type") == "text"
    shown_members = {path: text for path, text in seen["members"].items() if path.rpartition(".")[2] not in MOMENTS}
    assert shown_members.keys() == expected.keys()
    for path, found in expected.items():
        assert (shown_members[path] if isinstance(found, str) else json.loads(shown_members[path])) == found
    for figure in seen["figures"]:
        number = re.sub(r" references?$", "", figure["text"])
        assert number == shown(value(got, figure["path"]), figure["form"])
    assert f"api-version={version or newest(versions_of('knowledgebases'), preview=False)}'" in seen["curl"]
    counts = [Counter(one.get("dropped", {})) for one in got["activity"]]
    dropped = {name.partition(" ")[2]: text for name, text in seen["computed"].items() if name.startswith("dropped ")}
    assert dropped == {reason: str(count) for reason, count in sum(counts, Counter()).items()}
    warnings = [one["warning"] for one in got["activity"] if "warning" in one]
    assert warnings and all(warning in seen["panel"] for warning in warnings)
    answer = seen["calls"][0]["answer"]
    assert len(seen["calls"]) == 1 and seen["calls"][0]["body"]["limits"] == {"rerankerThreshold": 0.5}
    cited = {one["chunk_id"] for one in answer["citations"]}
    keys = {one["doc_key"] for one in answer["explained"]["documents"] if one["chunk_id"] in cited}
    assert set(seen["cited"]) == keys & {one["docKey"] for one in got["references"]} != set()


def test_a_call_of_retrieve_that_is_refused_says_why(address: str, tmp_path: Path) -> None:
    seen = drive("refused", address, tmp_path, base=LOADED, question=QUESTIONS[LOADED][0])
    assert "Refused: 400" in seen["refused"] and "auto" in seen["refused"]
    assert seen["kept"] == QUESTIONS[LOADED][0]
    assert "Documents below the threshold of 1: " in seen["uncounted"]
    assert re.search(r"\d+ below the threshold", seen["counted"])
    assert "the sources of this base are not known here" in seen["unlisted"] and seen["references"] > 0


def test_sources_are_chosen_for_retrieve_and_stay_in_the_link(address: str, tmp_path: Path) -> None:
    chosen = dict(zip(SOURCES, ("never", "always"), strict=True))
    seen = drive("sources", address, tmp_path, base=TWO_SOURCES, question="lamps", chosen=chosen)
    assert seen["made"] == seen["again"]
    body = json.loads(seen["made"].split("\n\n", 1)[1])
    said = [
        (one["knowledgeSourceName"], one.get("neverQuerySource"), one.get("alwaysQuerySource"))
        for one in body["knowledgeSourceParams"]
    ]
    assert said == [(SOURCES[0], True, None), (SOURCES[1], None, True)]
    assert len([one for one in seen["searched"] if one.startswith("Search")]) == 1


def test_documents_with_markup_are_text(address: str, tmp_path: Path) -> None:
    seen = drive("hostile", address, tmp_path)
    assert seen["made"] == 0
    assert MARKUP in seen["documents"] and MARKUP in seen["turn"]


WRITER: Final = {
    "route": routed(),
    "plan": planned(f"street grid {MARKUP}", "rotate a key"),
    "answer": answered(f"The lamps of the grid are so {MARKUP} [c1].", "c1"),
}


async def with_a_model(folder: Path, base: str, **failures: Any) -> Seen:
    azure = ScriptedAzure(chat=by_step({**WRITER, **failures}))
    async with azure.listening():
        model = {"AZURE_OPENAI_DEPLOYMENT": "scripted", "AZURE_OPENAI_API_KEY": "key"}
        environ = {"AZURE_OPENAI_ENDPOINT": azure.address, **model}
        return await asyncio.to_thread(_seen_with, environ, folder, base)


def _seen_with(environ: dict[str, str], folder: Path, base: str) -> Seen:
    with page(environ) as address:
        question = QUESTIONS[base][0]
        seen = drive("figures", address, folder, base=base, question=question)
        return {**drive("citation", address, folder, base=base, question=question), "figures": seen}


@pytest.mark.parametrize("base", CORPORA)
async def test_what_a_model_did_is_told_as_it_was(base: str, tmp_path: Path) -> None:
    seen = await with_a_model(tmp_path, base)
    assert_figures(seen["figures"], at_least=60)
    answer = seen["calls"][-1]["answer"]
    assert answer["totals"]["model_calls"] == 2
    steps = [one["id"] for one in answer["activity"] if one.get("prompt")]
    prompts = seen["figures"]["calls"][-1]["answer"]["explained"]["prompts"]
    assert sorted(one["activity"] for one in prompts) == steps
    for one in prompts:
        assert [one["instructions"], one["data"]] in [texts[-2:] for texts in seen["figures"]["steps"]]
    assert "2 model calls · 240 tokens" in seen["line"] and "A model judged: it is enough" in seen["line"]
    assert MARKUP in seen["answer"] and "budget" not in seen["line"] and seen["closest"] == []


@pytest.mark.parametrize("base", CORPORA)
async def test_a_model_that_fails_was_asked_all_the_same(base: str, tmp_path: Path) -> None:
    seen = await with_a_model(tmp_path, base, answer=failing(500))
    answer = seen["calls"][-1]["answer"]
    calls = answer["totals"]["model_calls"]
    assert calls >= 2 and f"{calls} model calls" in seen["line"]
    assert "no model was asked" not in seen["line"] and "Nobody judged" in seen["line"]
    assert "The step answer failed" in seen["line"]
