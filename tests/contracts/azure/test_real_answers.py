"""Real answers of Azure, kept as facts beside this project: where its searches find what they found, ours is the same.

No text of theirs is here. A search finds the documents that the answer credits to it, with their scores, and below
them as many others as its `count` says. Where the file is not, its tests are skipped.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.text.length import BYTES_PER_TOKEN
from tests.answer.scripts import by_step, planned
from tests.conftest import Post, Response, ask, deploying
from tests.scripted_azure import ScriptedAzure, document, found
from tests.scripted_azure.scripts import by_search

FILE: Final = Path("../shared/data/azure-answers/answers.jsonl")
BUDGET: Final = 5_000 * BYTES_PER_TOKEN
AGENTS: Final = ("2025-05-01-preview", "2025-08-01-preview")
BASES: Final = "2025-11-01-preview"
RECORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "2025-05-01-preview": ("ModelQueryPlanning", "AzureSearchQuery", "AzureSearchSemanticRanker"),
    "2025-08-01-preview": ("modelQueryPlanning", "searchIndex", "semanticReranker"),
    BASES: ("modelQueryPlanning", "searchIndex", "agenticReasoning"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    id: str
    source: int
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """An answer: its version, the `count` of each search by the id of its record, and its references as they are
    listed."""

    number: int
    version: str
    counts: Mapping[int, int]
    references: Sequence[Listed]

    @property
    def is_scored(self) -> bool:
        return any(one.score is not None for one in self.references)


def _read(number: int, line: str) -> Real:
    answer = json.loads(line)
    records, references = (list(map(_named, answer[name] or ())) for name in ("activity", "references"))
    searches = [one for one in records if "targetindex" in one or "knowledgesourcename" in one]
    version = AGENTS[0] if "targetindex" in searches[0] else AGENTS[1]
    return Real(
        number=number,
        version=BASES if any("reasoningtokens" in one for one in records) else version,
        counts={one["id"]: one.get("count") or 0 for one in searches},
        references=[
            Listed(id=one["id"], source=one["activitysource"], score=one.get("rerankerscore")) for one in references
        ],
    )


def _named(members: Mapping[str, Any]) -> dict[str, Any]:
    """Python's SDK prints names in snake case, .NET's in Pascal case."""
    return {name.replace("_", "").lower(): value for name, value in members.items()}


REAL: Final = [_read(*pair) for pair in enumerate(FILE.read_text().splitlines())] if FILE.is_file() else []
SKIPPED: Final = pytest.mark.skip(reason=f"there is no {FILE}")


def answers(*, scored: bool) -> pytest.MarkDecorator:
    some = [pytest.param(one, id=f"line {one.number + 1}") for one in REAL if one.is_scored is scored]
    return pytest.mark.parametrize("real", some or [pytest.param(None, marks=SKIPPED)])


@dataclass(frozen=True, slots=True)
class Deployment:
    azure: ScriptedAzure
    post: Post

    async def retrieve(self, real: Real) -> Response:
        """Asks what the answer answers, of an index where each of its searches finds the same."""
        pages = _pages(real)
        queries = [f"query {id}" for id in pages]
        self.azure.search = by_search(
            {query: found(*page) for query, page in zip(queries, pages.values(), strict=True)}, otherwise=found()
        )
        self.azure.chat = by_step({"plan": planned(*queries)})
        noun = "knowledgebases" if real.version == BASES else "agents"
        more = {} if real.version != BASES or len(queries) < 4 else {"retrievalReasoningEffort": {"kind": "medium"}}
        name = "strict" if min((one.score or 4 for one in real.references), default=4) >= 2.5 else "usual"
        return await self.post({**ask(queries[-1]), **more}, f"/{noun}('{name}')/retrieve?api-version={real.version}")


def _pages(real: Real) -> dict[int, list[dict[str, object]]]:
    """The documents of each search. Together the listed ones fill the grounding text. A search that is credited with
    none of them found those of others."""
    size = BUDGET // (len(real.references) or 1) - 100
    scores = {one.id: 3.9 - int(one.id) / 10 if one.score is None else one.score for one in real.references}
    below = min(scores.values(), default=3.0) - 0.001
    pages = {}
    for id, count in real.counts.items():
        own = [one.id for one in real.references if one.source == id]
        others = [key for key in scores if key not in own]
        is_known = bool(others) and not (own and real.is_scored)
        rest = others if is_known else [f"{id}-{place}" for place in range(count)]
        pages[id] = [document(key, scores[key], content=key * size) for key in own]
        pages[id] += [document(key, below, content="x" * size) for key in rest[: count - len(own)]]
    return pages


@pytest.fixture
async def deployment(
    azure: ScriptedAzure, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Deployment]:
    parameters = {"resourceUri": azure.address, "deploymentId": "planner", "apiKey": "k"}
    models = [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}]
    agents = [
        {
            "name": name,
            "models": models,
            "targetIndexes": [{"indexName": "atlas", **stated}],
        }
        for name, stated in (("usual", {}), ("strict", {"defaultRerankerThreshold": 2.5}))
    ]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(agents))
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "API_KEYS": "local-dev-key",
        "LOCAL": "0",
    }
    async with deploying(settings, monkeypatch):
        yield Deployment(azure, post)


@answers(scored=True)
async def test_an_answer_with_scores_has_the_same_references_in_the_same_list(
    real: Real, deployment: Deployment
) -> None:
    version = BASES if len(real.counts) > 3 else real.version
    answer = (await deployment.retrieve(replace(real, version=version))).json
    ours = [(one["id"], one["activitySource"], one["rerankerScore"]) for one in answer["references"]]
    assert ours == [(one.id, one.source, one.score) for one in real.references]
    if version == real.version:
        _records_are_the_same(real, answer)


@answers(scored=False)
async def test_another_answer_has_the_same_records_counts_and_ids(real: Real, deployment: Deployment) -> None:
    answer = (await deployment.retrieve(real)).json
    _records_are_the_same(real, answer)
    if real.references:
        assert sorted(one["id"] for one in answer["references"]) == sorted(one.id for one in real.references)


def _records_are_the_same(real: Real, answer: Any) -> None:
    planning, search, ranking = RECORDS[real.version]
    assert [one["type"] for one in answer["activity"]] == [planning, *[search] * len(real.counts), ranking]
    assert {one["id"]: one["count"] for one in answer["activity"] if one["type"] == search} == real.counts
