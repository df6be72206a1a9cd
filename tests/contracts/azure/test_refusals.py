"""What each version refuses, with the member and a sentence about it; and that nothing else ever happens."""

import json
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.azure.errors import render_error, status_and_code
from retrieval.contracts.azure.retrieve.request_shapes import MOST_INTENTS
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, Source, Target
from retrieval.model.retrieval import RetrievalRequest
from tests.contracts.azure.versions import (
    BASE,
    BASES,
    CONVERSING,
    LATEST,
    LIMITED,
    ONE,
    SERVING_IMAGES,
    SIZED,
    SPECIFIED,
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

GA: Final = ("2026-04-01",)
AGENTS: Final = ("2025-08-01-preview",)
AT: Final = "knowledgeSourceParams[0]"
HINTS: Final = f"{AT}.queryHintOverrides"
SEVERAL: Final = {"kind": "multiWordExpression", "fieldValues": ["per diem"]}


def refused(version: str, body: object, agent: Agent = BASE) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        parsed(version, body, agent)
    assert status_and_code(caught.value)[0] == 400
    return caught.value


def effort(kind: object) -> dict[str, object]:
    return {"retrievalReasoningEffort": {"kind": kind}}


def of(name: str, kind: str = "searchIndex", **members: object) -> dict[str, object]:
    return {"knowledgeSourceParams": [{"knowledgeSourceName": name, "kind": kind, **members}]}


def hints(**said: object) -> dict[str, object]:
    return params(queryHintOverrides=said)


def by(field: str, *values: str) -> dict[str, object]:
    return {"field": field, "fieldValues": list(values)}


MINIMAL: Final = "Messages input not supported when 'minimal' reasoning effort is requested. Use intents input instead."
WHOLE: Final[list[tuple[tuple[str, ...], dict[str, object], str, str]]] = [
    (AGENTS, {}, "'messages' is required", "messages"),
    (CONVERSING, {}, "'intents'", "intents"),
    (GA, {}, "'messages' does not exist in 2026-04-01", "intents"),
    (BASES, {"intents": []}, "Nothing is asked", "intents"),
    (AGENTS, {"messages": []}, "at least 1 item", "messages"),
    (CONVERSING, {**conversation("x"), **effort("minimal")}, MINIMAL, "messages"),
    (BASES, {"intents": [{"type": "semantic", "search": " "}]}, "blank", "intents[0].search"),
    (BASES, {"intents": [{"type": "semantic"}]}, "required", "intents[0].search"),
    (BASES, {"intents": [{"type": "keyword", "search": "x"}]}, "'semantic'", "intents[0].type"),
    (BASES, {"intents": [{"type": "semantic", "search": "\x00"}]}, "U+0000", "intents[0].search"),
    (BASES, {"intents": [{"type": "semantic", "text": "x"}]}, "required", "intents[0].search"),
    (BASES, {"intents": [{"type": "semantic", "search": "x"}] * (MOST_INTENTS + 1)}, "at most", "intents"),
    (CONVERSING, {"messages": [{"role": "assistant", "content": [{"type": "text", "text": "x"}]}]}, "user", "messages"),
    (
        CONVERSING,
        {"messages": [{"content": [{"type": "image", "image": {"url": "x"}}]}]},
        "Image content is not supported",
        "messages[0].content[0]",
    ),
    (CONVERSING, {"messages": [{"content": "x"}]}, "valid list", "messages[0].content"),
]
BESIDE: Final[list[tuple[tuple[str, ...], dict[str, object], str, str]]] = [
    (BASES, {"maxRuntimeInSeconds": 9}, "greater than or equal to 10", "maxRuntimeInSeconds"),
    (BASES, {"maxRuntimeInSeconds": 601}, "less than or equal to 600", "maxRuntimeInSeconds"),
    (SIZED, {"maxOutputSize": 0}, "greater than 0", "maxOutputSize"),
    (LIMITED, {"maxOutputSizeInTokens": -1}, "greater than 0", "maxOutputSizeInTokens"),
    (LIMITED, {"maxOutputDocuments": 0}, "greater than 0", "maxOutputDocuments"),
    (CONVERSING, {"outputMode": "extractedData"}, "'extractiveData' or 'answerSynthesis'", "outputMode"),
    (
        CONVERSING,
        {"retrievalReasoningEffort": "low"},
        'an object, as in "retrievalReasoningEffort": {"kind": "low"}',
        "retrievalReasoningEffort",
    ),
    (CONVERSING, effort("high"), "Input should be 'minimal', 'low'", "retrievalReasoningEffort.kind"),
    (
        tuple(one for one in CONVERSING if one not in LATEST),
        effort("auto"),
        "Input should be 'minimal', 'low' or 'medium'",
        "retrievalReasoningEffort.kind",
    ),
    (CONVERSING, {**effort("minimal"), "outputMode": "answerSynthesis"}, "answerSynthesis", "outputMode"),
    (VERSIONS, {"foo": 1}, "'foo' does not exist here", "foo"),
    (VERSIONS, of("nobody"), "'ks', 'press', 'bailian'", f"{AT}.knowledgeSourceName"),
    (VERSIONS, of("ks", "web"), "kind 'web' are not served here; ", f"{AT}.kind"),
    (VERSIONS, of("ks", "azureBlob"), "of the kind searchIndex", f"{AT}.kind"),
    (VERSIONS, {"knowledgeSourceParams": [{"kind": "searchIndex"}]}, "required", f"{AT}.knowledgeSourceName"),
    (VERSIONS, {"knowledgeSourceParams": [{"knowledgeSourceName": "ks"}]}, "required", f"{AT}.kind"),
    (
        VERSIONS,
        {"knowledgeSourceParams": [{"knowledgeSourceName": "ks", "kind": "searchIndex"}] * 2},
        "given twice",
        "knowledgeSourceParams[1].knowledgeSourceName",
    ),
    (VERSIONS, params(filterAddOn="a eq"), "position", f"{AT}.filterAddOn"),
    (VERSIONS, params(filterAddOn="a eq 1) or (a ne 1"), "position", f"{AT}.filterAddOn"),
    (BASES, params(rerankerThreshold=4.1), "less than or equal to 4", f"{AT}.rerankerThreshold"),
    (BASES, params(rerankerThreshold=-1), "greater than or equal to 0", f"{AT}.rerankerThreshold"),
    (LIMITED, params(maxOutputDocuments=49), "must be between 50 and 200", f"{AT}.maxOutputDocuments"),
    (LIMITED, params(maxOutputDocuments=201), "must be between 50 and 200", f"{AT}.maxOutputDocuments"),
    (SERVING_IMAGES, params(enableImageServing=True), "enableImageServing", f"{AT}.enableImageServing"),
    (
        LATEST,
        params(alwaysQuerySource=True, neverQuerySource=True),
        "exclude each other",
        f"{AT}.neverQuerySource",
    ),
    (LATEST, params(resultsProcessing="none", rerankerThreshold=2), "needs reranking", f"{AT}.rerankerThreshold"),
    (LATEST, params(resultsProcessing="rank"), "'rerank' or 'none'", f"{AT}.resultsProcessing"),
    (LATEST, params(includeReferences=False, includeReferenceSourceData=True), "needs includeReferences", AT),
    (LATEST, params(queryHintOverrides={"boost": 1}), "'boost' does not exist", f"{AT}.queryHintOverrides.boost"),
    (
        LATEST,
        params(queryHintOverrides={"filters": [{"field": "a"}]}),
        "required",
        f"{AT}.queryHintOverrides.filters[0].fieldValues",
    ),
    (LATEST, hints(filters=[by("a"), by("a")]), "two filter hints name the same field", f"{HINTS}.filters"),
    (LATEST, hints(filters=[by(f"f{i}") for i in range(6)]), "at most 5", f"{HINTS}.filters"),
    (LATEST, hints(filters=[by("a", "x" * 129)]), "at most 128", f"{HINTS}.filters[0].fieldValues[0]"),
    (LATEST, hints(filters=[by("a", *["x" * 128] * 17)]), "more than 2048", f"{HINTS}.filters[0].fieldValues"),
    (LATEST, hints(boosts=[{**SEVERAL, "boost": 1}]), "must not be 1", f"{HINTS}.boosts[0].boost"),
    (LATEST, hints(boosts=[{**SEVERAL, "boost": 0}]), "greater than 0", f"{HINTS}.boosts[0].boost"),
    (LATEST, hints(boosts=[{**SEVERAL, "boost": 2, "field": "a"}]), "has none", f"{HINTS}.boosts[0]"),
    (LATEST, hints(boosts=[{"kind": "fieldValue", "boost": 2}]), "has a field", f"{HINTS}.boosts[0]"),
    (LATEST, hints(boosts=[{**SEVERAL, "boost": 2}] * 6), "at most 5", f"{HINTS}.boosts"),
]


@pytest.mark.parametrize(
    ("version", "body", "message", "target"),
    [(version, *rest) for versions, *rest in WHOLE for version in versions],
)
def test_a_body_without_an_input_that_can_be_used_is_refused(
    version: str, body: dict[str, object], message: str, target: str
) -> None:
    error = refused(version, body)
    assert (message in error.message, error.target) == (True, target), error


@pytest.mark.parametrize(
    ("version", "members", "message", "target"),
    [(version, *rest) for versions, *rest in BESIDE for version in versions],
)
def test_a_member_with_a_fault_is_refused_by_its_place(
    version: str, members: dict[str, object], message: str, target: str
) -> None:
    error = refused(version, asked(version, **members))
    assert (message in error.message, error.target) == (True, target), error


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("parameters", "kind"),
    [(of("ks", "modelStudioBase"), "searchIndex"), (of("bailian"), "modelStudioBase")],
    ids=["an index", "a base"],
)
def test_parameters_of_another_kind_than_the_sources_are_refused(
    version: str, parameters: dict[str, object], kind: str
) -> None:
    error = refused(version, asked(version, **parameters))
    assert f"of the kind {kind}" in error.message and error.target == f"{AT}.kind"


