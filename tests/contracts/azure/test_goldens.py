"""A golden for each version since 2025-08-01-preview: its captured request is accepted, its published answer rebuilt.

Requests are those that the published clients sent to a stub (captured): azure-search-documents 11.7.0b1, 11.7.0b2,
12.0.0, 12.1.0b1, 12.1.0b2; that of 2026-10-01 has the members of the specification's example `KnowledgeBaseRetrieve`,
that of 2026-11-01-preview is our decision. Answers have the numbers of published runs, named at each, in the members of
the clients' models or of the specification; `threshold`, `dropped`, `plannedBy`, `writtenBy`, `selected` and
`isSufficient` are our decision.
"""

import json
from dataclasses import replace
from typing import Any, Final

import pytest

from retrieval.contracts.rendered import pieces
from retrieval.contracts.served_versions import contract
from retrieval.filters import odata
from retrieval.model.activity import Activity, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Agent, Effort, Target
from retrieval.model.retrieval import Address, Grounding, Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import Hit, Searched, SearchTarget, Subquery
from tests.contracts.azure.versions import BASES, MODEL, NOW, ONE, VERSIONS, golden, parsed, rendered, since, spoken

HELLO: Final = (
    b'{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "be nice"}]}, '
    b'{"role": "user", "content": [{"type": "text", "text": "hello \\u00e9"}]}]'
)

CAPTURED: Final[dict[str, bytes]] = {
    "2025-08-01-preview": HELLO
    + b', "knowledgeSourceParams": [{"knowledgeSourceName": "ks", "kind": "searchIndex", '
    + b'"filterAddOn": "a eq \'b\'"}]}',
    "2025-11-01-preview": b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "hello \\u00e9"}]}], '
    b'"maxRuntimeInSeconds": 30, "maxOutputSize": 6000, "retrievalReasoningEffort": {"kind": "low"}, '
    b'"includeActivity": true, "outputMode": "extractiveData", "knowledgeSourceParams": [{"knowledgeSourceName": "ks", '
    b'"includeReferences": true, "includeReferenceSourceData": true, "rerankerThreshold": 2.5, "kind": "searchIndex", '
    b'"filterAddOn": "a eq \'b\'"}]}',
    "2026-04-01": b'{"maxRuntimeInSeconds": 30, "includeActivity": true, "knowledgeSourceParams": '
    b'[{"knowledgeSourceName": "ks", "filterAddOn": "a eq \'b\'", "includeReferences": true, '
    b'"includeReferenceSourceData": true, "rerankerThreshold": 2.5, "kind": "searchIndex"}], '
    b'"intents": [{"search": "hello \\u00e9", "type": "semantic"}], "maxOutputSizeInTokens": 6000}',
}
_LATER: Final = (
    CAPTURED["2025-11-01-preview"][:-3]
    + b', "failOnError": false, "maxOutputDocuments": 50, "enableImageServing": false}], "maxOutputDocuments": 8, '
    + b'"maxOutputSizeInTokens": 7000}'
)
CAPTURED["2026-05-01-preview"] = _LATER.replace(b'"filterAddOn"', b'"alwaysQuerySource": true, "filterAddOn"')
CAPTURED["2026-08-01-preview"] = _LATER.replace(
    b'"filterAddOn"',
    b'"neverQuerySource": false, "resultsProcessing": "rerank", "queryHintOverrides": {"filters": [{"field": "State", '
    b'"fieldValues": ["VA"], "filterInstructions": "The state."}], "boosts": [{"kind": "multiWordExpression", '
    b'"boost": 2.0}]}, "filterAddOn"',
).replace(b'"kind": "low"', b'"kind": "auto"')
CAPTURED["2026-10-01"] = (
    b'{"messages": [{"content": [{"type": "text", "text": "hello \\u00e9"}]}], "maxRuntimeInSeconds": 30, '
    b'"maxOutputSizeInTokens": 7000, "retrievalReasoningEffort": {"kind": "low"}, "includeActivity": true, '
    b'"outputMode": "answerSynthesis", "knowledgeSourceParams": [{"knowledgeSourceName": "ks", "kind": "searchIndex", '
    b'"includeReferences": true, "includeReferenceSourceData": true, "rerankerThreshold": 2.5, '
    b'"alwaysQuerySource": true, "filterAddOn": "a eq \'b\'"}]}'
)
CAPTURED["2026-11-01-preview"] = CAPTURED["2026-08-01-preview"][:-1] + b', "agentRuntimeGraphParams": null}'


