"""What goes wrong behind a base of two sources and a model, and what comes of it: for the engine and for every version.

`outcome` is what the engine makes of it; a version that has a 206 answers it where something `failed`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from retrieval.local.wire import WireService
from retrieval.model.activity import By
from tests.answer.scripts import by_step, written
from tests.scripted_azure import by_index, document, failing, found, queries, replying, stalling

ROAD: Final = found(document("road", 3.1, title="Road", content="The coast road follows the river to the harbour."))
RIVER: Final = found(document("river", 2.2, title="River", content="The river ends in the harbour of the town."))
PLAN: Final = queries("coast roads")
ANSWER: Final = written("The coast road follows the river to the harbour [c1].")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What the indexes and the model answer, and what comes of it.

    `failed` are the classes of the errors of searches, `raised` those of a call that fails altogether. `planned` and
    `answered` say by whom, `model` which error of the model is on record. With `required` the river source must not
    fail.
    """

    roads: WireService = ROAD
    rivers: WireService = RIVER
    plan: WireService = PLAN
    answer: WireService = ANSWER
    required: bool = False
    found: tuple[str, ...] = ("road", "river")
    failed: tuple[str, ...] = ()
    raised: tuple[str, ...] = ()
    planned: By = "model"
    answered: By = "model"
    plan_error: str | None = None
    answer_error: str | None = None

    @property
    def search(self) -> WireService:
        return by_index({"roads": self.roads}, otherwise=self.rivers)

    @property
    def chat(self) -> WireService:
        return by_step({"plan": self.plan, "answer": self.answer})


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "all is well": Scenario(),
    "a source finds nothing": Scenario(rivers=found(), found=("road",)),
    "a source fails": Scenario(rivers=failing(503), found=("road",), failed=("BackendUnavailable",)),
    "a source refuses": Scenario(rivers=failing(400, "No."), found=("road",), failed=("BackendRefused",)),
    "a source is throttled": Scenario(rivers=failing(429), found=("road",), failed=("BackendThrottled",)),
    "a source is late": Scenario(rivers=stalling(), found=("road",), failed=("BackendTimeout",)),
    "a source that must not fail fails": Scenario(rivers=failing(503), required=True, raised=("BackendUnavailable",)),
    "a source that must not fail is late": Scenario(rivers=stalling(), required=True, raised=("BackendTimeout",)),
    "the other source fails": Scenario(
        roads=failing(503),
        required=True,
        found=("river",),
        failed=("BackendUnavailable",),
        answer=written("The river ends in the harbour of the town [c1]."),
    ),
    "every source fails": Scenario(
        roads=failing(429), rivers=failing(503), raised=("BackendThrottled", "BackendUnavailable")
    ),
    "the model fails": Scenario(
        plan=failing(500),
        answer=failing(500),
        planned="rules",
        answered="rules",
        plan_error="BackendUnavailable",
        answer_error="BackendUnavailable",
    ),
    "the model is throttled": Scenario(
        plan=failing(429),
        answer=failing(429),
        planned="rules",
        answered="rules",
        plan_error="BackendThrottled",
        answer_error="BackendThrottled",
    ),
    "the model answers nonsense": Scenario(
        plan=replying("no JSON"),
        answer=replying("no JSON"),
        planned="rules",
        answered="rules",
        plan_error="BadModelReply",
        answer_error="BadModelReply",
    ),
    "the model is late": Scenario(
        plan=stalling(),
        answer=stalling(),
        planned="rules",
        answered="rules",
        plan_error="BackendTimeout",
        answer_error="BackendTimeout",
    ),
    "the plan alone is late": Scenario(plan=stalling(), planned="rules", plan_error="BackendTimeout"),
    "the answer alone is late": Scenario(answer=stalling(), answered="rules", answer_error="BackendTimeout"),
    "the answer cites nothing": Scenario(answer=written("Harbours are nice."), answered="rules"),
    "a source and the model are late": Scenario(
        rivers=stalling(),
        plan=stalling(),
        answer=stalling(),
        found=("road",),
        failed=("BackendTimeout",),
        planned="rules",
        answered="rules",
        plan_error="BackendTimeout",
        answer_error="BackendTimeout",
    ),
    "everything is late": Scenario(
        roads=stalling(), rivers=stalling(), plan=stalling(), raised=("BackendTimeout", "BackendTimeout")
    ),
}
"""Every query is searched in both sources: `raised` has an error for each that counts."""
