"""What `lexical-v1` promises, as laws, and where its scores lie on the sample corpus."""

from typing import Any

import pytest
from azure.search.documents import SearchClient
from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.local.search_service.definitions.index import SemanticConfiguration
from retrieval.local.search_service.models.lexical_ranker import MAX_SCORE, PASSAGE, RANKED, Ranker
from retrieval.local.search_service.text.analysis import ANALYZERS
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import connect
from tests.local.corpus_questions import PHOENIX, QUESTIONS, Question
from tests.local.search_service.conftest import Found, Send

CONFIGURATION = SemanticConfiguration(name="c", title="title", content=("content", "notes"), keywords=("terms",))

THRESHOLD = 2.5
"""The documented default of `rerankerThreshold`."""

WORDS = "heron gannet lamp winter water engine salt what is the how net tide oar keel".split()
some_words = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
documents = st.fixed_dictionaries(
    {},
    optional={
        "title": some_words,
        "content": some_words,
        "notes": st.lists(some_words, max_size=3),
        "terms": st.lists(some_words, max_size=3),
    },
)
queries = st.lists(st.sampled_from([*WORDS, "zebra"]), min_size=1, max_size=8).map(" ".join)


def score(query: str, document: dict[str, Any], *others: dict[str, Any]) -> float:
    """The score of `document` in an index that holds `others`."""
    ranker = Ranker(CONFIGURATION)
    for other in others:
        ranker.add(other)
    return ranker.scores(query, [(0, document)])[0]


def terms(text: str) -> set[str]:
    return set(ANALYZERS["en.lucene"].terms(text))


def everything(document: dict[str, Any]) -> str:
    return " ".join(" ".join(value) if isinstance(value, list) else value for value in document.values())


@given(queries, documents, st.lists(documents, max_size=4))
def test_a_score_is_between_0_and_4_and_0_only_when_no_query_term_occurs(
    query: str, document: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    got = score(query, document, *others)
    assert 0.0 <= got <= MAX_SCORE
    assert (got == 0.0) == terms(query).isdisjoint(terms(everything(document)))


@given(queries, documents, st.sampled_from(["title", "content", "notes", "terms"]), some_words, st.lists(documents))
def test_added_text_never_lowers_a_score(
    query: str, document: dict[str, Any], field: str, passage: str, others: list[dict[str, Any]]
) -> None:
    before = document.get(field, [] if field in ("notes", "terms") else "")
    after = [*before, passage] if isinstance(before, list) else f"{before} {passage}"
    assert score(query, {**document, field: after}, *others) >= score(query, document, *others)


@given(queries, documents, st.data())
def test_a_passage_with_every_term_of_the_query_scores_4(query: str, document: dict[str, Any], data: Any) -> None:
    asked = data.draw(st.permutations(query.split()))
    filler = data.draw(st.lists(st.sampled_from(["tide", "oar"]), max_size=PASSAGE - len(asked)))
    assume(terms(query))
    passage = " ".join(data.draw(st.permutations([*asked, *filler])))
    assert score(query, {**document, "notes": ["before", passage]}) == MAX_SCORE


def test_terms_that_are_scattered_do_not_make_a_passage() -> None:
    apart = "heron " + "oar " * PASSAGE + "gannet"
    assert score("heron gannet", {"content": apart}) < MAX_SCORE
    assert score("heron gannet", {"notes": ["heron", "gannet"]}) < MAX_SCORE


def test_a_title_counts_for_every_passage_under_it() -> None:
    assert score("heron engine", {"title": "The Heron", "content": "oar " * 99 + "its engine"}) == MAX_SCORE


def test_words_that_ask_count_only_where_there_is_nothing_else() -> None:
    assert score("what does a heron do", {"content": "a heron"}) == MAX_SCORE
    assert 0 < score("what does a heron do", {"content": "what does it do"}) < 0.1
    assert score("what does it do", {"content": "what it does, I do"}) == MAX_SCORE


GERMAN = [
    "Im Hafen von Kap Weiler lagen während des Winters mehrere hölzerne Lotsenboote, die nicht mehr ausliefen.",
    "Der Leuchtturm auf der Insel wurde erst spät mit einer elektrischen Lampe ausgestattet.",
]
RUSSIAN = [
    "В гавани зимой стояли деревянные лоцманские лодки, которые больше не выходили в море.",
    "Маяк на острове был оснащён электрической лампой только через много лет.",
]


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        (GERMAN, "Wie viele hölzerne Lotsenboote lagen in den Häfen?"),
        (GERMAN, "Welche Lampen hatten die Leuchttürme der Insel?"),
        (RUSSIAN, "Какие деревянные лодки стояли в гаванях зимой?"),
        (RUSSIAN, "Сколько ламп было на маяках острова?"),
    ],
)
def test_the_language_of_a_text_decides_its_forms_of_words_and_which_words_ask(texts: list[str], asked: str) -> None:
    ranker = Ranker(CONFIGURATION)
    documents = [{"content": text} for text in texts]
    for document in documents:
        ranker.add(document)
    assert max(ranker.scores(asked, enumerate(documents))) > THRESHOLD


