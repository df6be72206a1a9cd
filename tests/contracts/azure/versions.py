"""The versions of retrieve since 2025-08-01-preview in tests: a base, bodies, and an outcome that has everything."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from retrieval.contracts.served_versions import CONTRACTS, Contract, contract
from retrieval.errors import BackendForbidden, BackendThrottled, BackendTimeout
from retrieval.filters.tree import Compare, Path, String
from retrieval.model.activity import RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Agent, IndexFields, ModelDeployment, Source, SourceKind, Target
from retrieval.model.retrieval import Address, Grounding, Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import Hit, Page, Searched, SearchTarget, Subquery
from tests.rooms import BASES_OF_STUDIO, has_room

ROUTES: Final = {version: route for route, version in CONTRACTS}
FIRST: Final = "2025-05-01-preview"
VERSIONS: Final = tuple(version for version in ROUTES if version != FIRST)
BASES: Final = tuple(version for version in VERSIONS if ROUTES[version] == "knowledgebases")
Golden = TypeVar("Golden")


def since(*first: str) -> tuple[str, ...]:
    """The versions from the first preview and from the first GA version on, in the order of the table."""
    return tuple(one for one in ROUTES if any(len(one) == len(named) and one >= named for named in first))


def golden(goldens: Mapping[str, Golden], version: str) -> Golden:
    """The golden of a version, for laws that hold in each: its own, or else that of the newest one of its sort, or of
    all, before it."""
    before = [one for one in goldens if one <= version]
    return goldens[max(before, key=lambda one: (one == version, len(one) == len(version), one))]


LACK_MESSAGES: Final = ("2026-04-01",)
CONVERSING: Final = tuple(version for version in BASES if version not in LACK_MESSAGES)
"""The bases that take a conversation, and so efforts and output modes."""

LIMITED: Final = since("2026-05-01-preview", "2026-10-01")
"""Those that bound documents."""

THRESHOLDS: Final = {FIRST: 2.5, "2025-08-01-preview": 1.9, "2025-11-01-preview": 1.9, "2026-04-01": 1.9}
"""Where nobody states one: that of the first REST reference, and the lowest score of real answers, 1.91. None since."""

LATEST: Final = since("2026-08-01-preview")
"""Those with query hints, the effort `auto` and what else no other has."""

SPECIFIED: Final = since("2026-10-01")
"""Those that have the members of their specification alone, and none of ours."""

SIZED: Final = tuple(version for version in CONVERSING if version not in SPECIFIED)
"""Those with `maxOutputSize`."""

SERVING_IMAGES: Final = tuple(version for version in LIMITED if version not in SPECIFIED)
CITING: Final = since("2026-08-01-preview", "2026-10-01")
NOW: Final = datetime(2026, 3, 1, 9, 30, 0, 250_000, tzinfo=UTC)

OTHER: Final[SourceKind] = "modelStudioBase" if has_room(BASES_OF_STUDIO) else "searchIndex"
"""The kind of the third source, which is no index where the room is there."""

HINTED: Final = Source(
    name="press",
    index="press-index",
    description="Newspapers",
    source_fields=("headline",),
    search_fields=("body",),
    semantic_configuration="news",
    base_filter="year ge 2000",
)
BASE: Final = Agent(
    name="kb1",
    targets=(
        Target(index="ks"),
        Target(index="press-index", source="press", bound=HINTED),
        Target(index="studio", source="bailian", bound=Source(name="bailian", index="studio", kind=OTHER)),
    ),
)
ONE: Final = Agent(name="kb1", targets=(Target(index="ks"),))


def spoken(version: str) -> Contract[Outcome]:
    return contract(ROUTES[version], version)


def asked(version: str, **members: object) -> dict[str, object]:
    """A body with an input that the version takes, and further members."""
    words = "Which roads follow rivers?"
    if version in BASES:
        return {"intents": [{"type": "semantic", "search": words}], **members}
    return {**conversation(words), **members}


def conversation(words: str) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": words}]}]}


def params(**members: object) -> dict[str, object]:
    """A body's parameters of the source `ks`."""
    return {"knowledgeSourceParams": [{"knowledgeSourceName": "ks", "kind": "searchIndex", **members}]}


