"""Microsoft's own tests pass, over loopback and in process, and what is skipped is known."""

from collections.abc import Callable

import pytest

from tests.conformance.runner import Outcome, run_in_process, run_knowledge, run_over_loopback
from tests.third_parties import KNOWLEDGE_CONFORMANCE

pytestmark = pytest.mark.slow

SKIPPED = {
    "test_search_index_client_skillset_live::test_skillset_crud",
    "test_search_index_client_skillset_live_async::test_skillset_crud",
}
"""Skipped by Microsoft. What the project itself leaves out is in `runner.LEFT_OUT`, with the reasons."""


@pytest.mark.parametrize("run", [run_over_loopback, run_in_process])
def test_the_tests_of_the_sdk_pass(run: Callable[[], Outcome]) -> None:
    outcome = run()
    assert not outcome.failed, outcome.said
    assert set(outcome.skipped) == SKIPPED
    assert outcome.passed >= 83


@pytest.mark.parametrize("speaking", ["2026-10-01", "2026-11-01-preview", "2027-01-01"])
def test_they_pass_in_the_newest_versions_and_in_one_that_nobody_knows_yet(speaking: str) -> None:
    """Of the newest client that there is: those that come with the newest versions are not published."""
    outcome = run_knowledge(KNOWLEDGE_CONFORMANCE[-1], speaking=speaking)
    assert not outcome.failed, outcome.said
    assert outcome.passed == 18


@pytest.mark.parametrize(("version", "tests"), list(zip(KNOWLEDGE_CONFORMANCE, (12, 18), strict=True)))
def test_the_tests_of_knowledge_bases_pass_against_the_service(version: str, tests: int) -> None:
    outcome = run_knowledge(version)
    assert not outcome.failed, outcome.said
    assert not outcome.skipped
    assert outcome.passed == tests
