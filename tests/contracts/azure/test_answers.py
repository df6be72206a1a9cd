"""What an outcome looks like in each version, and that no version loses what it can say."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BackendThrottled, BackendTimeout, BadModelReply
from retrieval.filters import odata
from retrieval.model.activity import (
    Activity,
    By,
    DropReason,
    RankerActivity,
    SearchActivity,
    StepActivity,
)
from retrieval.model.definitions import Effort
from retrieval.model.retrieval import Grounding, Outcome, Reference
from retrieval.model.search import Boost, Hit, Page, Recall, Searched, SearchTarget, Subquery
from tests.contracts.answer.answers import NOW, counts, many, milliseconds
from tests.contracts.azure.versions import (
    BASES,
    EVERYTHING,
    FIRST,
    KS,
    LATEST,
    LIMITED,
    MODEL,
    PRESS,
    SPECIFIED,
    STUDIO,
    VERSIONS,
    rendered,
    search,
    spoken,
)
from tests.laws import law
from tests.rooms import NEEDS_BASES_OF_STUDIO

OURS: Final = {"threshold", "dropped", "guessed", "plannedBy", "writtenBy", "selected", "isSufficient"}

SEARCH: Final = {"id", "type", "elapsedMs", "knowledgeSourceName", "queryTime", "count", "searchIndexArguments"}
TOKENS: Final = {"id", "type", "elapsedMs", "inputTokens", "outputTokens"}
REASONING: Final = {"id", "type", "elapsedMs", "reasoningTokens", "retrievalReasoningEffort"}
TIMES: Final = {"startedAt", "completedAt"}
CLIENTS: Final[dict[str, dict[str, set[str]]]] = {
    "2025-08-01-preview": {
        "searchIndex": SEARCH | {"error"},
        "modelQueryPlanning": TOKENS | {"error"},
        "semanticReranker": {"id", "type", "elapsedMs", "inputTokens", "warning"},
        "modelAnswerSynthesis": TOKENS | {"error"},
    },
    "2025-11-01-preview": {
        "searchIndex": SEARCH | {"error"},
        "modelQueryPlanning": TOKENS | {"error"},
        "agenticReasoning": REASONING | {"warning"},
        "modelAnswerSynthesis": TOKENS | {"error"},
    },
    "2026-04-01": {"searchIndex": SEARCH | {"error"}, "agenticReasoning": REASONING | {"warning"}},
    "2026-05-01-preview": {
        "searchIndex": SEARCH | {"error", "warning"},
        "modelQueryPlanning": TOKENS | {"error", "modelName"},
        "agenticReasoning": REASONING | {"warning"},
        "modelAnswerSynthesis": TOKENS | {"error", "warning", "modelName"},
    },
    "2026-08-01-preview": {
        "searchIndex": SEARCH | TIMES | {"error", "warning"},
        "modelQueryPlanning": TOKENS | TIMES | {"error", "model"},
        "agenticReasoning": REASONING | TIMES | {"warning", "logicalReasoningEffort"},
        "modelAnswerSynthesis": TOKENS | TIMES | {"error", "warning", "model"},
    },
    "2026-10-01": {
        "searchIndex": SEARCH | TIMES | {"error", "warning"},
        "modelQueryPlanning": TOKENS | TIMES | {"error", "model"},
        "agenticReasoning": REASONING | TIMES | {"warning"},
        "modelAnswerSynthesis": TOKENS | TIMES | {"error", "warning", "model"},
    },
}
CLIENTS["2026-11-01-preview"] = CLIENTS["2026-08-01-preview"]
"""Members that a run can have of those that the models of the published clients declare: azure-search-documents
11.7.0b1, 11.7.0b2, 12.0.0 (with the REST examples of 2026-04-01), 12.1.0b1, 12.1.0b2; of 2026-10-01 those of the
specification. Our decision are the `error` of
2025-08-01-preview and the `warning` of the ranking before 2026-05-01-preview."""


def texts(body: Any) -> list[str]:
    return [content["text"] for message in body["response"] for content in message["content"]]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_records_of_a_run_have_the_members_that_the_client_declares_and_ours(version: str) -> None:
    found: dict[str, set[str]] = {}
    for record in rendered(version, EVERYTHING)["activity"]:
        assert version not in SPECIFIED or OURS.isdisjoint(record)
        names = {"searchIndexArguments" if name == "modelStudioBaseArguments" else name for name in record}
        found.setdefault(record["type"].replace("modelStudioBase", "searchIndex"), set()).update(names - OURS)
    assert found == CLIENTS[version]


NORTH: Final = odata.read("region eq 'north'")
FILTERED: Final = replace(KS, filter=odata.read("a eq 'b' and region eq 'north'"), generated=NORTH)
BOOSTED: Final = replace(KS, boosts=(Boost(field="language", values=("ja-JP",), factor=2.0),))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_search_tells_what_a_plan_made_of_query_hints(version: str) -> None:
    """Documented for 2026-08-01-preview ("Query a knowledge base", September 2026): the clause, and the type `full`."""
    activity = [SearchActivity(searched=search(one), found=0, dropped={}) for one in (KS, FILTERED, BOOSTED)]
    body = rendered(version, replace(EVERYTHING, references=(), activity=tuple(activity)))
    arguments = [one["searchIndexArguments"] for one in body["activity"]]
    assert [one["filter"] for one in arguments] == ["a eq 'b'", "a eq 'b' and region eq 'north'", "a eq 'b'"]
    assert arguments[2]["search"] == r"+(words for ks) language:(ja\-JP)^2"
    told = [one.get("queryHintProcessing") for one in body["activity"]]
    if version not in LATEST:
        assert told == [None] * 3
        return
    assert told == [None, {"generatedFilter": "region eq 'north'"}, {"generatedBoost": r"language:(ja\-JP)^2"}]
    assert [one["queryType"] for one in arguments] == ["semantic", "semantic", "full"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_search_that_a_reference_names_is_in_the_activity(version: str) -> None:
    body = rendered(version, EVERYTHING)
    found = {record["id"]: record["knowledgeSourceName"] for record in body["activity"] if "count" in record}
    assert [found[reference["activitySource"]] for reference in body["references"]] == ["ks", "bailian", "press"]


@pytest.mark.parametrize("version", VERSIONS)
def test_searches_that_follow_a_second_planning_are_named_by_their_place(version: str) -> None:
    planning, first, second, *rest = EVERYTHING.activity
    body = rendered(version, replace(EVERYTHING, activity=(planning, first, planning, second, *rest)))
    assert [reference["activitySource"] for reference in body["references"]] == [1, 4, 3]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_count_is_of_documents_that_passed_the_threshold(version: str) -> None:
    first, second, third = (one for one in rendered(version, EVERYTHING)["activity"] if "count" in one)
    assert (first["count"], second["count"], third["count"]) == (6, 17, 1)
    assert version in SPECIFIED or first["dropped"] == {"threshold": 20, "duplicate": 5}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_document_that_was_not_ranked_has_no_score(version: str) -> None:
    scores = [reference.get("rerankerScore") for reference in rendered(version, EVERYTHING)["references"]]
    assert scores == [3.5, 2.7, None]
    assert rendered(version, EVERYTHING)["references"][2]["rerankerScore"] is None


@pytest.mark.parametrize("version", VERSIONS)
def test_source_data_is_what_the_source_shows_with_the_semantic_fields_or_up_to_2025_08_the_key(version: str) -> None:
    shown = [reference["sourceData"] for reference in rendered(version, EVERYTHING)["references"]]
    resolved = {"headline": "Strike", "body": "…"} if version in BASES else {"id": "p7", "headline": "Strike"}
    assert shown == [{"id": "k1", "title": "River"}, None, resolved]


@pytest.mark.parametrize("version", VERSIONS)
def test_references_of_a_target_that_lists_none_are_left_out_and_the_others_keep_their_ids(version: str) -> None:
    first, second, third = EVERYTHING.references
    silent = second._replace(target=replace(STUDIO, include_references=False))
    body = rendered(version, replace(EVERYTHING, references=(first, silent, third)))
    assert [reference["id"] for reference in body["references"]] == ["0", "2"]


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", VERSIONS)
def test_a_source_of_our_own_kind_is_called_by_it(version: str) -> None:
    body = rendered(version, EVERYTHING)
    assert [reference["type"] for reference in body["references"]] == ["searchIndex", "modelStudioBase", "searchIndex"]
    [record] = [one for one in body["activity"] if one["type"] == "modelStudioBase"]
    assert record["modelStudioBaseArguments"] == {"search": "words for bailian", "filter": None}


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", BASES)
def test_the_arguments_say_what_was_searched_where_and_shown(version: str) -> None:
    ks, press = (
        one["searchIndexArguments"] for one in rendered(version, EVERYTHING)["activity"] if "Index" in one["type"]
    )
    ks.pop("queryType", None), press.pop("queryType", None)
    assert ks == {
        "search": "words for ks",
        "filter": "a eq 'b'",
        "sourceDataFields": [{"name": name} for name in ("title", "content", "summary", "terms", "id")],
        "searchFields": [],
        "semanticConfigurationName": "usual",
    }
    assert press == {
        "search": "words for press",
        "filter": None,
        "sourceDataFields": [{"name": "headline"}, {"name": "body"}],
        "searchFields": [{"name": "body"}],
        "semanticConfigurationName": "news",
    }


@pytest.mark.parametrize("version", BASES)
def test_the_arguments_are_resolved_where_nothing_was_found_too(version: str) -> None:
    nothing = SearchActivity(searched=search(KS), found=0, dropped={})
    [record] = rendered(version, replace(EVERYTHING, activity=(nothing,), references=()))["activity"]
    resolved = [field["name"] for field in record["searchIndexArguments"]["sourceDataFields"]]
    assert resolved == ["title", "content", "summary", "terms", "id"]
    assert record["searchIndexArguments"]["semanticConfigurationName"] == "usual"


@pytest.mark.parametrize("version", VERSIONS)
def test_references_of_an_index_have_a_title_since_2026_05_of_a_chunk_the_file_with_its_heading(version: str) -> None:
    first = EVERYTHING.references[0]
    chunk = replace(EVERYTHING, references=(first._replace(hit=first.hit._replace(label="a.md, Roads")),))
    titles = [rendered(version, outcome)["references"][0].get("title") for outcome in (EVERYTHING, chunk)]
    assert titles == (["River", "a.md, Roads"] if version in LIMITED else [None, None])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_record_says_which_threshold_applied_and_what_stated_it(version: str) -> None:
    def threshold(target: SearchTarget) -> Any:
        record = SearchActivity(searched=search(target), found=0, dropped={})
        return rendered(version, replace(EVERYTHING, activity=(record,), references=()))["activity"][0].get("threshold")

    unranked = replace(KS, recall=Recall(rerank=False))
    shown = [threshold(target) for target in (KS, replace(KS, threshold=0, threshold_by="request"), unranked)]
    ours = [{"value": 2.5, "setBy": "version"}, {"value": 0, "setBy": "request"}, None]
    assert shown == ([None, None, None] if version in SPECIFIED else ours)


@pytest.mark.parametrize("version", LATEST)
def test_the_latest_says_how_a_query_was_read_and_which_effort_was_asked_for(version: str) -> None:
    plain = replace(KS, recall=Recall(rerank=False))
    search = SearchActivity(
        searched=Searched(subquery=Subquery(search="x", target=plain), started_at=NOW, elapsed_ms=1),
        found=0,
        dropped={},
    )
    ranking = RankerActivity(input_tokens=0, elapsed_ms=1, effort="medium")
    asked = replace(EVERYTHING.request, effort="auto")
    outcome = replace(EVERYTHING, request=asked, activity=(search, ranking), references=())
    record, reasoning = rendered(version, outcome)["activity"]
    assert record["searchIndexArguments"]["queryType"] == "simple"
    assert reasoning["logicalReasoningEffort"] == {"kind": "auto"}
    assert reasoning["retrievalReasoningEffort"] == {"kind": "medium"}
    assert "startedAt" not in reasoning


@pytest.mark.parametrize("version", LIMITED)
def test_a_warning_says_what_was_left_out_and_why(version: str) -> None:
    planning, first, second, *_, ranking, synthesis = rendered(version, EVERYTHING)["activity"]
    assert "warning" not in planning
    assert first["warning"] == "Documents below the threshold of 2.5: 20."
    assert second["warning"] == "Documents that did not fit into the output's tokens: 16."
    assert (ranking["warning"], synthesis["warning"]) == ("Too few.", "One citation was taken out.")


@pytest.mark.parametrize("version", [version for version in VERSIONS if version not in SPECIFIED])
def test_the_ranking_says_what_a_model_selected_and_whether_it_suffices(version: str) -> None:
    [ranking] = [one for one in rendered(version, EVERYTHING)["activity"] if "selected" in one]
    assert (ranking["selected"], ranking["isSufficient"]) == (["2", "0"], True)


@NEEDS_BASES_OF_STUDIO
@pytest.mark.parametrize("version", VERSIONS)
def test_a_failed_search_has_its_error_and_the_answer_is_partial_where_the_version_knows_that(version: str) -> None:
    [failed] = [one for one in rendered(version, EVERYTHING)["activity"] if one["type"] == "modelStudioBase"]
    assert failed["error"]["code"] == "BackendTimeout"
    assert spoken(version).render(EVERYTHING).status == (206 if version in BASES else 200)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_failed_model_is_told_of_and_the_answer_is_whole(version: str) -> None:
    activity = tuple(
        replace(one, searched=replace(one.searched, error=None)) if isinstance(one, SearchActivity) else one
        for one in EVERYTHING.activity
    )
    outcome = replace(EVERYTHING, activity=activity)
    assert spoken(version).render(outcome).status == 200
    told = [one["error"]["code"] for one in rendered(version, outcome)["activity"] if "error" in one]
    assert told == ([] if version == "2026-04-01" else ["BackendThrottled", "BackendThrottled"])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_text_is_the_answer_that_was_written_or_else_the_documents(version: str) -> None:
    assert texts(rendered(version, EVERYTHING)) == ["Roads follow rivers [ref_id:0]."]
    assert texts(rendered(version, replace(EVERYTHING, answer=None))) == ['[{"ref_id":0,"content":"A river."}]']


@pytest.mark.parametrize("version", VERSIONS)
def test_no_activity_is_told_to_a_caller_who_wants_none(version: str) -> None:
    body = rendered(version, replace(EVERYTHING, request=replace(EVERYTHING.request, include_activity=False)))
    assert body.keys() == {"response", "references"}


words: Final = st.text(max_size=8)
_values = st.none() | st.booleans() | st.integers() | st.floats() | words
_hits: Final = st.builds(
    Hit,
    key=words,
    score=st.none() | st.floats(0, 4),
    source=st.dictionaries(st.sampled_from(["id", "title", "headline", "x"]), _values, max_size=3),
)
_targets: Final = st.builds(
    replace,
    st.sampled_from([KS, PRESS, STUDIO]),
    include_source_data=st.booleans(),
    recall=st.builds(Recall, rerank=st.booleans()),
    threshold=st.floats(0, 4),
)
_moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
_errors = st.none() | st.just(BackendTimeout("It", seconds=3)) | st.just(BackendThrottled("It"))
_failures = _errors | st.just(BadModelReply("it is empty"))
_drops = st.dictionaries(st.sampled_from(get_args(DropReason)), st.integers(0, 9), max_size=3)
_by = st.sampled_from(get_args(By))
_efforts = st.sampled_from(get_args(Effort))
_models = st.none() | st.just(MODEL) | st.just(replace(MODEL, model_name=None))


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Outcomes of every kind: searches with and without planning and an answer, references of any of them."""
    searches = draw(
        st.lists(
            st.builds(
                SearchActivity,
                searched=st.builds(
                    Searched,
                    subquery=st.builds(Subquery, search=words, target=_targets),
                    page=st.builds(Page, hits=many(_hits, 2)),
                    error=_errors,
                    started_at=_moments,
                    elapsed_ms=milliseconds,
                ),
                found=st.integers(40, 90),
                dropped=_drops,
            ),
            min_size=1,
            max_size=4,
        )
    )
    times: dict[str, Any] = {"elapsed_ms": milliseconds, "started_at": st.none() | _moments}
    used: dict[str, Any] = {"input_tokens": counts, "output_tokens": counts, "model": _models, "error": _failures}
    planning = draw(st.none() | st.builds(StepActivity, step=st.just("plan"), by=st.just("model"), **times, **used))
    synthesis = draw(
        st.none() | st.builds(StepActivity, step=st.just("answer"), by=_by, notes=many(words, 2), **times, **used)
    )
    ranking = draw(
        st.builds(
            RankerActivity,
            input_tokens=counts,
            effort=_efforts,
            by=_by,
            selected=st.none() | many(st.integers(0, 9), 3),
            is_sufficient=st.none() | st.booleans(),
            warning=st.none() | words,
            **times,
        )
    )
    places = st.integers(0, len(searches) - 1)
    references = draw(
        many(
            st.builds(
                lambda at, hit: Reference(hit=hit, target=searches[at].searched.subquery.target, subquery=at),
                places,
                _hits,
            ),
            5,
        )
    )
    steps = (planning, *searches, ranking, synthesis)
    return Outcome(
        request=replace(EVERYTHING.request, effort=draw(_efforts)),
        grounding=Grounding(text=draw(words), included=()),
        references=references,
        activity=tuple(step for step in steps if step is not None),
        answer=draw(st.none() | words),
    )


