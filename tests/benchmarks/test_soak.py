"""The soak's own eyes: what it would say of answers that are not right, and what it draws."""

import itertools
import json
from typing import Any, Final
from xml.etree import ElementTree

import pytest

from tests.benchmarks.soak.check import faults
from tests.benchmarks.soak.fates import FAILING, SLOW, UNPLANNED, WELL, fate, keys, planned, question
from tests.benchmarks.soak.load import Sample
from tests.benchmarks.soak.plot import svg


def is_well(number: int) -> bool:
    texts = (question(number), *planned(number))
    return fate(texts[0], UNPLANNED) == WELL and all(fate(text, FAILING) == WELL for text in texts)


NUMBER: Final = next(number for number in range(1_000) if is_well(number))


def answer(number: int) -> dict[str, Any]:
    """A right one."""
    searches = [
        {"type": "AzureSearchQuery", "query": {"search": text}, "count": len(keys(text)), "dropped": {}}
        for text in planned(number)
    ]
    references = [{"docKey": key} for text in planned(number) for key in keys(text)]
    return {"activity": [{"type": "ModelQueryPlanning"}, *searches], "references": references}


def test_a_right_answer_has_no_fault() -> None:
    assert faults(NUMBER, 200, json.dumps(answer(NUMBER)).encode()) == []


def test_a_document_that_is_missing_is_seen() -> None:
    less = answer(NUMBER)
    less["references"].pop()
    assert faults(NUMBER, 200, json.dumps(less).encode()) == ["29 of 30 documents"]


def test_a_good_search_that_failed_and_a_bad_one_that_did_not_are_seen() -> None:
    failed = answer(NUMBER)
    failed["activity"][1]["error"] = {"code": "BackendTimeout"}
    assert any(fault.startswith("a good search") for fault in faults(NUMBER, 200, json.dumps(failed).encode()))
    bad = next(text for number in range(1_000) for text in planned(number) if fate(text, FAILING) == "hang")
    silent = answer(NUMBER)
    silent["activity"][1]["query"]["search"] = bad
    assert "hang: None" in faults(NUMBER, 200, json.dumps(silent).encode())


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"error": {"code": "X"}}'])
def test_a_failure_that_nothing_explains_is_seen(body: bytes) -> None:
    assert faults(NUMBER, 502, body)


def test_a_fifth_fails_and_in_every_way() -> None:
    fates = [fate(text, FAILING) for number in range(5_000) for text in planned(number)]
    failed = [one for one in fates if one in FAILING]
    assert 0.18 < len(failed) / len(fates) < 0.22
    assert set(failed) == set(FAILING)
    assert SLOW in fates


def test_labels_of_the_plot_do_not_stand_on_one_another() -> None:
    samples = [Sample(answers=100 * n, memory=90.0, seconds=(9.9, 10.0, *[1.0] * 98)) for n in range(1, 101)]
    drawn = ElementTree.fromstring(svg(samples))
    texts = drawn.findall("{http://www.w3.org/2000/svg}text")
    named = {
        text.text: float(text.get("y", 0)) for text in texts if text.text in {"slowest", "p95", "median", "deadline"}
    }
    places = sorted(named.values())
    assert len(named) == 4
    assert all(below - above >= 12 for above, below in itertools.pairwise(places))
