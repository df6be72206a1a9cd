"""Replies of a model to the steps of an answer, and the model that gives each step its own."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.answer.material import blocks
from tests.conftest import Response
from tests.scripted_azure import Recorded, failing, replying

GOOD: Final = "The old road follows the river [c1]."
_STEPS: Final = {
    "route": "route",
    "plan": "plan",
    "replan": "plan",
    "select": "judge",
    "answer": "answer",
}
STEPS: Final = ("route", "plan", "answer", "again")
"""The steps of an answer with two rounds; `again` is the second reading of the evidence."""

_FENCE: Final = re.compile(r"<chunk-([0-9a-f]+) ")


def by_step(scripts: Mapping[str, WireService]) -> WireService:
    """The script of the step that asks; a step without one fails. The second prompt about the evidence of a call is
    answered by the script `again`."""
    seen: dict[str, str] = {}

    async def answer(request: WireRequest) -> WireResponse:
        return await scripts.get(_name(json.loads(request.body), seen), failing(500))(request)

    return answer


def step_of(body: Any) -> str:
    """The step that a request of the model is for, by its schema's name, which is the prompt's."""
    name: str = body["response_format"]["json_schema"]["name"]
    return _STEPS[name.rpartition("-")[0]]


def steps(recorded: list[Recorded]) -> list[str]:
    """The steps that asked, in order."""
    seen: dict[str, str] = {}
    return [_name(one.json, seen) for one in recorded]


def _name(body: Any, seen: dict[str, str]) -> str:
    """`again` for a second prompt about the evidence, else the step. `seen` has the first prompt of each call, by its
    fence."""
    step, data = step_of(body), str(body["messages"][1]["content"])
    fence = _FENCE.search(data)
    return "again" if step == "answer" and fence and seen.setdefault(fence[1], data) != data else step


def routed(run: bool = True, *, message: str = "", route: str | None = None) -> WireService:
    said = route or ("run_rag" if run else "no_rag")
    return replying(json.dumps({"should_run_rag": run, "route": said, "assistant_message": message}))


def planned(*queries: str, goals: list[str] | None = None, filter: str = "", next: str = "") -> WireService:
    said = [f"Find {query}." for query in queries] if goals is None else goals
    return replying(json.dumps({"queries": queries, "retrieval_goals": said, "filter": filter, "next": next}))


def selected(*ids: str, sufficient: bool = True, more: tuple[object, ...] = ()) -> WireService:
    """What a model selects of a retrieval."""
    return replying(json.dumps({"selected": ids, "is_sufficient": sufficient, "follow_ups": more}))


def judgement(
    *ids: str,
    sufficient: bool = True,
    confidence: float = 0.9,
    missing: tuple[str, ...] = (),
    more: tuple[str, ...] = (),
) -> dict[str, Any]:
    return {
        "selected": [{"id": id, "rationale": f"It has {id}."} for id in ids],
        "is_sufficient": sufficient,
        "confidence": confidence,
        "key_points": [{"text": f"A point of {id}.", "ids": [id]} for id in ids],
        "missing_info_questions": list(missing),
        "follow_ups": [{"query": query, "goal": f"Find {query}."} for query in more],
    }


def reading(text: str, *ids: str, **members: Any) -> str:
    """The reply of a model that has read the evidence: an answer and a judgement."""
    return json.dumps({"blocks": blocks(text), **judgement(*ids, **members)})


def answered(text: str, *ids: str, **members: Any) -> WireService:
    return replying(reading(text, *ids, **members))


def judged(*ids: str, **members: Any) -> WireService:
    """A good answer, and this judgement."""
    return answered(GOOD, *ids, **members)


def written(text: str) -> WireService:
    """This answer, and a good judgement."""
    return answered(text, "c1", "c2")


def calls(answer: Response) -> list[dict[str, Any]]:
    """The steps of an answer's activity that asked a model; every record has its id in order."""
    activity: list[dict[str, Any]] = answer.json["activity"]
    assert [record["id"] for record in activity] == list(range(len(activity)))
    return [record for record in activity if record["type"] == "step" and record["prompt"] is not None]


def step(answer: Response, name: str) -> dict[str, Any]:
    """The one record of a step, or that of the second reading of the evidence (`again`)."""
    activity: list[dict[str, Any]] = answer.json["activity"]
    of_step = name.replace("again", "answer")
    found = [record for record in activity if record["type"] == "step" and record["step"] == of_step]
    assert len(found) == 1 or (of_step == "answer" and len(found) == 2), name
    return found[-1 if name == "again" else 0]


def rounds(answer: Response) -> list[dict[str, Any]]:
    """The retrievals; what each found is gathered or omitted under a reason."""
    found = [record for record in answer.json["activity"] if record["type"] == "round"]
    for record in found:
        assert record["found"] == record["gathered"] + sum(record["omitted"].values())
    return found