Said: TypeAlias = dict[tuple[str, str, str], Any]
"""What an answer says: by kind of thing, id and member."""

CHANGED: Final = {
    ("SearchActivitysearchIndex", "count"),
    ("SearchActivitymodelStudioBase", "count"),
    ("reference", "sourceData"),
    ("text", "text"),
}
"""What 2025-05-01-preview means otherwise: it counts all documents, shows all of their fields, and writes no answer."""


UNRESOLVED: Final = frozenset({("reference", "sourceData")})
"""What 2025-08-01-preview means otherwise: it shows the key, and no semantic fields."""


def said(version: str, outcome: Outcome) -> Said:
    """The answer laid flat. The types of things are left out: they are names that versions give."""
    body = rendered(version, outcome)
    found: Said = {("text", "", "text"): texts(body)}
    for reference in body["references"]:
        found |= _members("reference", reference)
    for record in body["activity"]:
        found |= _members(_step(outcome.activity[record["id"]]), _flat(record))
    changed = CHANGED if version == FIRST else frozenset() if version in BASES else UNRESOLVED
    return {at: value for at, value in found.items() if (at[0], at[2]) not in changed}


def _step(activity: Activity) -> str:
    kind = activity.searched.subquery.target.kind if isinstance(activity, SearchActivity) else ""
    step = activity.step if isinstance(activity, StepActivity) else ""
    return f"{type(activity).__name__}{kind}{step}"


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """What a version nests is beside the others, and the tokens of a ranking have one name."""
    nested = ("query", "searchIndexArguments", "modelStudioBaseArguments", "model")
    flat = {name: value for name, value in record.items() if name not in nested}
    if "Reranker" in record["type"] or "Ranker" in record["type"]:
        flat["reasoningTokens"] = flat.pop("inputTokens")
    return {**flat, **{name: value for one in nested for name, value in record.get(one, {}).items()}}


def _members(kind: str, members: dict[str, Any]) -> Said:
    return {(kind, str(members["id"]), name): _moment(name, value) for name, value in members.items() if name != "type"}


def _moment(name: str, value: Any) -> Any:
    """Versions since 2026 write seven digits of a second, earlier ones three."""
    return value[: len("2026-03-01T09:30:00.250")] if name in {"queryTime", "startedAt", "completedAt"} else value


ABLE: Final = {
    version: frozenset((kind, name) for kind, _, name in said(version, EVERYTHING)) for version in (FIRST, *VERSIONS)
}
"""The members that a version has: those that it says of an outcome that has everything."""


@given(outcome=outcomes())
@law(200)
def test_no_version_loses_what_it_and_another_can_say(outcome: Outcome) -> None:
    told = {version: said(version, outcome) for version in ABLE}
    for version, heard in told.items():
        for other in told.values():
            lost = {
                at: value
                for at, value in other.items()
                if (at[0], at[2]) in ABLE[version] and (at not in heard or heard[at] != value)
            }
            assert lost == {}, version