@pytest.mark.parametrize("version", CONVERSING)
def test_a_stored_minimal_effort_refuses_a_conversation_too(version: str) -> None:
    stored = replace(ONE, effort="minimal")
    assert "Use intents input instead" in refused(version, conversation("x"), stored).message
    low = {**conversation("x"), **effort("low")}
    assert parsed(version, low, stored).effort == "low"


@pytest.mark.parametrize("version", LATEST)
def test_excluding_every_source_is_refused(version: str) -> None:
    error = refused(version, asked(version, **params(neverQuerySource=True)), ONE)
    assert "one must be left" in error.message


@pytest.mark.parametrize("version", BASES)
def test_a_threshold_for_a_source_that_is_stored_without_reranking_is_refused(version: str) -> None:
    source = Source(name="ks", index="ks", results_processing="none")
    agent = Agent(name="kb1", targets=(Target(index="ks", source="ks", bound=source),))
    assert "needs reranking" in refused(version, asked(version, **params(rerankerThreshold=2)), agent).message


def listed(*first: str) -> str:
    """The versions since these, as an error lists them."""
    return ", ".join(sorted(since(*first)))


CONVERSED: Final = listed("2025-11-01-preview", "2026-10-01")
BOUNDED: Final = listed("2026-05-01-preview", "2026-10-01")
PREVIEWS: Final = listed("2026-08-01-preview")
WITHOUT_HINTS: Final = tuple(one for one in VERSIONS if one not in LATEST)
ELSEWHERE: Final[list[tuple[tuple[str, ...], dict[str, object], str]]] = [
    (VERSIONS, {"targetIndexParams": []}, "2025-05-01-preview"),
    (
        AGENTS,
        {"intents": []},
        listed("2025-11-01-preview", "2026-04-01"),
    ),
    (GA, conversation("x"), listed("2025-05-01-preview", "2026-10-01")),
    (GA, {"Messages": []}, "2025-05-01-preview"),
    (GA, effort("low"), CONVERSED),
    (GA, {"outputMode": "extractiveData"}, CONVERSED),
    ((*GA, *SPECIFIED), {"maxOutputSize": 6000}, listed("2025-11-01-preview")),
    (("2025-11-01-preview",), {"maxOutputSizeInTokens": 1}, listed("2026-05-01-preview", "2026-04-01")),
    (("2025-11-01-preview", *GA), {"maxOutputDocuments": 1}, BOUNDED),
    (AGENTS, params(rerankerThreshold=2), "2025-11-01-preview, 2026-04-01"),
    (GA, params(alwaysQuerySource=True), CONVERSED),
    (("2025-11-01-preview", *GA), params(failOnError=True), BOUNDED),
    (WITHOUT_HINTS, params(neverQuerySource=True), PREVIEWS),
    (WITHOUT_HINTS, params(resultsProcessing="none"), PREVIEWS),
    (WITHOUT_HINTS, params(queryHintOverrides={}), PREVIEWS),
    (SPECIFIED, params(enableImageServing=False), listed("2026-05-01-preview")),
]


