"""What each version's request means: its members, the defaults of the base, those of the version."""

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadFilter
from retrieval.filters import odata
from retrieval.model.definitions import Agent, Source, Target
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, BoostHint, FilterHint, QueryHints, SearchTarget
from tests.contracts.azure.versions import (
    BASE,
    BASES,
    CONVERSING,
    FIRST,
    HINTED,
    LATEST,
    LIMITED,
    ONE,
    SERVING_IMAGES,
    SIZED,
    THRESHOLDS,
    VERSIONS,
    asked,
    conversation,
    params,
    parsed,
    since,
    spoken,
)
from tests.laws import law
from tests.rooms import NEEDS_BASES_OF_STUDIO

GA: Final = since("2026-04-01")
STORED: Final = replace(
    ONE,
    max_runtime=45.0,
    max_output_tokens=1_234,
    max_documents=7,
    effort="medium",
    output_mode="answerSynthesis",
    retrieval_instructions="Prefer reports.",
    answer_instructions="Be brief.",
    include_activity=False,
    targets=(
        Target(
            index="ks",
            reranker_threshold=1.25,
            include_source_data=True,
            include_references=False,
            always_query=True,
            max_subqueries=4,
            max_documents=100,
        ),
    ),
)


def target(version: str, body: object, agent: Agent = ONE) -> SearchTarget:
    return parsed(version, body, agent).targets[0]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_nobody_says_is_the_versions_own(version: str) -> None:
    request = parsed(version, asked(version), ONE)
    assert request.effort == {**dict.fromkeys(GA, "minimal"), "2025-08-01-preview": None}.get(version, "low")
    assert request.limits.runtime == (90 if version in GA else 60)
    assert (request.limits.output_tokens, request.limits.documents, request.output) == (5_000, None, "documents")
    assert request.include_activity
    [found] = request.targets
    assert found == SearchTarget(index="ks", source="ks", threshold=THRESHOLDS.get(version, 0))


@pytest.mark.parametrize("version", (FIRST, *VERSIONS))
def test_a_threshold_is_the_requests_else_the_definitions_else_the_sources_else_the_versions(version: str) -> None:
    stating = Source(name="ks", index="ks", reranker_threshold=0.75)
    nobody, own, source = (
        Agent(name="kb1", targets=(target_of_agent,))
        for target_of_agent in (
            Target(index="ks"),
            Target(index="ks", bound=stating, reranker_threshold=1.25),
            Target(index="ks", bound=stating),
        )
    )
    body = asked(version)
    stated = [target(version, body, agent) for agent in (nobody, own, source)]
    assert [(one.threshold, one.threshold_by) for one in stated] == [
        (THRESHOLDS.get(version, 0), "version"),
        (1.25, "definition"),
        (0.75, "definition"),
    ]
    if version == FIRST or version in BASES:
        member = {"targetIndexParams": [{"rerankerThreshold": 0}]} if version == FIRST else params(rerankerThreshold=0)
        said = target(version, {**body, **member}, own)
        assert (said.threshold, said.threshold_by) == (0, "request")


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_base_has_stored_holds_where_the_caller_says_nothing(version: str) -> None:
    request = parsed(version, asked(version), STORED)
    assert (request.limits.runtime, request.limits.output_tokens, request.include_activity) == (45, 1_234, False)
    assert (request.instructions, request.answer_instructions) == ("Prefer reports.", "Be brief.")
    [found] = request.targets
    assert (found.threshold, found.include_source_data, found.include_references, found.always) == (
        1.25,
        True,
        False,
        True,
    )
    assert found.max_documents is None


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_version_cannot_say_does_not_hold_in_it(version: str) -> None:
    request = parsed(version, asked(version), STORED)
    assert request.effort == ("minimal" if version == "2026-04-01" else "medium")
    assert request.output == ("documents" if version == "2026-04-01" else "synthesis")
    assert request.limits.documents == (7 if version in LIMITED else None)
    assert request.targets[0].max_subqueries == (4 if version == "2025-08-01-preview" else None)


