"""Captions and answers of semantic searches, and what comes when the ranker is away."""

from typing import Any

import pytest
from azure.search.documents import SearchClient
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.api import responses, searching
from retrieval.local.search_service.errors import SearchServiceError
from retrieval.local.search_service.features import captions
from retrieval.local.search_service.features.additions import RankerAway
from retrieval.local.search_service.models.lexical_ranker import Ranker
from retrieval.local.search_service.query import options as search_options
from retrieval.local.wire import WireRequest, WireResponse
from tests.local.search_service.conftest import Send
from tests.local.search_service.models.test_lexical_ranker import CONFIGURATION, WORDS, documents, queries

SEARCH = "/indexes/boats/docs/search"
LAMP = "The lightship lay at anchor on the sandbank for forty winters, guiding ships with its lamp."


def semantic(send: Send, text: str, **options: Any) -> dict[str, Any]:
    answer = send("POST", SEARCH, {"search": text, "queryType": "semantic", **options})
    assert answer.status_code == 200, answer.text()
    found: dict[str, Any] = answer.json()
    return found


def test_a_caption_is_a_passage_with_the_words_of_the_query_marked(boats: SearchClient, send: Send) -> None:
    best = semantic(send, "lamp on a sandbank", captions="extractive")["value"][0]
    marked = LAMP.replace("sandbank", "<em>sandbank</em>").replace("lamp.", "<em>lamp</em>.")
    assert best["@search.captions"] == [{"text": LAMP, "highlights": marked}]
    plain = semantic(send, "lamp on a sandbank", captions="extractive|highlight-false")["value"][0]
    assert plain["@search.captions"] == [{"text": LAMP, "highlights": ""}]
    tags = {"highlightPreTag": "<b>", "highlightPostTag": "</b>"}
    bold = semantic(send, "lamp", captions="extractive|highlight-true", **tags)["value"][0]
    assert "its <b>lamp</b>." in bold["@search.captions"][0]["highlights"]
    assert "@search.captions" not in semantic(send, "lamp", captions="none")["value"][0]


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ({"captions": "extractive|highlight-True"}, {"captions": "extractive|highlight-true"}),
        ({"captions": "extractive|highlight-False"}, {"captions": "extractive|highlight-false"}),
        ({"captions": "Extractive"}, {"captions": "extractive"}),
        ({"captions": "None", "answers": "None"}, {}),
        ({"answers": "Extractive|Count-2,Threshold-0.1"}, {"answers": "extractive|count-2,threshold-0.1"}),
    ],
)
def test_captions_and_answers_are_read_without_case(
    boats: SearchClient, send: Send, written: dict[str, str], spelled: dict[str, str]
) -> None:
    question = "Which lamp is on the sandbank?"
    assert semantic(send, question, **written) == semantic(send, question, **spelled)


def test_the_sdk_reads_captions_and_answers(boats: SearchClient) -> None:
    pages = boats.search(
        "What did the ketch carry?",
        query_type="semantic",
        query_caption="extractive|highlight-false",
        query_answer="extractive|count-3,threshold-0.1",
    )
    found = pages.get_answers()
    assert found is not None
    assert [(one.key, one.score) for one in found] == [("1", 1.0)]
    assert (found[0].highlights or "").startswith("A wooden <em>ketch</em> that <em>carried</em> salt")
    (hit,) = pages
    assert hit["@search.captions"][0].text == found[0].text


def test_the_passage_that_says_most_is_chosen(boats: SearchClient, send: Send) -> None:
    filler = "Nothing is said in this sentence that anybody would ask about. " * 12
    story = f"{filler}Under the bridge the buoy rings a bell. {filler}The bell is old."
    boats.upload_documents([{"id": "9", "story": story}])
    text = semantic(send, "buoy bell", captions="extractive")["value"][0]["@search.captions"][0]["text"]
    assert text.startswith("Under the bridge the buoy rings a bell.")
    assert len(text) <= captions.PASSAGE


@given(queries, documents)
def test_captions_are_pieces_of_the_document_and_marks_change_nothing(query: str, document: dict[str, Any]) -> None:
    (question,) = Ranker(CONFIGURATION).questions(query, [(0, document)])
    passage = captions.best_passage(document, question, CONFIGURATION)
    texts = [text for value in document.values() for text in (value if isinstance(value, list) else [value])]
    if passage is None:
        assert not any(text.strip() for text in texts)
        return
    assert any(passage.verbatim in text for text in texts)
    assert passage.marked(("<em>", "</em>")).replace("<em>", "").replace("</em>", "") == passage.verbatim
    assert 0.0 <= passage.confidence <= 1.0
    assert len(passage.verbatim) <= captions.PASSAGE


def test_a_caption_marks_the_forms_of_a_word_in_the_language_of_the_document() -> None:
    story = "Im Hafen von Kap Weiler lagen während des Winters mehrere Lotsenboote, die nicht mehr ausliefen."
    (question,) = Ranker(CONFIGURATION).questions("Welche Häfen?", [(0, {"content": story})])
    passage = captions.best_passage({"content": story}, question, CONFIGURATION)
    assert passage is not None
    assert "<em>Hafen</em>" in passage.marked(("<em>", "</em>"))


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join))
def test_a_passage_that_says_everything_is_certain(query: str) -> None:
    document = {"content": f"Before. Here {query} is. After."}
    (question,) = Ranker(CONFIGURATION).questions(query, [(0, document)])
    passage = captions.best_passage(document, question, CONFIGURATION)
    assert passage is not None
    assert passage.confidence == (1.0 if question.weights else 0.0)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("what is a ketch", True),
        ("Who's there", True),
        ("a ketch?", True),
        ("How loud is it?", True),
        ("ketch", False),
        ("wooden ketch salt", False),
        ("whatever", False),
        ("isthmus ketch", False),
    ],
)
def test_a_question_is_known_by_its_first_word_or_its_last_sign(text: str, asks: bool) -> None:
    assert captions.is_question(text) is asks


