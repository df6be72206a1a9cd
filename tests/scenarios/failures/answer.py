"""Reading an answer of the functions."""

from typing import Any

from tests.conftest import Response


def planning(answer: Response) -> dict[str, Any]:
    """The record of the model call."""
    record: dict[str, Any] = answer.json["activity"][0]
    assert record["type"] == "ModelQueryPlanning"
    return record


def searches(answer: Response) -> list[dict[str, Any]]:
    """The records of the sub-queries; all records have their ids in order."""
    activity: list[dict[str, Any]] = answer.json["activity"]
    assert [record["id"] for record in activity] == list(range(len(activity)))
    return [record for record in activity if record["type"] == "AzureSearchQuery"]


def ranking(answer: Response) -> dict[str, Any]:
    """The last record."""
    record: dict[str, Any] = answer.json["activity"][-1]
    assert record["type"] == "AzureSearchSemanticRanker"
    return record


def searched(answer: Response) -> list[str]:
    """The texts of the sub-queries."""
    return [record["query"]["search"] for record in searches(answer)]


def keys(answer: Response) -> list[str]:
    """The documents that are referred to."""
    return [reference["docKey"] for reference in answer.json["references"]]


def header(answer: Response, name: str) -> str | None:
    """A header by its lower-case name."""
    return next((value for key, value in answer.headers.items() if key.lower() == name), None)
