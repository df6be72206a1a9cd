"""Documents of a tool's output: the four ways of reading it, and what is cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BackendUnavailable
from retrieval.model.search import Page
from retrieval.model.tools import ListedTool, OutputParsing
from retrieval.sources.mcp_server.output import page
from tests.scripted_mcp import text

RESULTS: Any = {
    "total": 2,
    "query": "roads",
    "hits": [{"title": "One", "text": "First.", "n": 1}, {"name": "Two", "snippet": "Second."}],
}


def read(output: Any, most: int | None = None, **parsing: Any) -> Page:
    tool = ListedTool(name="search", parsing=OutputParsing(**parsing) if parsing else None, max_tokens=most)
    return page(output, tool, source="docs", service="The server")


def texts(output: Any, **parsing: Any) -> list[tuple[str | None, str | None]]:
    return [(hit.title, hit.content) for hit in read(output, **parsing).hits]


@pytest.mark.parametrize(
    "output",
    [
        text(json.dumps(RESULTS)),
        {"structuredContent": RESULTS, "content": []},
        {"structuredContent": RESULTS, **text(json.dumps(RESULTS))},
        {"structuredContent": {"result": RESULTS["hits"]}, "content": []},
        {"structuredContent": RESULTS, **text("I found two.")},
        {"structuredContent": {"references": [{"id": "1"}]}, **text(json.dumps(RESULTS["hits"]))},
        text(*map(json.dumps, RESULTS["hits"])),
        text(json.dumps(RESULTS["hits"])),
        text(json.dumps({"data": {"deep": RESULTS["hits"]}})),
    ],
)
def test_of_any_output_a_list_of_objects_is_documents(output: Any) -> None:
    assert texts(output) == [("One", "First."), ("Two", "Second.")]


def test_a_page_says_how_much_text_it_has_so_that_a_thread_merges_a_large_page() -> None:
    documents = [{"title": str(number), "text": "word " * 8_000} for number in range(40)]
    assert read(text(json.dumps(documents)), most=1_000_000).size >= 40 * 39_999
    assert read(text("Sunny")).size == 5


def test_of_any_output_other_json_is_a_document_and_so_is_a_short_text() -> None:
    assert texts(text('{"population": 7}')) == [("docs search 1", '{"population":7}')]
    assert texts(text("A", "B")) == [("docs search 1", "A"), ("docs search 2", "B")]
    assert texts({"structuredContent": {"result": "Sunny"}, **text("Sunny")}) == [("docs search 1", "Sunny")]
    assert texts({"structuredContent": {"a": [1, 2]}, "content": []}) == [("docs search 1", '{"a":[1,2]}')]


def test_of_any_output_a_long_text_is_split_at_words_with_an_overlap() -> None:
    pages = [content or "" for _, content in texts(text("word " * 1_000))]
    assert len(pages) == 3
    assert all(len(one) <= 2_000 and one.endswith("word") for one in pages)
    assert pages[0][-100:] in pages[1]


def test_a_resource_is_a_text_and_a_link_is_its_words() -> None:
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": "Whole."}}
    link = {"type": "resource_link", "name": "Handbook", "uri": "https://a/b", "description": "About roads"}
    output = {"content": [resource, link, {"type": "image", "data": "", "mimeType": "image/png"}]}
    assert [content for _, content in texts(output)] == ["Whole.", "Handbook\nAbout roads\nhttps://a/b"]


def test_none_is_one_document() -> None:
    assert texts(text("A", "B"), kind="none") == [("docs search 1", "A\n\nB")]


def test_split_has_pages_as_the_source_says() -> None:
    output = text("one two three four five six")
    pages = {"kind": "split", "page_length": 10, "overlap": 4}
    assert [content for _, content in texts(output, **pages)][:2] == ["one two", "two three"]
    assert len(texts(output, **pages, most_pages=1)) == 1
    sentences = texts(text("One is here. Two is there."), kind="split", mode="sentences")
    assert [content for _, content in sentences] == ["One is here.", "Two is there."]


def test_json_has_the_documents_at_its_path_and_what_stands_around_them() -> None:
    output = text(json.dumps(RESULTS))
    page = read(output, kind="json", path="$.hits[*]", context=True)
    assert [hit.content for hit in page.hits] == ["First.", "Second."]
    assert page.hits[0].source == {**RESULTS["hits"][0], "context": {"total": 2, "query": "roads"}}
    assert [hit.content for hit in read(output, kind="json", path="$.hits[*].title").hits] == ["One"]
    assert read(output, kind="json", path="$.nothing").hits == ()
    with pytest.raises(BackendUnavailable):
        read(text("words"), kind="json", path="$")


WRAPPED: Any = {"structuredContent": {"result": json.dumps(RESULTS)}, **text(json.dumps(RESULTS))}


@pytest.mark.parametrize(
    ("output", "path"),
    [
        (WRAPPED, "$.hits[*]"),
        ({**WRAPPED, "content": []}, "$.hits[*]"),
        ({"structuredContent": {"result": json.dumps(RESULTS["hits"])}}, "$[*]"),
        ({"structuredContent": {"result": list(map(json.dumps, RESULTS["hits"]))}}, "$[*]"),
        ({"structuredContent": {"result": [json.dumps(RESULTS)]}}, "$.hits[*]"),
        ({"structuredContent": {"result": RESULTS["hits"]}}, "$.result[*]"),
        ({"structuredContent": {"result": RESULTS["hits"]}, **text(*map(json.dumps, RESULTS["hits"]))}, "$[*]"),
        ({"structuredContent": {"result": RESULTS}}, "$.result.hits[*]"),
    ],
)
def test_json_that_is_only_wrapped_is_read_at_the_path(output: Any, path: str) -> None:
    page = read(output, kind="json", path=path)
    assert [(hit.title, hit.content) for hit in page.hits] == [("One", "First."), ("Two", "Second.")]
    assert page.missed is None


def test_a_wrapped_text_is_still_what_the_path_of_the_wrapper_names() -> None:
    for words in ("Sunny", json.dumps(RESULTS)):
        assert texts({"structuredContent": {"result": words}}, kind="json", path="$.result") == [
            ("docs search 1", words)
        ]
    more = {"structuredContent": {"result": json.dumps(RESULTS), "total": 2}}
    assert read(more, kind="json", path="$.hits[*]").missed == "$.hits[*]"


@pytest.mark.parametrize(
    ("value", "path", "missed"),
    [
        (RESULTS, "$.results[*]", True),
        (RESULTS, "$.hits[*].document", True),
        (RESULTS, "$.hits.documents", True),
        (RESULTS, "$.hits[2]", True),
        (RESULTS, "$.query[*]", True),
        ({"total": 0, "items": []}, "$.results[*]", True),
        ({"results": [{"id": 1}, {}]}, "$.results[*].document", True),
        ({"results": []}, "$.results[*]", False),
        ({"results": {}}, "$.results[*].document", False),
        ({"results": None}, "$.results[*]", False),
        ({"results": [{}, None, []]}, "$.results[*].document", False),
        ({}, "$.results[*]", False),
        ([], "$[*]", False),
        (RESULTS, "$.hits[0]", False),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_path_that_finds_nothing_in_an_answer_with_content_is_told(
    value: Any, path: str, missed: bool, wrapped: bool
) -> None:
    output = {"structuredContent": {"result": json.dumps(value)}} if wrapped else text(json.dumps(value))
    assert read(output, kind="json", path=path).missed == (path if missed else None)


def test_documents_end_at_the_tokens_of_the_tool_and_those_beyond_are_counted() -> None:
    output = text(*("x" * 400 for _ in range(10)))
    page = read(output, 250)
    assert (len(page.hits), page.beyond, page.found) == (2, 8, 10)
    (cut,) = read(output, 10).hits
    assert cut.content == "x" * 40
    assert cut.source == {"title": "docs search 1", "content": "x" * 40}


def test_the_same_text_is_the_same_document_in_every_call() -> None:
    one, two = text("A road", "A river"), text("A river", "A lake")
    assert {hit.key for hit in read(one, kind="auto").hits} != {hit.key for hit in read(two, kind="auto").hits}
    titled = [text(json.dumps([{"title": "T", "text": "Same."}])) for _ in range(2)]
    assert read(titled[0]).hits[0].key == read(titled[1]).hits[0].key


@given(st.text(max_size=300), st.integers(1, 40))
def test_pages_lose_nothing(whole: str, length: int) -> None:
    found = read(text(whole), 100_000, kind="split", page_length=length)
    assert all(len(hit.content or "") <= length for hit in found.hits)
    if not found.beyond:
        assert "".join("".join((hit.content or "").split()) for hit in found.hits) == "".join(whole.split())


@given(
    st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=60), st.integers(12, 40), st.integers(0, 30)
)
def test_pages_with_an_overlap_lose_no_word(words: list[str], length: int, overlap: int) -> None:
    found = read(text(" ".join(words)), 100_000, kind="split", page_length=length, overlap=overlap)
    if not found.beyond:
        pages = [(hit.content or "").split() for hit in found.hits]
        assert set(words) == {word for page in pages for word in page}