SAID: Final[list[tuple[tuple[str, ...], dict[str, object], str, object]]] = [
    (BASES, {"maxRuntimeInSeconds": 10}, "limits.runtime", 10),
    (BASES, {"maxRuntimeInSeconds": 600}, "limits.runtime", 600),
    (BASES, {"includeActivity": False}, "include_activity", False),
    (BASES, {"INCLUDEACTIVITY": False}, "include_activity", False),
    (SIZED, {"maxOutputSize": 1}, "limits.output_tokens", 1),
    (SERVING_IMAGES, {"maxOutputSize": 1, "maxOutputSizeInTokens": 2}, "limits.output_tokens", 2),
    (("2026-04-01", *LIMITED), {"maxOutputSizeInTokens": 100_000}, "limits.output_tokens", 100_000),
    (LIMITED, {"maxOutputDocuments": 1}, "limits.documents", 1),
    (LIMITED, {"maxOutputDocuments": 300}, "limits.documents", 300),
    (CONVERSING, {"outputMode": "answerSynthesis"}, "output", "synthesis"),
    (CONVERSING, {"retrievalReasoningEffort": {"kind": "minimal"}}, "effort", "minimal"),
    (CONVERSING, {"retrievalReasoningEffort": {"kind": "low"}}, "limits.queries", 3),
    (CONVERSING, {"retrievalReasoningEffort": {"kind": "medium"}}, "effort", "medium"),
    (CONVERSING, {"retrievalReasoningEffort": {"kind": "medium"}}, "limits.queries", 5),
    (LATEST, {"retrievalReasoningEffort": {"kind": "auto"}}, "effort", "auto"),
    (BASES, {"messages": [], "knowledgeSourceParams": []}, "queries", ("Which roads follow rivers?",)),
]


@pytest.mark.parametrize(
    ("version", "members", "attribute", "value"),
    [
        (version, members, attribute, value)
        for versions, members, attribute, value in SAID
        for version in versions
        if not (version == "2026-04-01" and "messages" in members)
    ],
)
def test_what_a_caller_says_holds(version: str, members: dict[str, object], attribute: str, value: object) -> None:
    assert attrgetter(attribute)(parsed(version, asked(version, **members), ONE)) == value


OF_A_SOURCE: Final[list[tuple[tuple[str, ...], dict[str, object], str, object]]] = [
    (BASES, {"includeReferences": False}, "include_references", False),
    (BASES, {"includeReferenceSourceData": True}, "include_source_data", True),
    (BASES, {"rerankerThreshold": 0}, "threshold", 0),
    (BASES, {"rerankerThreshold": 4}, "threshold", 4),
    (CONVERSING, {"alwaysQuerySource": True}, "always", True),
    (LIMITED, {"failOnError": True}, "fail_on_error", True),
    (LIMITED, {"maxOutputDocuments": 50}, "max_documents", 50),
    (LIMITED, {"maxOutputDocuments": 200}, "max_documents", 200),
    (SERVING_IMAGES, {"enableImageServing": False}, "threshold", 0),
    (
        LATEST,
        {"queryHintOverrides": {"boosts": [{"kind": "fieldValue", "field": "a", "boost": 2}]}},
        "hints",
        QueryHints(boosts=(BoostHint(field="a", factor=2.0),)),
    ),
    (LATEST, {"queryHintOverrides": {}}, "hints", None),
    (LATEST, {"resultsProcessing": "rerank", "rerankerThreshold": 1}, "threshold", 1),
]


@pytest.mark.parametrize(
    ("version", "members", "attribute", "value"),
    [(version, *rest) for versions, *rest in OF_A_SOURCE for version in versions],
)
def test_what_a_caller_says_of_a_source_holds(
    version: str, members: dict[str, object], attribute: str, value: object
) -> None:
    assert getattr(target(version, asked(version, **params(**members))), attribute) == value


@pytest.mark.parametrize("version", CONVERSING)
def test_a_conversation_is_kept_and_a_turn_without_a_role_is_the_users(version: str) -> None:
    body: dict[str, Any] = conversation("Which rivers?")
    del body["messages"][0]["role"]
    [message] = parsed(version, body).messages
    assert (message.role, message.text) == ("user", "Which rivers?")
    body["messages"][0]["role"] = None
    assert parsed(version, body).messages == (message,)


@pytest.mark.parametrize("version", CONVERSING)
def test_intents_may_come_beside_a_conversation_and_are_what_is_searched(version: str) -> None:
    request = parsed(version, {**asked(version), **conversation("Which rivers?")})
    assert request.queries == ("Which roads follow rivers?",)
    assert [message.text for message in request.messages] == ["Which rivers?"]