@pytest.mark.parametrize("text", ["ketch salt", "what is a zebra?", "what is a ketch made of in Peru?"])
def test_there_are_no_answers_without_a_question_or_confidence(boats: SearchClient, send: Send, text: str) -> None:
    assert semantic(send, text, answers="extractive|count-5,threshold-0.9")["@search.answers"] == []


def test_answers_are_as_many_as_asked_for_the_surest_first(boats: SearchClient, send: Send) -> None:
    found = semantic(send, "what is wooden or has an engine?", answers="extractive|count-2,threshold-0")
    got = found["@search.answers"]
    assert [one["key"] for one in got] == ["1", "2"] or [one["key"] for one in got] == ["1", "4"]
    assert got[0]["score"] >= got[1]["score"]
    assert len(semantic(send, "what is wooden?", answers="extractive")["@search.answers"]) == 1
    assert "@search.answers" not in semantic(send, "what is wooden?")


def test_a_search_for_everything_has_neither(boats: SearchClient, send: Send) -> None:
    found = semantic(send, "*", answers="extractive", captions="extractive")
    assert found["@search.answers"] == []
    assert all("@search.captions" not in hit for hit in found["value"])


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ({"captions": "QueryCaptionType.EXTRACTIVE"}, "InvalidRequestParameter"),
        ({"captions": "extractive|highlight-maybe"}, "InvalidRequestParameter"),
        ({"captions": "extractive|highlight-true,maxCharLength-20"}, "UnsupportedByLocalSearch"),
        ({"answers": "QueryAnswerType.EXTRACTIVE"}, "InvalidRequestParameter"),
        ({"answers": "extractive|count-0"}, "InvalidRequestParameter"),
        ({"answers": "extractive|count-11"}, "InvalidRequestParameter"),
        ({"answers": "extractive|threshold-2"}, "InvalidRequestParameter"),
        ({"answers": "extractive|"}, "InvalidRequestParameter"),
        ({"answers": "extractive|maxcharlength-200"}, "UnsupportedByLocalSearch"),
        ({"answers": "extractive", "queryType": "simple"}, "InvalidRequestParameter"),
        ({"captions": "extractive", "queryType": "full"}, "InvalidRequestParameter"),
    ],
)
def test_options_that_are_wrong_are_refused(boats: SearchClient, send: Send, option: dict[str, Any], code: str) -> None:
    answer = send("POST", SEARCH, {"search": "lamp", "queryType": "semantic", **option})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def away(service: SearchService, reason: RankerAway, **options: Any) -> WireResponse:
    """The answer of a service whose ranker is away."""
    body = {"search": "what lamp?", "queryType": "semantic", **options}
    index = service.catalog.get("boats")
    search = searching.Search(index, search_options.parse(body), ranker_away=reason)
    return responses.search(
        search.run(), index, search.select, request=WireRequest(method="POST", target=SEARCH), body=body
    )


@pytest.mark.parametrize("reason", ["maxWaitExceeded", "capacityOverloaded", "transient"])
def test_without_its_ranker_a_search_gives_the_base_results(
    service: SearchService, boats: SearchClient, reason: RankerAway
) -> None:
    options = {"semanticErrorHandling": "partial", "captions": "extractive", "answers": "extractive"}
    answer = away(service, reason, **options)
    assert answer.status == 206
    assert b'"@search.semanticPartialResponseReason":"%s"' % reason.encode() in answer.body
    assert b'"@search.semanticPartialResponseType":"baseResults"' in answer.body
    assert b"rerankerScore" not in answer.body
    assert b"captions" not in answer.body
    assert "x-local-search-semantic" not in dict(answer.headers)
    assert away(service, reason).status == 206


def test_a_caller_may_want_that_to_fail(service: SearchService, boats: SearchClient) -> None:
    with pytest.raises(SearchServiceError) as raised:
        away(service, "transient", semanticErrorHandling="fail")
    assert raised.value.status == 503


def test_a_search_that_needs_no_ranker_is_whole(service: SearchService, boats: SearchClient) -> None:
    assert away(service, "transient", search="*").status == 200
    assert away(service, "transient", queryType="simple").status == 200


def test_an_order_and_a_ranker_do_not_go_together(boats: SearchClient, send: Send) -> None:
    answer = send("POST", SEARCH, {"search": "lamp", "queryType": "semantic", "orderby": "crew"})
    assert answer.status_code == 400


def test_the_full_syntax_can_be_reranked(boats: SearchClient, send: Send) -> None:
    body = {"search": "lam* OR ketch", "queryType": "full", "semanticQuery": "lamp", "captions": "extractive"}
    found = send("POST", SEARCH, body).json()["value"]
    assert [hit["id"] for hit in found] == ["3", "1"]
    assert found[0]["@search.rerankerScore"] == 4.0
    assert "<em>lamp</em>" in found[0]["@search.captions"][0]["highlights"]
