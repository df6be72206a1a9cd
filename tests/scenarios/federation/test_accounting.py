"""Nothing is lost over two targets: every document found is a reference of its target, or counted under a reason."""

import json
from typing import Any, Final

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.conftest import Response
from tests.laws import law
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.failures.answer import keys, searches
from tests.scenarios.federation.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, by_search, document, found, queries
from tests.scripted_azure.scripts import Document
from tests.scripted_model_studio import Chunk, ScriptedModelStudio, by_query, chunk, chunks

pytestmark = NEEDS_BASES_OF_STUDIO

NAMES: Final = st.integers(0, 30).map("doc-{}".format)
DOCUMENTS: Final = st.lists(st.builds(document, NAMES, st.none() | st.floats(0, 4)), max_size=20)
CHUNKS: Final = st.lists(
    st.builds(
        chunk,
        NAMES | st.none(),
        st.none() | st.floats(0, 1) | st.floats(0, 1) | st.sampled_from(["0.5", 2, True]),
        is_displayed_chunk_content=st.sampled_from(["true", True, "false", False, ...]),
    ),
    max_size=20,
)
PAGES: Final = st.lists(st.tuples(DOCUMENTS, CHUNKS), min_size=1, max_size=3)


@law(40, suppress=(HealthCheck.function_scoped_fixture,))
@given(
    pages=PAGES,
    named=st.sampled_from(["atlas", "harbour-base"]),
    threshold=st.none() | st.floats(0, 4),
    most=st.none() | st.integers(1, 200),
)
async def test_every_document_of_both_is_referred_to_or_counted(
    pages: list[tuple[list[Document], list[Chunk]]],
    named: str,
    threshold: float | None,
    most: int | None,
    azure: ScriptedAzure,
    studio: ScriptedModelStudio,
    retrieve: Retrieve,
) -> None:
    names = [f"query {number}" for number in range(len(pages))]
    azure.chat = queries(*names)
    azure.search = by_search(
        {name: found(*page) for name, (page, _) in zip(names, pages, strict=True)}, otherwise=found()
    )
    studio.script = by_query(
        {name: chunks(*page) for name, (_, page) in zip(names, pages, strict=True)}, otherwise=chunks()
    )
    answer = await retrieve(
        names[0], agent="planner", indexName=named, rerankerThreshold=threshold, maxDocsForReranker=most
    )
    assert answer.status == 200
    counts = [len(page) for page, _ in pages] + [len(page) for _, page in pages]
    for count, record in zip(counts, searches(answer), strict=True):
        elsewhere = sum(dropped for reason, dropped in record["dropped"].items() if reason != "budget")
        assert record["count"] == count == _credited(answer, record["id"]) + elsewhere
        assert all(dropped > 0 for dropped in record["dropped"].values())
    _no_document_stands_twice(answer)
    _what_is_not_in_the_text_is_counted(answer)


def _credited(answer: Response, activity: int) -> int:
    return sum(reference["activitySource"] == activity for reference in answer.json["references"])


def _no_document_stands_twice(answer: Response) -> None:
    targets = {record["id"]: record["targetIndex"] for record in searches(answer)}
    documents = [(targets[one["activitySource"]], one["docKey"]) for one in answer.json["references"]]
    assert len(set(documents)) == len(documents)


def _what_is_not_in_the_text_is_counted(answer: Response) -> None:
    grounded: list[dict[str, Any]] = json.loads(answer.json["response"][0]["content"][0]["text"])
    left_out = sum(record["dropped"].get("budget", 0) for record in searches(answer))
    assert len(grounded) + left_out == len(keys(answer))