@pytest.mark.parametrize("version", BASES)
def test_of_an_intent_that_is_longer_than_a_search_both_ends_are_searched(version: str) -> None:
    search = "first " + "word " * LONGEST_SEARCH + "last"
    [query] = parsed(version, {"intents": [{"type": "semantic", "search": search}]}).queries
    assert len(query) <= LONGEST_SEARCH
    assert query.startswith("first ") and query.endswith(" last")


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", VERSIONS)
def test_a_stored_source_says_how_it_is_searched_and_shown(version: str) -> None:
    _, press, bailian = parsed(version, asked(version)).targets
    assert (press.index, press.source, press.description) == ("press-index", "press", "Newspapers")
    assert (press.source_fields, press.search_fields, press.semantic_configuration) == (
        ("headline",),
        ("body",),
        "news",
    )
    assert press.filter is not None and odata.text(press.filter) == "year ge 2000"
    assert (bailian.index, bailian.source, bailian.kind) == ("studio", "bailian", "modelStudioBase")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_filter_narrows_the_base_filter_and_never_widens_it(version: str) -> None:
    said = {"knowledgeSourceName": "press", "kind": "searchIndex", "filterAddOn": "a eq 1 or b eq 2"}
    ks, press, _ = parsed(version, asked(version, knowledgeSourceParams=[said])).targets
    assert press.filter is not None
    assert odata.text(press.filter) == "year ge 2000 and (a eq 1 or b eq 2)"
    assert ks.filter is None


@pytest.mark.parametrize("version", VERSIONS)
def test_a_base_filter_that_cannot_be_read_is_never_left_out(version: str) -> None:
    broken = Target(index="i", source="press", bound=replace(HINTED, base_filter="year ge"))
    with pytest.raises(BadFilter, match="position"):
        parsed(version, asked(version), Agent(name="kb1", targets=(broken,)))


BY_STATE: Final = FilterHint(field="State", values=("VA",), instructions="The state.")
STORED_HINTS: Final = {
    "filters": [{"field": "State", "fieldValues": ["VA"], "filterInstructions": "The state."}, {"field": ""}, 7],
    "boosts": [
        {"kind": "multiWordExpression", "fieldValues": ["per diem"], "boost": 3},
        *({"kind": "fieldValue", "field": "a", "boost": boost} for boost in (1, 0, -2, 1e9, math.nan, "2", None)),
        {"kind": "fieldValue", "boost": 2},
        {"kind": "multiWordExpression", "field": "a", "boost": 2},
        {"kind": "other", "boost": 2},
    ],
}


def of_hinted(version: str, **said: object) -> QueryHints | None:
    stored = Source(name="ks", index="ks", query_hints=STORED_HINTS)
    agent = Agent(name="kb1", targets=(Target(index="ks", source="ks", bound=stored),))
    [found] = parsed(version, asked(version, **params(**said)), agent).targets
    return found.hints


@pytest.mark.parametrize("version", VERSIONS)
def test_stored_query_hints_hold_in_every_version_without_those_that_none_would_take(version: str) -> None:
    assert of_hinted(version) == QueryHints(filters=(BY_STATE,), boosts=(BoostHint(values=("per diem",), factor=3.0),))


@pytest.mark.parametrize("version", LATEST)
def test_the_query_hints_of_a_call_replace_all_that_are_stored(version: str) -> None:
    override = {"filters": [{"field": "State", "fieldValues": ["VA"], "filterInstructions": "The state."}]}
    assert of_hinted(version, queryHintOverrides=override) == QueryHints(filters=(BY_STATE,))
    assert of_hinted(version, queryHintOverrides={}) is None
    assert of_hinted(version, queryHintOverrides={"filters": [], "boosts": []}) is None
    assert of_hinted(version, queryHintOverrides=None) == of_hinted(version)


@pytest.mark.parametrize("version", LATEST)
def test_without_reranking_the_order_of_the_search_stays(version: str) -> None:
    assert not target(version, asked(version, **params(resultsProcessing="none"))).recall.rerank
    assert target(version, asked(version)).recall.rerank


@pytest.mark.parametrize("version", VERSIONS)
def test_a_source_that_is_stored_without_reranking_keeps_its_order_in_every_version(version: str) -> None:
    stored = Source(name="ks", index="ks", results_processing="none")
    agent = Agent(name="kb1", targets=(Target(index="ks", source="ks", bound=stored),))
    assert not target(version, asked(version), agent).recall.rerank
    if version in LATEST:
        assert target(version, asked(version, **params(resultsProcessing="rerank")), agent).recall.rerank