def test_documents_of_several_languages_are_each_read_in_their_own() -> None:
    ranker = Ranker(CONFIGURATION)
    documents = [{"content": text} for text in (*GERMAN, *RUSSIAN, "The pilot boats that lay in the harbours.")]
    for document in documents:
        ranker.add(document)
    assert max(ranker.scores("Wie viele hölzerne Lotsenboote lagen in den Häfen?", enumerate(documents))) > THRESHOLD
    assert ranker.scores("Which pilot boats lay in a harbour?", enumerate(documents))[-1] == MAX_SCORE


@pytest.mark.parametrize("analyzer", ["de.microsoft", "de.lucene"])
def test_the_analyzer_of_a_field_decides_where_a_text_is_too_short_to_tell(send: Send, analyzer: str) -> None:
    fields = [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "stated", "type": "Edm.String", "analyzer": analyzer},
        {"name": "unstated", "type": "Edm.String", "analyzer": "en.microsoft"},
    ]
    semantic = {
        "configurations": [
            {"name": name, "prioritizedFields": {"prioritizedContentFields": [{"fieldName": name}]}}
            for name in ("stated", "unstated")
        ]
    }
    assert send("POST", "/indexes", {"name": "short", "fields": fields, "semantic": semantic}).status_code == 201
    document = {"id": "1", "stated": "Lotsenboote, Häfen", "unstated": "Lotsenboote, Häfen"}
    assert send("POST", "/indexes/short/docs/index", {"value": [document]}).status_code == 200
    asked = {"search": "*", "semanticQuery": "welcher Hafen"}
    first, second = (
        send("POST", "/indexes/short/docs/search", {**asked, "semanticConfiguration": name}).json()["value"][0]
        for name in ("stated", "unstated")
    )
    assert first["@search.rerankerScore"] == MAX_SCORE
    assert second["@search.rerankerScore"] == 0.0


def test_a_rare_term_counts_for_more_than_a_common_one() -> None:
    others = [{"content": "water"}] * 20 + [{"content": "heron"}]
    assert score("water heron", {"content": "heron"}, *others) > score("water heron", {"content": "water"}, *others)


def test_a_removed_document_no_longer_counts() -> None:
    ranker, fresh = Ranker(CONFIGURATION), Ranker(CONFIGURATION)
    for document in ({"content": "water"}, {"content": "heron water"}):
        ranker.add(document)
    ranker.remove(1, {"content": "heron water"})
    fresh.add({"content": "water"})
    asked = [(0, {"content": "water oar"})]
    assert ranker.scores("heron water", asked) == fresh.scores("heron water", asked)


def test_a_semantic_search_orders_by_its_score_and_then_by_the_text_rank(boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n}", "story": "buoy " * n} for n in range(1, 5)])
    plain = [hit["id"] for hit in boats.search("buoy", top=50)]
    semantic = list(boats.search("buoy", query_type="semantic", top=50))
    assert {hit["@search.reranker_score"] for hit in semantic} == {4.0}
    assert [hit["id"] for hit in semantic] == plain
    scores = [hit["@search.reranker_score"] for hit in boats.search("wooden lamp engine", query_type="semantic")]
    assert len(scores) > 2
    assert scores == sorted(scores, reverse=True)


def test_only_the_best_fifty_get_a_score_and_the_others_follow(boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n:02}", "story": "buoy"} for n in range(70)])
    hits = list(boats.search("buoy", query_type="semantic", top=70))
    assert [hit["@search.reranker_score"] is not None for hit in hits] == [True] * RANKED + [False] * 20
    second = list(boats.search("buoy", query_type="semantic", top=5, skip=48))
    assert [hit["id"] for hit in second] == [hit["id"] for hit in hits[48:53]]


@pytest.mark.parametrize("text", ["", "*", None])
def test_without_a_question_nothing_is_ranked(boats: SearchClient, text: str | None) -> None:
    assert all(hit["@search.reranker_score"] is None for hit in boats.search(text, query_type="semantic"))


def test_a_semantic_query_ranks_what_another_search_found(boats: SearchClient) -> None:
    hits = list(boats.search("*", semantic_query="lamp on a sandbank", filter="crew ge 6"))
    assert [(hit["id"], hit["@search.reranker_score"]) for hit in hits] == [("3", 4.0), ("2", 0.0)]


OFTEN = {"id": "often", "story": f"{'brass ' * 9}{'deck ' * 30}capstan"}
NEAR = {"id": "near", "story": f"brass capstan {'deck ' * 60}"}


def scored(boats: SearchClient, text: str | None, **options: Any) -> dict[str, float]:
    return {hit["id"]: hit["@search.reranker_score"] for hit in boats.search(text, top=RANKED, **options)}


def test_the_order_of_the_search_counts_a_quarter_and_the_best_score_is_the_rankers(boats: SearchClient) -> None:
    boats.upload_documents([NEAR, OFTEN])
    asked = "brass capstan nowhere"
    alone = scored(boats, "deck", semantic_query=asked)
    both = scored(boats, asked, query_type="semantic")
    assert both["often"] / both["near"] > alone["often"] / alone["near"]
    assert max(both.values()) == max(alone.values())


