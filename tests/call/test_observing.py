"""Observers of a call get an event when each activity begins and when it ends, in order, while the call runs."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest

from retrieval.answer import answers
from retrieval.call.ports import Ports
from retrieval.compose import compose_service
from retrieval.errors import BackendUnavailable, BadModelReply, RetrievalFailed
from retrieval.http.service import Service
from retrieval.model.activity import Begun, Ended
from retrieval.model.conversation import Message
from retrieval.model.definitions import Effort, IndexFields, ModelDeployment
from retrieval.model.retrieval import ANSWER_LIMITS, Limits, Outcome, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.retrieve.retrieve_documents import retrieve
from retrieval.settings.settings import Settings
from tests.answer.scripts import answered, by_step, planned, routed
from tests.scripted_azure import ScriptedAzure, by_search, document, failing, found, held, replying

QUESTION: Final = (Message(role="user", text="Which roads follow rivers to harbours?"),)
TARGETS: Final = (SearchTarget(index="atlas", threshold=0),)
ROAD: Final = found(document("road", 3.1))


class Watcher:
    """Records its events, and asserts that no activity ends before it began, or ends twice."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.ends: list[Ended] = []
        self._open: list[Begun] = []
        self._more = asyncio.Event()

    def begun(self, activity: Begun) -> None:
        self._open.append(activity)
        self._tell(f"{self.name(activity)} begun")

    def ended(self, activity: Ended) -> None:
        self._open.remove(activity.begun)
        self.ends.append(activity)
        self._tell(f"{self.name(activity.begun)} ended")

    def _tell(self, what: str) -> None:
        self.told.append(what)
        self._more.set()

    async def hears(self, what: str) -> None:
        while what not in self.told:
            self._more.clear()
            await self._more.wait()

    def name(self, activity: Begun) -> str:
        return activity.kind if activity.subquery is None else f"{activity.kind} {activity.subquery.search}"

    def end(self, kind: str) -> Ended:
        (found,) = (one for one in self.ends if one.begun.kind == kind)
        return found

    @property
    def under_way(self) -> int:
        return len(self._open)


@pytest.fixture
async def service(azure: ScriptedAzure) -> AsyncIterator[Service]:
    fields = IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))
    service = compose_service(
        Settings(
            azure_search_endpoint=azure.address,
            azure_search_api_key="search-key",
            azure_openai_endpoint=azure.address,
            azure_openai_deployment="planner-model",
            azure_openai_api_key="model-key",
            api_keys=("key",),
            index_fields={"atlas": fields},
        )
    )
    yield service
    await service.process.close()


def deployment(azure: ScriptedAzure) -> ModelDeployment:
    return ModelDeployment(endpoint=azure.address, deployment="planner-model")


async def retrieved(service: Service, azure: ScriptedAzure, watcher: Watcher, *, effort: Effort = "low") -> Outcome:
    request = RetrievalRequest(
        messages=QUESTION, targets=TARGETS, effort=effort, limits=Limits(output_tokens=5_000, runtime=60)
    )
    model = service.models.of(deployment(azure))
    return await retrieve(
        request, Ports(index=service.indexes.search, model=model, clock=service.process.clock), observers=[watcher]
    )


async def test_a_search_is_told_when_it_begins_and_not_when_all_is_over(service: Service, azure: ScriptedAzure) -> None:
    watcher, release = Watcher(), asyncio.Event()
    both = asyncio.Barrier(2)

    azure.chat = planned("roads", "rivers")
    whole = QUESTION[0].text
    scripts = {"roads": held(both, ROAD), "rivers": held(both, held(release, ROAD)), whole: held(release, ROAD)}
    azure.search = by_search(scripts, otherwise=failing(500))
    call = asyncio.create_task(retrieved(service, azure, watcher))
    await watcher.hears("search roads ended")
    assert watcher.told == [
        "plan begun",
        "plan ended",
        "search roads begun",
        "search rivers begun",
        f"search {whole} begun",
        "search roads ended",
    ]
    assert watcher.under_way == 2
    release.set()
    await call
    assert sorted(watcher.told[6:8]) == [f"search {whole} ended", "search rivers ended"]
    assert watcher.told[8:] == ["merge begun", "merge ended", "ground begun", "ground ended"]
    assert watcher.under_way == 0