@pytest.mark.parametrize(
    ("version", "members", "versions"),
    [(version, *rest) for lacking, *rest in ELSEWHERE for version in lacking],
)
def test_a_member_of_other_versions_is_refused_with_the_versions_that_have_it(
    version: str, members: dict[str, object], versions: str
) -> None:
    error = refused(version, asked(version, **members))
    [sentence] = {str(one) for one in (error, *error.details) if "It exists in" in str(one)}
    assert f"does not exist in this api-version. It exists in: {versions}" in sentence
    assert f" {version}," not in sentence


@pytest.mark.parametrize("version", [one for one in CONVERSING if one not in LATEST])
def test_an_effort_of_a_later_version_is_refused_with_that_version(version: str) -> None:
    assert refused(version, asked(version, **effort("auto"))).message.endswith(f"'auto' exists in: {PREVIEWS}.")
    assert "exists" not in refused(version, asked(version, **effort("high"))).message


NAMES: Final = [
    "messages", "intents", "role", "content", "type", "text", "search", "image", "url", "maxRuntimeInSeconds",
    "maxOutputSize", "maxOutputSizeInTokens", "maxOutputDocuments", "retrievalReasoningEffort", "kind",
    "includeActivity", "outputMode", "knowledgeSourceParams", "knowledgeSourceName", "filterAddOn",
    "includeReferences", "includeReferenceSourceData", "alwaysQuerySource", "neverQuerySource", "rerankerThreshold",
    "failOnError", "enableImageServing", "resultsProcessing", "queryHintOverrides", "filters", "boosts", "field",
    "fieldValues", "boost", "targetIndexParams",
]  # fmt: skip
WORDS: Final = [
    "semantic", "searchIndex", "web", "ks", "press", "minimal", "low", "auto", "user", "text", "image", "rerank",
    "none", "extractiveData", "answerSynthesis", "a eq 1", "a eq", "((((", "fieldValue", "\x00", "🏙",
]  # fmt: skip

