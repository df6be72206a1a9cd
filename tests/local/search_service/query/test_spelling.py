"""`queryLanguage` and `speller`: what the reference lists is taken, and the answer says that nothing was corrected."""

from collections.abc import Callable

import pytest
from azure.core.rest import HttpResponse
from azure.search.documents import SearchClient

Send = Callable[..., HttpResponse]
SEARCH = "/indexes/boats/docs/search"
HEADER = "x-local-search-speller"


def test_a_search_that_asks_for_the_speller_is_answered_uncorrected_and_told_so(
    boats: SearchClient, send: Send
) -> None:
    wrong = {"search": "woodn ketsh", "speller": "lexicon", "queryLanguage": "en-US", "queryType": "simple"}
    answer = send("POST", SEARCH, wrong)
    assert answer.json()["value"] == []
    assert answer.headers[HEADER] == "uncorrected"
    right = send("POST", SEARCH, {**wrong, "search": "wooden ketch"})
    assert right.json() == send("POST", SEARCH, {"search": "wooden ketch"}).json()


def test_a_get_search_takes_both(boats: SearchClient, send: Send) -> None:
    answer = send("GET", "/indexes/boats/docs?search=lamp&speller=lexicon&queryLanguage=fr-fr")
    assert [one["id"] for one in answer.json()["value"]] == ["3"]
    assert answer.headers[HEADER] == "uncorrected"


@pytest.mark.parametrize("language", ["none", "en-us", "nb-no", "zh-cn", "ur-pk"])
@pytest.mark.parametrize("speller", ["none", None])
def test_without_a_lexicon_nothing_is_said(boats: SearchClient, send: Send, language: str, speller: str | None) -> None:
    answer = send("POST", SEARCH, {"search": "lamp", "queryLanguage": language, "speller": speller})
    assert answer.status_code == 200
    assert HEADER not in answer.headers


@pytest.mark.parametrize(
    ("option", "value"), [("queryLanguage", "en"), ("queryLanguage", "tlh-xx"), ("speller", "yes"), ("speller", 1)]
)
def test_what_the_reference_does_not_list_is_refused(
    boats: SearchClient, send: Send, option: str, value: object
) -> None:
    answer = send("POST", SEARCH, {"search": "lamp", option: value})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert option in answer.json()["error"]["message"]