def test_a_query_of_any_length_is_ranked_alike(boats: SearchClient) -> None:
    boats.upload_documents([NEAR, OFTEN])
    asked = [" ".join(["brass", "capstan", *(f"nowhere{n}" for n in range(words))]) for words in (28, 29, 60)]
    orders = [list(scored(boats, one, query_type="semantic")) for one in asked]
    assert orders == orders[:1] * 3


def test_the_order_of_a_search_for_something_else_counts_nothing(boats: SearchClient) -> None:
    boats.upload_documents([NEAR, OFTEN])
    asked = "brass capstan nowhere"
    assert scored(boats, "deck", semantic_query=asked) == scored(boats, "capstan", semantic_query=asked)


def test_beside_others_all_words_of_the_query_still_score_4_and_none_0(boats: SearchClient) -> None:
    boats.upload_documents([OFTEN, {"id": "all", "story": f"brass capstan {'deck ' * 99}"}])
    boats.upload_documents([{"id": "none", "harbour": "capstan"}])
    found = scored(boats, "brass capstan", query_type="semantic")
    assert found["all"] == MAX_SCORE
    assert found["none"] == 0.0


def test_the_answer_says_who_ranked(boats: SearchClient, send: Send) -> None:
    path = "/indexes/boats/docs/search"
    semantic = send("POST", path, {"search": "lamp", "queryType": "semantic"})
    assert semantic.headers["x-local-search-semantic"] == "lexical-v1"
    assert semantic.json()["value"][0]["@search.rerankerScore"] == 4.0
    plain = send("POST", path, {"search": "lamp"})
    assert "x-local-search-semantic" not in plain.headers
    assert "@search.rerankerScore" not in plain.json()["value"][0]


def test_a_semantic_field_need_not_be_searchable(send: Send) -> None:
    fields = [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "content", "type": "Edm.String", "searchable": True},
        {"name": "sourcepage", "type": "Edm.String", "searchable": False, "filterable": True},
        {"name": "hidden", "type": "Edm.String", "retrievable": False},
    ]
    index = {"name": "pages", "fields": fields, "semantic": {"configurations": [configuration("sourcepage")]}}
    assert send("POST", "/indexes", index).status_code == 201
    pages = [{"id": n, "content": "About the plan.", "sourcepage": page} for n, page in (("1", "tax"), ("2", "dental"))]
    assert send("POST", "/indexes/pages/docs/index", {"value": pages}).status_code == 200
    asked = {"search": "dental plan", "queryType": "semantic", "semanticConfiguration": "default"}
    found = send("POST", "/indexes/pages/docs/search", asked).json()["value"]
    assert [one["id"] for one in found] == ["2", "1"]
    assert found[0]["@search.rerankerScore"] > found[1]["@search.rerankerScore"]
    hidden = {**index, "name": "other", "semantic": {"configurations": [configuration("hidden")]}}
    refused = send("POST", "/indexes", hidden)
    assert (refused.status_code, "'hidden'" in refused.json()["error"]["message"]) == (400, True)


def configuration(title: str) -> dict[str, Any]:
    content = [{"fieldName": "content"}]
    return {
        "name": "default",
        "prioritizedFields": {"titleField": {"fieldName": title}, "prioritizedContentFields": content},
    }


def test_an_index_without_a_configuration_refuses_a_semantic_search(send: Send) -> None:
    send("PUT", "/indexes/bare", {"name": "bare", "fields": [{"name": "id", "type": "Edm.String", "key": True}]})
    answer = send("POST", "/indexes/bare/docs/search", {"search": "x", "queryType": "semantic"})
    assert answer.status_code == 400
    assert "semantic configuration" in answer.json()["error"]["message"]


def test_ties_at_the_edge_of_the_fifty_fall_to_the_older_document(found: Found, boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n:02}", "story": "buoy"} for n in range(60)])
    assert found("buoy", query_type="semantic", top=50) == [f"x{n:02}" for n in range(50)]


@pytest.fixture(scope="module")
def sample() -> SearchClient:
    return SearchClient(index_name="earth_at_night", **connect(stand_in(()).service))


def passing(sample: SearchClient, text: str, **options: Any) -> list[str]:
    hits = sample.search(text, query_type="semantic", top=RANKED, **options)
    return [hit["id"] for hit in hits if hit["@search.reranker_score"] >= THRESHOLD]


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one.wording in ("question", "keywords")], ids=str)
def test_what_answers_a_question_comes_first_and_passes_the_threshold(sample: SearchClient, question: Question) -> None:
    assert passing(sample, question.text)[0] in question.answers


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one.wording == "elsewhere"], ids=str)
def test_a_question_about_nothing_in_the_corpus_passes_nothing(sample: SearchClient, question: Question) -> None:
    assert passing(sample, question.text) == []


def test_the_published_question_gets_page_105_with_and_without_its_filter(sample: SearchClient) -> None:
    assert passing(sample, PHOENIX.text) == list(PHOENIX.answers)
    assert passing(sample, PHOENIX.text, filter="page_number eq '105'") == list(PHOENIX.answers)
    assert passing(sample, "What is the best recipe for sourdough bread?") == []
