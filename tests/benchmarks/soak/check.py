"""Whether an answer says all that was found, and of what was not found why."""

import json
from collections.abc import Sequence
from typing import Any, Final

from tests.benchmarks.soak.fates import FAILING, SLOW, UNPLANNED, fate, keys, planned, question

ERRORS: Final = {
    "429": "BackendThrottled",
    "429 for long": "BackendThrottled",
    "403": "BackendForbidden",
    "400": "BackendRefused",
    "hang": "BackendTimeout",
}
"""All others are BackendUnavailable."""

UNREADABLE: Final = frozenset({"lone surrogate", "a null"})


def faults(number: int, status: int, body: bytes) -> list[str]:
    """What is wrong with the answer to a request, in words; nothing for a right one."""
    try:
        answer = json.loads(body)
    except ValueError:
        return [f"{status}, and no JSON"]
    return _of_success(number, answer) if status == 200 else _of_failure(number, status, answer)


def _of_failure(number: int, status: int, answer: Any) -> list[str]:
    """Right only where every sub-query had to fail."""
    by_model = fate(question(number), UNPLANNED) not in UNPLANNED
    texts = planned(number) if by_model else (question(number),)
    fates = [fate(text, FAILING) for text in texts]
    if not all(one in FAILING for one in fates):
        return [f"{status} {answer['error']['code']}, although {fates}"]
    told = sorted(one["code"] for one in answer["error"].get("details", []))
    expected = sorted(_code(one) for one in fates)
    return [] if told == expected else [f"{status} tells {told} instead of {expected}"]


def _of_success(number: int, answer: Any) -> list[str]:
    activity: list[dict[str, Any]] = answer["activity"]
    searches = [record for record in activity if record["type"] == "AzureSearchQuery"]
    wrong = [fault for record in searches if (fault := _of_record(record))]
    by_model = fate(question(number), UNPLANNED) not in UNPLANNED
    if ("error" in activity[0]) is by_model:
        wrong.append(f"the plan's error: {activity[0].get('error')}")
    found = sorted(key for record in searches if "error" not in record for key in _keys(record))
    told = sorted(reference["docKey"] for reference in answer["references"])
    return wrong if told == found else [*wrong, f"{len(told)} of {len(found)} documents"]


def _of_record(record: dict[str, Any]) -> str | None:
    fated = fate(record["query"]["search"], FAILING)
    code = record.get("error", {}).get("code")
    if fated == SLOW and code == "BackendTimeout":
        return None if "was given up" in record["error"]["message"] else f"a slow search: {record}"
    if fated not in FAILING:
        return None if code is None and record["count"] == len(_keys(record)) else f"a good search: {record}"
    if fated in UNREADABLE and code is None:
        return None if record["dropped"].get("error") else f"{fated}, and nothing is said of it"
    return None if code == _code(fated) else f"{fated}: {record.get('error')}"


def _keys(record: dict[str, Any]) -> Sequence[str]:
    text = record["query"]["search"]
    return () if fate(text, FAILING) in FAILING else keys(text)


def _code(fated: str) -> str:
    return ERRORS.get(fated, "BackendUnavailable")