def parsed(version: str, body: object, agent: Agent = BASE) -> RetrievalRequest:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return spoken(version).parse(content, agent, user_token=None)


def rendered(version: str, outcome: Outcome) -> Any:
    return json.loads(spoken(version).render(outcome).content)


MODEL: Final = ModelDeployment(endpoint="https://aoai", deployment="planner", model_name="gpt-5-mini")
KS: Final = SearchTarget(
    index="ks", source="ks", threshold=2.5, include_source_data=True, filter=Compare(Path(("a",)), "eq", String("b"))
)
PRESS: Final = SearchTarget(
    index="press-index",
    source="press",
    threshold=1.5,
    include_source_data=True,
    source_fields=("headline",),
    search_fields=("body",),
    semantic_configuration="news",
)
STUDIO: Final = SearchTarget(index="studio", source="bailian", kind=OTHER, threshold=2.5)

ROLES: Final = {
    "ks": IndexFields(
        key="id", semantic_configuration="usual", title="title", terms=("terms",), content=("content", "summary")
    ),
    "press-index": IndexFields(key="id", semantic_configuration="news", title="headline", content=("body",)),
}

RIVER: Final = Hit(key="k1", score=3.5, title="River", content="A river.", source={"id": "k1", "title": "River"})
STRIKE: Final = Hit(
    key="p7", score=None, title="Strike", content="A strike.", source={"id": "p7", "headline": "Strike", "body": "…"}
)
NODE: Final = Hit(key="node-3", score=2.7, content="A node.", source={"content": "A node."})


def search(target: SearchTarget, *hits: Hit, error: BackendTimeout | BackendForbidden | None = None) -> Searched:
    subquery = Subquery(search=f"words for {target.source}", target=target)
    page = Page(hits=hits, roles=ROLES.get(target.index))
    return Searched(subquery=subquery, page=page, error=error, started_at=NOW, elapsed_ms=494)


ADDRESS: Final = Address(endpoint="https://host.example", version="2026-10-01")
EVERYTHING: Final = Outcome(
    request=RetrievalRequest(
        messages=(),
        targets=(KS, PRESS, STUDIO),
        effort="low",
        limits=Limits(output_tokens=5_000, runtime=60.0),
        address=ADDRESS,
    ),
    grounding=Grounding(text='[{"ref_id":0,"content":"A river."}]', included=(0,)),
    answer="Roads follow rivers [ref_id:0].",
    references=(
        Reference(hit=RIVER, target=KS, subquery=0),
        Reference(hit=NODE, target=STUDIO, subquery=2),
        Reference(hit=STRIKE, target=PRESS, subquery=1),
    ),
    activity=(
        StepActivity(
            step="plan",
            by="model",
            prompt="plan-6",
            elapsed_ms=2396,
            started_at=NOW,
            model=MODEL,
            input_tokens=1261,
            output_tokens=270,
            error=BackendThrottled("Azure OpenAI"),
        ),
        SearchActivity(searched=search(KS, RIVER), found=26, dropped={"threshold": 20, "duplicate": 5}),
        SearchActivity(searched=search(PRESS, STRIKE), found=17, dropped={"budget": 16}),
        SearchActivity(
            searched=search(STUDIO, NODE, error=BackendTimeout("The search", seconds=3)), found=1, dropped={}
        ),
        RankerActivity(
            input_tokens=103_368,
            elapsed_ms=494,
            started_at=NOW,
            effort="low",
            by="model",
            selected=(2, 0),
            is_sufficient=True,
            warning="Too few.",
        ),
        StepActivity(
            step="answer",
            by="model",
            prompt="answer-1",
            elapsed_ms=3837,
            started_at=NOW,
            model=MODEL,
            input_tokens=4_000,
            output_tokens=60,
            error=BackendThrottled("Azure OpenAI"),
            notes=("One citation was taken out.",),
        ),
    ),
)
"""Every kind of step, each with an error, a warning where it may have one, and a document that was not ranked."""