@pytest.mark.parametrize("version", VERSIONS)
def test_the_request_that_the_published_client_sends_is_accepted(version: str) -> None:
    request = parsed(version, CAPTURED[version], ONE)
    [target] = request.targets
    assert target.filter is not None and odata.text(target.filter) == "a eq 'b'"
    assert "hello é" in (*request.queries, *(message.text for message in request.messages))
    if version in BASES:
        assert request.limits.runtime == 30
        assert target.include_source_data and target.include_references
        assert target.threshold == 2.5


@pytest.mark.parametrize(
    ("version", "tokens"),
    [
        ("2025-08-01-preview", 5000),
        ("2025-11-01-preview", 6000),
        ("2026-04-01", 6000),
        ("2026-05-01-preview", 7000),
        ("2026-08-01-preview", 7000),
        ("2026-10-01", 7000),
        ("2026-11-01-preview", 7000),
    ],
)
def test_the_size_that_names_tokens_wins(version: str, tokens: int) -> None:
    assert parsed(version, CAPTURED[version], ONE).limits.output_tokens == tokens


TARGET: Final = SearchTarget(
    index="earth_at_night", source="earth-at-night", threshold=2.5, source_fields=("title",), search_fields=("content",)
)
PAGE_104, PAGE_105 = (
    Hit(
        key=f"earth_at_night_508_page_{page}_verbalized",
        score=score,
        title="Earth at Night",
        content="Lights.",
        source={"id": f"earth_at_night_508_page_{page}_verbalized", "title": "Earth at Night"},
    )
    for page, score in ((104, 3.5), (105, 2.7))
)


def run(
    *counts: int,
    tokens: int,
    effort: Effort = "low",
    planned: bool = True,
    written: str | None = None,
    by: Any = "model",
    address: Address | None = None,
    below: int = 0,
) -> Outcome:
    """The outcome of a run that found so many documents in its searches; the last two of the first are returned.

    Documents of the first search that were `below` its threshold have a warning.
    """
    searches = tuple(
        SearchActivity(
            searched=Searched(
                subquery=Subquery(search=f"search {n}", target=TARGET), started_at=NOW, elapsed_ms=494 + n
            ),
            found=count,
            dropped={"threshold": below} if below and not n else {},
        )
        for n, count in enumerate(counts)
    )
    planning = StepActivity(
        step="plan",
        by="model",
        prompt="plan-6",
        elapsed_ms=2396,
        started_at=NOW,
        model=MODEL,
        input_tokens=1261,
        output_tokens=270,
    )
    synthesis = StepActivity(
        step="answer",
        by="model",
        prompt="answer-1",
        elapsed_ms=3837,
        started_at=NOW,
        model=MODEL,
        input_tokens=4000,
        output_tokens=60,
    )
    activity: tuple[Activity, ...] = (
        *((planning,) if planned else ()),
        *searches,
        RankerActivity(input_tokens=tokens, elapsed_ms=495, started_at=NOW, effort=effort, by=by),
        *((synthesis,) if written else ()),
    )
    return Outcome(
        request=RetrievalRequest(
            messages=(),
            targets=(TARGET,),
            effort=effort,
            limits=Limits(output_tokens=5_000, runtime=60.0),
            address=address,
        ),
        grounding=Grounding(text='[{"ref_id":0,"content":"Lights."}]', included=(0, 1)),
        references=tuple(Reference(hit=hit, target=TARGET, subquery=0) for hit in (PAGE_104, PAGE_105)),
        activity=activity,
        answer=written,
    )


HOST: Final = "https://search.example"
CITED: Final = f"{HOST}/indexes/earth_at_night/docs/{{key}}?$select=title&api-version={{version}}&allowUnsafeKeys=true"


def cited(version: str) -> Address:
    return Address(endpoint=HOST, version=version)


def answer(
    text: str,
    activity: list[dict[str, Any]],
    *,
    source: int,
    version: str | None = None,
    role: str | None = None,
    titled: bool = False,
) -> dict[str, Any]:
    """`version` is there for one whose references have the address of their document and its title, `titled` for one
    with titles alone, `role` for one whose message has a role."""
    references = [
        {
            "type": "searchIndex",
            "id": str(n),
            "activitySource": source,
            "docKey": hit.key,
            "rerankerScore": hit.score,
            "sourceData": None,
            **({} if version is None else {"citationUrl": CITED.format(key=hit.key, version=version)}),
            **({"title": "Earth at Night"} if titled or version else {}),
        }
        for n, hit in enumerate((PAGE_104, PAGE_105))
    ]
    return {
        "response": [{**({} if role is None else {"role": role}), "content": [{"type": "text", "text": text}]}],
        "activity": activity,
        "references": references,
    }


EXTRACTED: Final = '[{"ref_id":0,"content":"Lights."}]'
ARGUMENTS: Final = {
    "filter": None,
    "sourceDataFields": [{"name": "title"}],
    "searchFields": [{"name": "content"}],
    "semanticConfigurationName": None,
}
MODELS: Final = {"modelName": "gpt-5-mini", "deploymentId": "planner"}


