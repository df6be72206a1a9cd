"""Answers whose two forms are written down in `golden/`: one for each way that a call can go."""

from dataclasses import replace
from typing import Final

from retrieval.errors import BackendTimeout, BadModelReply, RankerAway
from retrieval.filters import odata
from retrieval.model.activity import StepActivity
from retrieval.model.answer import (
    Answer,
    Citation,
    Evidence,
    Judgement,
    KeyPoint,
    QueryResult,
    Removed,
    RouteDecision,
    Selected,
    Unfounded,
    Unquoted,
    Written,
)
from retrieval.model.retrieval import PlannedQuery, QueryPlan
from tests.contracts.answer.answers import chunk, counted, search

RIVERS: Final = chunk(
    1, source="Roads along rivers - k1", text="Roads follow the Rhine from Basel to Rotterdam.", score=3.1
)
HARBOURS: Final = chunk(2, source="Harbours - k2", text="Rotterdam is Europe's largest harbour.", score=2.4)
TOLLS: Final = chunk(3, source="k3", text="The toll of 1831 was 7 guilders.", score=None, round=1)
ROADS_QUERY: Final = PlannedQuery(query="roads along rivers to harbours", goal="Which roads follow rivers")
TOLL_QUERY: Final = PlannedQuery(query="Rhine road toll", goal="What the road costs")

GREETING: Final = Answer(
    route=RouteDecision(run_rag=False, reply="Hello. Ask me about roads.", by="rules"),
    written=Written(markdown="Hello. Ask me about roads.", by="rules"),
    activity=(StepActivity(step="route", by="rules", started_ms=0, elapsed_ms=0),),
)

SUFFICIENT: Final = Answer(
    route=RouteDecision(run_rag=True, by="model"),
    plan=QueryPlan(
        queries=(ROADS_QUERY,), filter=odata.read("kind eq 'road'"), filter_text="kind eq 'road'", by="model"
    ),
    results=(QueryResult(query=ROADS_QUERY, chunks=(RIVERS, HARBOURS)),),
    judgement=Judgement(
        selected=(
            Selected(chunk=RIVERS, rationale="It names the road."),
            Selected(chunk=HARBOURS, rationale="It names the harbour."),
        ),
        evidence=Evidence(
            sufficient=True,
            confidence=0.9,
            key_points=(KeyPoint(text="A road follows the Rhine to a harbour.", chunks=("c1", "c2")),),
            by="model",
        ),
    ),
    written=Written(
        markdown="“Roads follow the Rhine” to Rotterdam [Roads along rivers - k1], a harbour [Harbours - k2].",
        citations=(Citation(chunk="c1", quote="Roads follow the Rhine", start=0, end=22), Citation(chunk="c2")),
        removed=(Removed(kind="citation", text="[c9]", reason="No chunk of this run has that id."),),
        unquoted=(Unquoted(text="brighter than the others", chunks=("c1",)),),
        unfounded=(Unfounded(figure="12", text="The harbour has 12 basins.", chunks=("c2",)),),
        by="model",
    ),
    activity=(
        StepActivity(
            step="route", by="model", prompt="route-3", started_ms=0, elapsed_ms=310, input_tokens=200, output_tokens=20
        ),
        StepActivity(
            step="plan",
            by="model",
            prompt="queries-1",
            started_ms=0,
            elapsed_ms=420,
            input_tokens=310,
            output_tokens=40,
        ),
        counted(
            (
                search(
                    ROADS_QUERY.query,
                    returned=3,
                    dropped={"duplicate": 1, "threshold": 2},
                    filter=odata.read("kind eq 'road'"),
                ),
            ),
            gathered=2,
            omitted={"near_duplicate": 1},
            started_ms=420,
            elapsed_ms=45,
        ),
        StepActivity(
            step="answer",
            by="model",
            prompt="answer-1",
            started_ms=465,
            elapsed_ms=1_100,
            input_tokens=880,
            output_tokens=370,
        ),
    ),
)

FOLLOWED_UP: Final = Answer(
    route=RouteDecision(run_rag=True, by="rules"),
    plan=QueryPlan(queries=(ROADS_QUERY,), by="model", notes=("The filter names no field of the index: 'coulour'.",)),
    results=(
        QueryResult(query=ROADS_QUERY, chunks=(RIVERS,)),
        QueryResult(query=TOLL_QUERY, chunks=(TOLLS, RIVERS)),
    ),
    judgement=Judgement(
        selected=(Selected(chunk=RIVERS, rationale="The best of what was found."),),
        evidence=Evidence(
            sufficient=False,
            confidence=0.31,
            key_points=(KeyPoint(text=RIVERS.text, chunks=("c1",)),),
            missing=("What does the road cost today?",),
            follow_ups=(TOLL_QUERY,),
            by="rules",
        ),
    ),
    written=Written(
        markdown=f"{RIVERS.text} [Roads along rivers - k1]\n\nNot found: what does the road cost today?",
        citations=(Citation(chunk="c1", quote=RIVERS.text, start=0, end=len(RIVERS.text)),),
        by="rules",
    ),
    ended_by=("runtime", "tokens"),
    activity=(
        StepActivity(
            step="route",
            by="rules",
            prompt="route-3",
            started_ms=0,
            elapsed_ms=90,
            input_tokens=200,
            output_tokens=3,
            error=BadModelReply("it is not JSON"),
        ),
        StepActivity(
            step="plan",
            by="model",
            prompt="queries-1",
            started_ms=0,
            elapsed_ms=420,
            input_tokens=310,
            output_tokens=40,
            notes=("The filter names no field of the index: 'coulour'.",),
        ),
        counted(
            (
                search(
                    ROADS_QUERY.query,
                    returned=1,
                    unranked=RankerAway("Azure AI Search", cause="maxWaitExceeded"),
                ),
            ),
            gathered=1,
            started_ms=420,
            elapsed_ms=45,
        ),
        StepActivity(
            step="answer",
            by="rules",
            prompt="answer-1",
            started_ms=465,
            elapsed_ms=5_000,
            error=BackendTimeout("The chat model", seconds=5),
        ),
        counted(
            (search(TOLL_QUERY.query, returned=2, error=None),),
            gathered=1,
            omitted={"known": 1},
            round=1,
            started_ms=5_465,
            elapsed_ms=30,
            notes=("The plan's filter was given up.",),
        ),
        StepActivity(step="answer", by="rules", started_ms=5_495, elapsed_ms=0, skipped="tokens"),
    ),
)

NOTHING_FOUND: Final = replace(
    FOLLOWED_UP,
    plan=QueryPlan(queries=(ROADS_QUERY,), by="rules"),
    results=(QueryResult(query=ROADS_QUERY, chunks=()),),
    judgement=Judgement(selected=(), evidence=Evidence(sufficient=False, confidence=0, by="rules")),
    written=Written(markdown="Nothing was found.", by="rules"),
    ended_by=("runtime",),
    activity=(
        StepActivity(step="route", by="rules", started_ms=0, elapsed_ms=0),
        StepActivity(step="plan", by="rules", started_ms=0, elapsed_ms=0),
        counted(
            (
                search(
                    ROADS_QUERY.query,
                    returned=0,
                    error=BackendTimeout("The search in 'atlas'", seconds=60),
                ),
            ),
            gathered=0,
            started_ms=0,
            elapsed_ms=60_000,
        ),
        StepActivity(step="answer", by="rules", started_ms=60_000, elapsed_ms=0),
    ),
)

CASES: Final = {
    "greeting": GREETING,
    "sufficient": SUFFICIENT,
    "followed-up": FOLLOWED_UP,
    "nothing-found": NOTHING_FOUND,
}
