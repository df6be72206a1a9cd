"""Searches made to cost much: each is answered with 200 or 400, and promptly.

Time is that of the processor, so that a busy machine fails nothing.
"""

import asyncio
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.wire import WireRequest, WireResponse
from tests.local.search_service.conftest import BOATS, FLEET, VERSION
from tests.processor import process_time
from tests.sampling import sample

SECONDS = 3.0
"""Of processor time for one request; most take a tenth of a second."""


@cache
def fleet() -> SearchService:
    service = SearchService()
    words = [f"{chr(97 + n % 26)}{n * 7919 % 10_007}x" for n in range(5_000)]
    stories = [{"id": f"w{n}", "story": " ".join(words[n * 50 : n * 50 + 50])} for n in range(100)]
    rich = " ".join(f"{chr(97 + n % 26)}{n * 31 % 20_011}" for n in range(20_000))
    long = {"id": "long", "name": rich, "story": "lamp. " * 20_000, "tags": ["ketch"] * 2_000, "length": 1e300}
    ask(service, "/indexes", BOATS)
    ask(service, "/indexes/boats/docs/index", {"value": [*FLEET, *stories, long]})
    return service


def ask(service: SearchService, path: str, body: Any) -> WireResponse:
    key = ("api-key", "local-dev-key")
    target = f"{path}?api-version={VERSION}"
    request = WireRequest(method="POST", target=target, headers=(key,), body=json.dumps(body).encode())
    return asyncio.run(service(request))


def search(body: Any) -> WireResponse:
    return ask(fleet(), "/indexes/boats/docs/search", body)


HOSTILE = {
    "10,000 words": "a " * 10_000,
    "10,000 clauses": " OR ".join(f"a{n}" for n in range(10_000)),
    "2,900 clauses": " AND ".join(f"a{n}" for n in range(2_900)),
    "2,900 fuzzy words": " ".join(f"engine{n}~2" for n in range(2_900)),
    "2,900 wildcards": " ".join(f"*{n}*" for n in range(2_900)),
    "2,900 expressions": " ".join(f"/.*{n}(a|b)*c/" for n in range(2_900)),
    "50,000 parentheses": "(" * 50_000,
    "50,000 closed parentheses": "(" * 49_999 + "a" + ")" * 49_999,
    "50,000 minuses": "-" * 50_000 + "a",
    "50,000 nots": "NOT " * 24_000 + "a",
    "50,000 fields": "story:" * 16_000 + "a",
    "50,000 boosts": "a" + "^2" * 49_000,
    "100,000 letters": "x" * 100_000,
    "100,000 stars": "*" * 100_000,
    "100,000 question marks": "?" * 100_000,
    "100,000 quotes": '"' * 100_000,
    "100,000 slashes": "/" * 100_000,
    "100,000 backslashes": "\\" * 100_000,
    "100,000 tildes": "~" * 100_000,
    "100,000 signs": "&|" * 50_000,
    "100,000 blanks": "a" + " " * 99_998 + "b",
    "a phrase of 40,000 words": '"' + "a " * 40_000 + '"',
    "a phrase with slop": '"' + "lamp " * 2_000 + '"~10000',
    "a phrase that is everywhere": '"' + "lamp " * 9_000 + '"',
    "2,900 phrases": " ".join(f'"lamp lamp{n}"' for n in range(1_450)) + " lamp " + '"lamp lamp" ' * 1_400,
    "140 fuzzy words": "lamp " + " ".join(f"abcde{n}~2" for n in range(110)),
    "2,900 prefixes": "lamp " + " ".join(f"abcde{n}*" for n in range(2_900)),
    "two words with slop": '"lamp lamp"~10000',
    "a long fuzzy word": "x" * 90_000 + "~2",
    "nested stars": "/((a*)*)*b/",
    "nested counts": "/((((((a?){10}){10}){10}){10}){10})/",
    "a choice that overlaps": "/(a|aa|a?a)+$/",
    "many stars in an expression": "/" + ".*a" * 300 + "/",
    "many choices": "/(" + "|".join("a" * n for n in range(1, 43)) + ")*/",
    "optional letters": "/" + "a?" * 450 + "/",
    "a state explosion": "/.*a.{30}/",
    "twenty gaps": "*" + "a?" * 9 + "*" * 10,
    "twenty stars": "*a" * 20,
    "nested sets": "/" + "[" * 500 + "/",
    "numbers": "a~" + "9" * 50_000 + " b^" + "9" * 40_000,
    "mixed": "a AND b OR NOT (c " * 100 + ")" * 100,
}


