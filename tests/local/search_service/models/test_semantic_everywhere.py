"""`lexical-v1` gives the same scores and passages in every process, and in whatever order documents came."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.features import captions
from retrieval.local.search_service.models.lexical_ranker import Ranker
from tests.local.search_service.conftest import FLEET
from tests.local.search_service.models.test_lexical_ranker import CONFIGURATION, documents, queries
from tests.sampling import sample

QUERIES = ("wooden lamp engine", "what carried salt along the coast?", "deep water winch nets", "zebra")


def everything() -> list[Any]:
    """Scores and passages of the fleet."""
    fleet = [{"title": boat["name"], "content": boat["story"], "terms": boat["tags"]} for boat in FLEET]
    ranker = Ranker(CONFIGURATION)
    for boat in fleet:
        ranker.add(boat)
    found: list[Any] = []
    for query in QUERIES:
        asked = zip(fleet, ranker.questions(query, enumerate(fleet)), strict=True)
        passages = [captions.best_passage(boat, question, CONFIGURATION) for boat, question in asked]
        marked = [passage and [passage.confidence, passage.marked(("<", ">"))] for passage in passages]
        found.append([ranker.scores(query, enumerate(fleet)), marked])
    return found


@pytest.mark.parametrize("seed", sample(["0", "1", "4711"], every=3))
def test_another_process_gives_the_same(seed: str) -> None:
    script = "import json; from tests.local.search_service.models.test_semantic_everywhere import everything as e; "
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", f"{script}print(json.dumps(e()))"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout) == everything()


@given(queries, documents, st.lists(documents, max_size=4), st.randoms(use_true_random=False))
def test_the_order_in_which_documents_came_changes_no_score(
    query: str, document: dict[str, Any], others: list[dict[str, Any]], random: Any
) -> None:
    shuffled = random.sample(others, len(others))
    one, other = Ranker(CONFIGURATION), Ranker(CONFIGURATION)
    for first, second in zip(others, shuffled, strict=True):
        one.add(first)
        other.add(second)
    assert one.scores(query, [(0, document)]) == other.scores(query, [(0, document)])


@given(queries, documents)
def test_asking_twice_gives_the_same(query: str, document: dict[str, Any]) -> None:
    ranker = Ranker(CONFIGURATION)
    ranker.add(document)
    asked = [(0, document)]
    assert ranker.scores(query, asked) == ranker.scores(query, asked)