@pytest.mark.parametrize("version", LATEST)
def test_a_source_that_is_excluded_is_marked_and_the_others_are_not(version: str) -> None:
    always = replace(BASE, targets=(replace(BASE.targets[0], always_query=True), *BASE.targets[1:]))
    excluded, *others = parsed(version, asked(version, **params(neverQuerySource=True)), always).targets
    assert excluded.never and not excluded.always
    assert not any(other.never for other in others)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_users_token_goes_with_the_request_and_is_never_printed(version: str) -> None:
    body = b'{"intents": [{"type": "semantic", "search": "x"}]}'
    said = body if version in BASES else b'{"messages": [{"content": [{"type": "text", "text": "x"}]}]}'
    request: RetrievalRequest = spoken(version).parse(said, ONE, user_token="TOKEN-OF-A-USER")
    assert request.user_token == "TOKEN-OF-A-USER"
    assert "TOKEN" not in repr(request)


def test_the_first_version_searches_a_stored_source_as_it_is_stored_too() -> None:
    said = {"indexName": "press-index", "filterAddOn": "a eq 1 or b eq 2"}
    request = parsed(FIRST, {**conversation("Which rivers?"), "targetIndexParams": [said]})
    ks, press, _ = request.targets
    assert ks == SearchTarget(index="ks", threshold=THRESHOLDS[FIRST])
    assert press.filter is not None
    assert odata.text(press.filter) == "year ge 2000 and (a eq 1 or b eq 2)"
    assert (press.search_fields, press.semantic_configuration) == (("body",), "news")
    assert (press.source, press.source_fields, press.source_name) == ("", (), "press-index")


OF_APRIL: Final = {
    "maxRuntimeInSeconds": st.integers(10, 600),
    "maxOutputSizeInTokens": st.integers(1, 10_000),
    "includeActivity": st.booleans(),
}
OF_ITS_SOURCE: Final = {
    "includeReferences": st.booleans(),
    "includeReferenceSourceData": st.booleans(),
    "rerankerThreshold": st.floats(0, 4),
    "filterAddOn": st.sampled_from(["a eq 1", "b eq 'x' or c gt 2"]),
}
MESSAGES: Final = conversation("Which roads follow rivers?")
SYNTHESIS: Final = {"outputMode": "answerSynthesis"}
INTENTS: Final = asked("2026-10-01")
WRITING: Final = replace(ONE, output_mode="answerSynthesis")


@pytest.mark.parametrize(
    ("body", "base", "effort"),
    [
        (MESSAGES, ONE, "low"),
        ({**INTENTS, **MESSAGES}, ONE, "low"),
        ({**INTENTS, **SYNTHESIS}, ONE, "low"),
        (INTENTS, WRITING, "low"),
        ({**INTENTS, "outputMode": "extractiveData"}, WRITING, "minimal"),
        (INTENTS, ONE, "minimal"),
        (INTENTS, replace(ONE, effort="medium"), "medium"),
        (MESSAGES, replace(ONE, effort="auto"), "low"),
        (INTENTS, replace(ONE, effort="auto"), "minimal"),
        ({**INTENTS, "retrievalReasoningEffort": {"kind": "medium"}}, replace(ONE, effort="low"), "medium"),
    ],
)
def test_the_effort_of_2026_10_01_is_stated_or_follows_from_what_is_asked(
    body: dict[str, object], base: Agent, effort: str
) -> None:
    """Our decision: its specification sets no default, a body of 2026-04-01 stays minimal, and it has no `auto`."""
    assert parsed("2026-10-01", body, base).effort == effort


@given(
    members=st.fixed_dictionaries({}, optional=OF_APRIL), of_source=st.fixed_dictionaries({}, optional=OF_ITS_SOURCE)
)
@law(100)
def test_a_body_of_2026_04_01_means_the_same_in_2026_10_01(
    members: dict[str, object], of_source: dict[str, object]
) -> None:
    """The specification states no break against it."""
    body = asked("2026-04-01", **members, **params(**of_source))
    earlier = parsed("2026-04-01", body, ONE)
    limits = replace(earlier.limits, queries=None)
    assert parsed("2026-10-01", body, ONE) == replace(earlier, limits=limits, targets=_unstated(earlier.targets))


def _unstated(targets: Sequence[SearchTarget]) -> tuple[SearchTarget, ...]:
    """The targets with the threshold of 2026-10-01, where the version before stated its own."""
    return tuple(replace(one, threshold=0) if one.threshold_by == "version" else one for one in targets)