_names = st.sampled_from(NAMES) | st.sampled_from(NAMES).map(str.upper) | st.text(max_size=3)
_leaves = (
    st.sampled_from(WORDS)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True)
    | st.text(max_size=5)
    | st.just(10**400)
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=4), max_leaves=8
)
_params = st.fixed_dictionaries(
    {"knowledgeSourceName": st.sampled_from(["ks", "press", "bailian", "no"]), "kind": st.sampled_from(WORDS[1:3])},
    optional=dict.fromkeys(NAMES[19:28], _leaves),
)
BODIES = (
    st.fixed_dictionaries(
        {},
        optional={
            "messages": st.just(conversation("x")["messages"]) | VALUES,
            "intents": st.just([{"type": "semantic", "search": "x"}]) | VALUES,
            "knowledgeSourceParams": st.lists(_params, max_size=3) | VALUES,
            "retrievalReasoningEffort": st.fixed_dictionaries({"kind": st.sampled_from(WORDS)}) | VALUES,
            **dict.fromkeys(NAMES[9:13], _leaves),
        },
    )
    | VALUES
)


@pytest.mark.parametrize("version", VERSIONS)
@given(body=st.binary(max_size=40) | BODIES.map(lambda value: json.dumps(value).encode()))
@law(400)
def test_any_bytes_give_a_request_or_a_sentence_about_them(version: str, body: bytes) -> None:
    try:
        request = spoken(version).parse(body, BASE, user_token=None)
    except BadRequest as error:
        answer = render_error(error)
        assert answer.status == 400
        assert json.loads(answer.content)["error"]["message"]
    else:
        assert isinstance(request, RetrievalRequest)
        assert request.messages or request.queries
        assert not all(target.never for target in request.targets)