def at(milliseconds: int, *, digits: int = 7) -> str:
    """A time after 2026-03-01T09:30: real answers have three digits of a second up to 2025, and seven since 2026."""
    return f"2026-03-01T09:30:{milliseconds // 1000:02}.{milliseconds % 1000:03}{'0' * (digits - 3)}Z"


def searched(id: int, n: int, count: int, *, digits: Any = 7, **members: Any) -> dict[str, Any]:
    """A record as 2025-08-01-preview has it, and further members. `queryTime` is the end of the search."""
    return {
        "type": "searchIndex",
        "id": id,
        "knowledgeSourceName": "earth-at-night",
        "queryTime": at(744 + n, digits=digits),
        "count": count,
        "elapsedMs": 494 + n,
        "threshold": {"value": 2.5, "setBy": "version"},
        "dropped": {},
        "searchIndexArguments": {"search": f"search {n}", "filter": None},
        **members,
    }


def arguments(n: int, **members: Any) -> dict[str, Any]:
    return {"searchIndexArguments": {"search": f"search {n}", **ARGUMENTS, **members}}


def reasoning(id: int, tokens: int, effort: str, **members: Any) -> dict[str, Any]:
    return {
        "type": "agenticReasoning",
        "id": id,
        "reasoningTokens": tokens,
        "retrievalReasoningEffort": {"kind": effort},
        "elapsedMs": 495,
        "plannedBy": "model",
        **members,
    }


def by_model(kind: str, id: int, elapsed: int, taken: int, given: int, **members: Any) -> dict[str, Any]:
    return {"type": kind, "id": id, "inputTokens": taken, "outputTokens": given, "elapsedMs": elapsed, **members}


def planning(**members: Any) -> dict[str, Any]:
    return by_model("modelQueryPlanning", 0, 2396, 1261, 270, **members)


def synthesis(id: int, **members: Any) -> dict[str, Any]:
    return by_model("modelAnswerSynthesis", id, 3837, 4000, 60, writtenBy="model", **members)