async def test_an_end_says_by_whom_and_how_much(service: Service, azure: ScriptedAzure) -> None:
    watcher, azure.chat, azure.search = Watcher(), planned("roads", "rivers"), ROAD
    await retrieved(service, azure, watcher)
    assert (watcher.end("plan").by, watcher.end("plan").count) == ("model", 3)
    assert [one.count for one in watcher.ends if one.begun.kind == "search"] == [1, 1, 1]
    assert (watcher.end("merge").count, watcher.end("ground").count) == (1, 1)
    assert all(one.error is None for one in watcher.ends)


async def test_what_fails_ends_with_its_error_and_the_rules_take_its_place(
    service: Service, azure: ScriptedAzure
) -> None:
    watcher, azure.chat, azure.search = Watcher(), replying("no JSON"), failing(503)
    with pytest.raises(RetrievalFailed):
        await retrieved(service, azure, watcher)
    plan, search = watcher.end("plan"), watcher.end("search")
    assert isinstance(plan.error, BadModelReply) and (plan.by, plan.count) == ("rules", 1)
    assert isinstance(search.error, BackendUnavailable) and search.count is None
    assert watcher.under_way == 0


async def test_minimal_effort_asks_no_model_and_searches_what_was_said(service: Service, azure: ScriptedAzure) -> None:
    watcher, azure.search = Watcher(), ROAD
    outcome = await retrieved(service, azure, watcher, effort="minimal")
    assert azure.chats == []
    assert watcher.told[2:4] == [f"search {QUESTION[0].text} begun", f"search {QUESTION[0].text} ended"]
    assert [one.hit.key for one in outcome.references] == ["road"]


async def test_what_is_given_up_ends_too(service: Service, azure: ScriptedAzure) -> None:
    watcher, never = Watcher(), asyncio.Event()
    azure.chat, azure.search = planned("roads"), held(never, ROAD)
    call = asyncio.create_task(retrieved(service, azure, watcher))
    await watcher.hears("search roads begun")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert isinstance(watcher.end("search").error, asyncio.CancelledError)
    assert watcher.under_way == 0
    never.set()


async def test_an_answer_tells_both_readings_and_its_second_round(service: Service, azure: ScriptedAzure) -> None:
    watcher = Watcher()
    azure.search = by_search({"bridge toll": found(document("toll", 3.3))}, otherwise=ROAD)
    azure.chat = by_step(
        {
            "route": routed(),
            "plan": planned("roads"),
            "answer": answered("The road [c1].", "c1", sufficient=False, confidence=0.2, more=("bridge toll",)),
            "again": answered("The toll [c2].", "c2"),
        }
    )
    request = RetrievalRequest(
        output="answer", limits=ANSWER_LIMITS, messages=QUESTION, targets=TARGETS, nonce="5f0c9a"
    )
    model = service.models.of(deployment(azure))
    await answers.answer(
        request,
        Ports(
            index=service.indexes.search, schemas=service.indexes.federated, model=model, clock=service.process.clock
        ),
        observers=[watcher],
    )
    kinds = [one.removesuffix(" begun") for one in watcher.told if one.endswith(" begun")]
    assert sorted(kinds[:2]) == ["plan", "route"]
    assert kinds[2:5] == ["round", "search roads", "merge"]
    assert kinds[5:] == ["answer", "round", "search bridge toll", "merge", "answer"]
    assert [(one.begun.round, one.begun.queries, one.count) for one in watcher.ends if one.begun.kind == "round"] == [
        (0, 1, 1),
        (1, 1, 1),
    ]
    assert watcher.under_way == 0