@pytest.mark.parametrize("kind", sample(["simple", "full"], every=2))
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_answered_promptly(text: str, kind: str) -> None:
    fleet()
    before = process_time()
    answer = search({"search": text[:100_000], "queryType": kind, "highlight": "name,story,tags", "facets": ["tags"]})
    assert answer.status in (200, 400)
    assert process_time() - before < SECONDS
    within = f"search.ismatchscoring('{text[:5_000]}', 'story', '{kind}', 'any')"
    assert search({"filter": within}).status in (200, 400)


@pytest.mark.parametrize(
    "options",
    [
        {"orderby": "a," * 50_000},
        {"orderby": "(" * 50_000},
        {"orderby": "geo.distance(" + " " * 15_000},
        {"orderby": " " * 15_900 + "x y"},
        {"facets": ["tags"] * 10_000},
        {"facets": ["crew,values:" + "|".join(map(str, range(100_000)))]},
        {"facets": ["crew,values:1" + "0" * 400]},
        {"facets": ["length,interval:0.000000000000001"]},
        {"facets": ["crew,interval:" + "9" * 10_000]},
        {"facets": ["launched,interval:minute,timeoffset:-14:00", "length,interval:0.000000000000001"]},
        {"highlight": ",".join(["story-999999"] * 2_000), "search": "lamp ketch"},
        {"highlightPreTag": "x" * 1_001},
        {"highlight": "story-999999", "search": "lamp", "highlightPreTag": "x" * 1_000},
        {"searchFields": ",".join(["story"] * 20_000), "search": "lamp"},
        {"select": ",".join(["story"] * 20_000)},
        {"semanticQuery": "lamp " * 20_000, "answers": "extractive", "captions": "extractive"},
        {"semanticQuery": "?" * 100_000, "answers": "extractive|count-10,threshold-0"},
        {"answers": "extractive|" + "count-1," * 10_000, "semanticQuery": "x"},
    ],
    ids=lambda options: ",".join(options) + str(len(str(options))),
)  # fmt: skip
def test_hostile_options_are_answered_promptly(options: dict[str, Any]) -> None:
    fleet()
    before = process_time()
    assert search(options).status in (200, 400)
    assert process_time() - before < SECONDS


pieces = st.sampled_from(
    ["lamp", "story:", "nothing:", '"', '"a b"', "~", "~2", "^", "^2", "(", ")", "AND", "OR", "NOT", "-", "+", "!", "/",
     "/a.*/", "*", "?", "\\", "[", "]", "{", "}", "&&", "||", " ", "é", "\x00", "京", "TO", "<", "'", "1", "."]
)  # fmt: skip


@given(st.lists(pieces, max_size=14), st.sampled_from(["", " "]), st.sampled_from(["any", "all"]))
def test_any_full_query_is_answered(parts: list[str], between: str, mode: str) -> None:
    text = between.join(parts)
    body = {"search": text, "queryType": "full", "searchMode": mode, "highlight": "story", "count": True}
    answer = search(body)
    assert answer.status in (200, 400)
    assert json.loads(answer.body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
members = st.sampled_from(
    ["facets", "orderby", "highlight", "highlightPreTag", "minimumCoverage", "captions", "answers", "debug", "search",
     "scoringProfile", "scoringParameters", "queryLanguage", "speller", "queryType",
     "searchFields", "semanticErrorHandling"]
)  # fmt: skip
expressions = st.from_regex(
    r"(crew|tags|launched|length),(count|sort|interval|values|timeoffset):[-+0-9a-z|.:]{0,12}", fullmatch=True
)


@given(st.dictionaries(members, json_values, max_size=3), st.lists(expressions, max_size=2))
def test_any_options_are_answered(body: dict[str, Any], facets: list[str]) -> None:
    assert search({"facets": facets, "queryType": "semantic", **body}).status in (200, 400)
    assert search({"facets": facets}).status in (200, 400)