def only_specified(record: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A record without our own members, and further ones."""
    ours = ("threshold", "dropped", "plannedBy", "writtenBy", "selected", "isSufficient")
    return {name: value for name, value in record.items() if name not in ours} | members


def took(milliseconds: int) -> dict[str, str]:
    return {"startedAt": at(250), "completedAt": at(milliseconds)}


GOLDENS: Final[dict[str, tuple[Outcome, dict[str, Any]]]] = {
    # The transcript of the how-to ("earth at night", 1261 and 270 tokens, counts 0, 2, 0, ranked 2622), with the names
    # of azure-search-documents 11.7.0b1.
    "2025-08-01-preview": (
        run(2, 0, tokens=2622),
        answer(
            EXTRACTED,
            [
                planning(),
                searched(1, 0, 2, digits=3),
                searched(2, 1, 0, digits=3),
                {"type": "semanticReranker", "id": 3, "inputTokens": 2622, "elapsedMs": 495, "plannedBy": "model"},
            ],
            source=1,
            role="assistant",
        ),
    ),
    # The run of the how-to of 02/12/2026: counts 26 and 17, reasoningTokens 103368, an answer within 3837 ms.
    "2025-11-01-preview": (
        run(26, 17, tokens=103_368, written="Lights [ref_id:0]."),
        answer(
            "Lights [ref_id:0].",
            [
                planning(),
                searched(1, 0, 26, digits=3, **arguments(0)),
                searched(2, 1, 17, digits=3, **arguments(1)),
                reasoning(3, 103_368, "low"),
                synthesis(4),
            ],
            source=1,
        ),
    ),
    # The example of the REST specification: intents, a search with the id 0, reasoningTokens 37, scores 3.5 and 2.7.
    "2026-04-01": (
        run(2, tokens=37, effort="minimal", planned=False, by="rules"),
        answer(
            EXTRACTED,
            [searched(0, 0, 2, **arguments(0)), reasoning(1, 37, "minimal", plannedBy="rules")],
            source=0,
        ),
    ),
    # A live call (medium, answerSynthesis, reasoningTokens 10155), with the names of azure-search-documents 12.1.0b1.
    "2026-05-01-preview": (
        run(12, tokens=10_155, effort="medium", written="Lights [ref_id:0]."),
        answer(
            "Lights [ref_id:0].",
            [
                planning(modelName="gpt-5-mini"),
                searched(1, 0, 12, **arguments(0)),
                reasoning(2, 10_155, "medium"),
                synthesis(3, modelName="gpt-5-mini"),
            ],
            source=1,
            titled=True,
        ),
    ),
    # The same call, with the names of azure-search-documents 12.1.0b2, `citationUrl` among them.
    "2026-08-01-preview": (
        run(12, tokens=10_155, effort="medium", written="Lights [ref_id:0].", address=cited("2026-08-01-preview")),
        answer(
            "Lights [ref_id:0].",
            [
                planning(model=MODELS, **took(2646)),
                searched(1, 0, 12, **arguments(0, queryType="semantic"), **took(744)),
                reasoning(2, 10_155, "medium", logicalReasoningEffort={"kind": "medium"}, **took(745)),
                synthesis(3, model=MODELS, **took(4087)),
            ],
            source=1,
            version="2026-08-01-preview",
        ),
    ),
    # The example KnowledgeBaseRetrieve of the specification: two searches, of which the first has a warning,
    # reasoningTokens 74, an answer, scores 3.5 and 2.7, a citationUrl.
    "2026-10-01": (
        run(12, 0, tokens=74, written="Lights [ref_id:0].", address=cited("2026-10-01"), below=10),
        answer(
            "Lights [ref_id:0].",
            [
                planning(model=MODELS, **took(2646)),
                only_specified(
                    searched(1, 0, 2, **arguments(0), **took(744)),
                    warning="Documents below the threshold of 2.5: 10.",
                ),
                only_specified(searched(2, 1, 0, **arguments(1), **took(745))),
                only_specified(reasoning(3, 74, "low", **took(745))),
                only_specified(synthesis(4, model=MODELS, **took(4087))),
            ],
            source=1,
            version="2026-10-01",
        ),
    ),
}
# Our decision until its specification is public: the members of 2026-08-01-preview.
GOLDENS["2026-11-01-preview"] = (
    run(12, tokens=10_155, effort="medium", written="Lights [ref_id:0].", address=cited("2026-11-01-preview")),
    answer("Lights [ref_id:0].", GOLDENS["2026-08-01-preview"][1]["activity"], source=1, version="2026-11-01-preview"),
)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_published_run_is_answered_in_the_members_of_the_version(version: str) -> None:
    outcome, expected = GOLDENS[version]
    assert rendered(version, outcome) == expected
    assert spoken(version).render(outcome).status == 200


@pytest.mark.parametrize("version", VERSIONS)
def test_the_type_and_the_id_come_first_as_in_real_answers(version: str) -> None:
    body = rendered(version, golden(GOLDENS, version)[0])
    for members in (*body["activity"], *body["references"]):
        assert list(members)[:2] == ["type", "id"]


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_found_is_an_empty_array_and_no_references(version: str) -> None:
    outcome, _ = golden(GOLDENS, version)
    nothing = replace(outcome, references=(), answer=None, grounding=Grounding(text="[]", included=()))
    body = rendered(version, nothing)
    assert body["response"][0]["content"][0]["text"] == "[]"
    assert body["references"] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_without_a_stored_source_has_the_implicit_one_of_its_index(version: str) -> None:
    [target] = parsed(version, golden(CAPTURED, version), Agent(name="kb1", targets=(Target(index="ks"),))).targets
    assert (target.index, target.source, target.kind) == ("ks", "ks", "searchIndex")


def test_intents_alone_are_minimal_as_in_the_example_of_the_specification() -> None:
    """`KnowledgeBaseRetrieveWithIntents`, 2026-10-01: intents, effort minimal, a search with the id 0, 37 tokens."""
    outcome = run(2, tokens=37, effort="minimal", planned=False, by="rules", address=cited("2026-10-01"))
    records = [
        only_specified(searched(0, 0, 2, **arguments(0), **took(744))),
        only_specified(reasoning(1, 37, "minimal", **took(745))),
    ]
    assert rendered("2026-10-01", outcome) == answer(EXTRACTED, records, source=0, version="2026-10-01")


@pytest.mark.parametrize("version", since("2026-11-01-preview", "2026-10-01"))
def test_the_last_events_are_in_the_order_of_the_example_of_the_specification(version: str) -> None:
    """`KnowledgeBaseRetrieveStream`, 2026-10-01: the answer, the references, then all of it with its status."""
    events = contract("knowledgebases", version).events
    assert events is not None
    outcome, whole = golden(GOLDENS, version)
    texts = [b"".join(pieces(part)).decode() for part in events.last_events(outcome)]
    parts = [text.removesuffix("\n\n").split("\ndata: ") for text in texts]
    assert [(name.removeprefix("event: "), json.loads(data)) for name, data in parts] == [
        ("answer.completed", {"messageIndex": 0, "message": whole["response"][0]}),
        ("references.completed", whole["references"]),
        ("response.completed", {"statusCode": 200, "response": whole}),
    ]
