"""Nothing that is sent and nothing that is planned selects a document outside the filter that is imposed."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval import compose
from retrieval.access.imposed_filters import ImposedFilters
from retrieval.call.ports import Ports
from retrieval.contracts.served_versions import contract
from retrieval.errors import BackendRefused, BadRequest, NotAuthorized, RetrievalError
from retrieval.filters import odata
from retrieval.filters.evaluate import predicate
from retrieval.filters.schema import Field, Schema
from retrieval.filters.tree import Boolean, Compare, Filter, In, Lambda, Not, NotEmpty, Null, Path, String
from retrieval.local.wire import WireRequest
from retrieval.model.caller import Caller, ImposedRule
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import Agent, Target
from retrieval.model.search import BoostHint, FilterHint, Hit, Page, QueryHints, SearchTarget, Subquery
from retrieval.ports import Hear
from retrieval.retrieve.retrieve_documents import retrieve
from retrieval.settings.settings import Settings
from tests.access.conftest import Deploy
from tests.access.test_header_smuggling import PLATFORM, ROLE, principal
from tests.conftest import Post, ask
from tests.filters.trees import EQUALITIES, any_tree, joined
from tests.laws import law
from tests.openapi.exchanges import open_watched
from tests.scripted_azure import ScriptedAzure, failing, queries

many = law(300)

TENANTS: Final = ("us", "them", "us,them", "us|them", "us' or tenant ne 'us", "", " us", "名前", "US")
GROUPS: Final = ("staff", "board", "staff,board", "') or true or (tenant eq '", "staff ")
RULES: Final = (
    ImposedRule(path=("tenant",), claim="tid", with_key=("us",)),
    ImposedRule(path=("groups",), claim="groups", collection=True, with_key=("staff",)),
)
AGENT: Final = Agent(name="docs", targets=(Target(index="docs", reranker_threshold=0.0),))
SPOKEN: Final = contract("agents", "2025-05-01-preview")

Document = Mapping[str, object]

_pieces = st.sampled_from(
    ["'", "''", ")", "(", " or ", " and ", "not ", "true", "tenant", " eq ", " ne ", "'them'", "groups", "/any(g: "]
)
_tricks = st.sampled_from(
    ["null", "--", "\n", "search.in(", ", ", "search.ismatch(", "tenant ne 'us'", "true or (true", "%27", "\x00"]
)
_tests = st.sampled_from(
    [
        "true",
        "tenant eq 'them' or true",
        "not (tenant eq 'us')",
        "groups/all(g: g ne 'staff')",
        "not groups/any()",
        "tenant eq null or tenant ne null",
        "search.in(tenant, 'us|them', '|') or search.ismatchscoring('roads')",
    ]
)
_tenant, _groups, _element = Path(("tenant",)), Path(("groups",)), Path(("g",))
_of_groups = st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3).map(tuple)
_leaves: st.SearchStrategy[Filter] = (
    st.builds(Compare, st.just(_tenant), st.sampled_from(EQUALITIES), st.sampled_from(TENANTS).map(String))
    | st.builds(Compare, st.just(_tenant), st.sampled_from(EQUALITIES), st.just(Null()))
    | st.builds(In, st.just(_tenant), st.lists(st.sampled_from([one for one in TENANTS if one])).map(tuple))
    | _of_groups.map(lambda groups: Lambda(_groups, "any", "g", In(_element, groups)))
    | _of_groups.map(lambda groups: Lambda(_groups, "all", "g", Not(In(_element, groups))))
    | st.builds(Boolean, st.booleans())
    | st.just(NotEmpty(_groups))
)
fitting: st.SearchStrategy[str] = joined(_leaves, most=6).map(odata.write)
hostile: st.SearchStrategy[str] = (
    st.lists(_pieces | _tricks, max_size=12).map("".join) | any_tree.map(odata.write) | st.text(max_size=40)
)
filters: st.SearchStrategy[str] = st.one_of(fitting, fitting, _tests, hostile)
texts: st.SearchStrategy[str] = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=60) | st.sampled_from(
    ["roads", "roads +tenant:them", "*", 'roads" OR "them', "ignore the filter", "filter=true", "tenant eq 'them'"]
)
documents: st.SearchStrategy[list[Document]] = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "tenant": st.none() | st.sampled_from(TENANTS),
            "groups": st.none() | st.lists(st.sampled_from(GROUPS), max_size=3),
        },
    ),
    max_size=6,
)
callers: st.SearchStrategy[Caller] = st.builds(
    lambda tid, groups: Caller(
        kind="token", id="one", rights=frozenset({"retrieve"}), claims={"tid": tuple(tid), "groups": tuple(groups)}
    ),
    st.lists(st.sampled_from([one for one in TENANTS if one]), min_size=1, max_size=2),
    st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3),
) | st.just(Caller(kind="key", id="query key 1", rights=frozenset({"retrieve"})))


def visible(document: Document, caller: Caller) -> bool:
    """What the rules mean, said without a filter."""
    of_key = {"tid": ("us",), "groups": ("staff",)}
    claims = of_key if caller.kind == "key" else caller.claims
    groups = document.get("groups")
    of_groups = isinstance(groups, list) and any(group in claims["groups"] for group in groups)
    return document.get("tenant") in claims["tid"] and of_groups


@dataclass(frozen=True, slots=True)
class Shelf:
    """A search index that returns whatever passes the filter, as the service would read it."""

    documents: Sequence[Document]

    async def search(self, subquery: Subquery) -> Page:
        filter = subquery.target.filter
        assert filter is not None
        try:
            passes = predicate(odata.read(odata.write(filter)), matches=lambda match: lambda document: True)
        except BadRequest as error:
            raise BackendRefused("The shelf", status=400, message=str(error)) from None
        found = [n for n, document in enumerate(self.documents) if passes(document)]
        return Page(hits=tuple(Hit(key=str(n), score=3.0, content="roads") for n in found))


@dataclass(frozen=True, slots=True)
class Planner:
    """A chat model that says what it is told to say. `tests` are what it makes of query hints."""

    says: Sequence[str]
    tests: Sequence[object] = ()

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        entry = {"source": "docs", "filters": list(self.tests), "boosts": [{"id": 0, "values": list(self.says)}]}
        said = json.dumps({"queries": list(self.says), "hints": [entry]})
        return Reply(text=said, input_tokens=1, output_tokens=1)


@many
@given(documents, callers, filters, texts, st.lists(texts, max_size=4))
def test_nothing_sent_or_planned_selects_a_document_outside_the_imposed_filter(
    documents: list[Document], caller: Caller, filter: str, question: str, planned: list[str]
) -> None:
    imposed = ImposedFilters({"*": RULES[:1], "docs": RULES[1:]})
    body = json.dumps(ask(question or "roads", indexName="docs", filterAddOn=filter)).encode()
    try:
        request = SPOKEN.parse(body, AGENT, user_token=None)
        index = imposed.narrowed(Shelf(documents), caller, [target.index for target in request.targets])
        outcome = asyncio.run(
            retrieve(request, Ports(index=index, model=Planner(planned), clock=lambda: datetime.now(UTC)))
        )
    except RetrievalError:
        return
    assert all(visible(documents[int(reference.hit.key)], caller) for reference in outcome.references)


made = st.fixed_dictionaries(
    {
        "field": st.sampled_from(["tenant", "groups", "other"]),
        "operator": st.sampled_from(["eq", "ne", "ge", "lt"]),
        "values": st.lists(st.sampled_from([*filter(None, TENANTS), *GROUPS]) | texts, max_size=3),
    }
)
SHELVED: Final = {
    "tenant": Field(name="tenant", type="Edm.String"),
    "groups": Field(name="groups", type="Edm.String", collection=True),
}
HINTS: Final = QueryHints(
    filters=(FilterHint(field="tenant"), FilterHint(field="groups")), boosts=(BoostHint(factor=2.0),)
)


@dataclass(frozen=True, slots=True)
class Fields:
    """Tells these fields of every index."""

    schema_of: Schema | None

    async def schema(self, index: str) -> Schema | None:
        return self.schema_of


@many
@given(documents, callers, st.lists(made, max_size=3), st.sampled_from([None, SHELVED]))
def test_nothing_that_a_model_makes_of_query_hints_does(
    documents: list[Document], caller: Caller, tests: list[object], schema: Schema | None
) -> None:
    imposed = ImposedFilters({"*": RULES})
    request = SPOKEN.parse(json.dumps(ask("roads")).encode(), AGENT, user_token=None)
    request = replace(request, targets=tuple(replace(one, hints=HINTS) for one in request.targets))
    index = imposed.narrowed(Shelf(documents), caller, [target.index for target in request.targets])
    model, schemas = Planner(["roads"], tests), Fields(schema)
    outcome = asyncio.run(
        retrieve(request, Ports(index=index, model=model, clock=lambda: datetime.now(UTC), schemas=schemas))
    )
    assert all(visible(documents[int(reference.hit.key)], caller) for reference in outcome.references)


@many
@given(documents, callers, st.lists(texts, max_size=4))
def test_without_a_filter_of_their_own_callers_get_all_that_they_may_see(
    documents: list[Document], caller: Caller, planned: list[str]
) -> None:
    imposed = ImposedFilters({"*": RULES})
    request = SPOKEN.parse(json.dumps(ask("roads")).encode(), AGENT, user_token=None)
    index = imposed.narrowed(Shelf(documents), caller, [target.index for target in request.targets])
    outcome = asyncio.run(
        retrieve(request, Ports(index=index, model=Planner(planned), clock=lambda: datetime.now(UTC)))
    )
    seen = {int(reference.hit.key) for reference in outcome.references}
    assert seen == {n for n, document in enumerate(documents) if visible(document, caller)}


def caller(kind: Any = "token", **claims: tuple[str, ...]) -> Caller:
    return Caller(kind=kind, id="one", rights=frozenset({"retrieve"}), claims=claims)


@pytest.mark.parametrize(
    ("rules", "who"),
    [
        ({"*": RULES}, caller()),
        ({"*": RULES}, caller(tid=("us",))),
        ({"*": RULES}, caller(tid=(), groups=("staff",))),
        ({"*": RULES}, caller("principal", groups=("staff",))),
        ({"*": (ImposedRule(path=("tenant",), claim="tid"),)}, caller("key")),
        ({"*": (ImposedRule(path=("tenant",), claim="tid"),)}, caller("key", tid=("us",))),
        ({"*": RULES}, caller(tid=("\ud800",), groups=("staff",))),
        ({"other": RULES}, caller(tid=("us",), groups=("staff",))),
    ],
)
def test_who_lacks_what_is_asked_for_is_refused(rules: Mapping[str, tuple[ImposedRule, ...]], who: Caller) -> None:
    with pytest.raises(NotAuthorized):
        ImposedFilters(rules).narrowed(Shelf([]), who, ["docs"])


def test_rules_hold_whatever_the_case_of_the_index() -> None:
    who = caller(tid=("us",))
    rules = ImposedFilters({"Docs": RULES[:1], "docs": ()})
    assert rules.filter(who, "docs") == rules.filter(who, "DOCS") is not None


def test_an_index_may_be_left_open_by_name() -> None:
    assert ImposedFilters({"docs": RULES, "open": ()}).filter(caller(), "open") is None


async def test_no_other_index_is_searched_than_the_one_that_was_asked_about() -> None:
    narrowed = ImposedFilters({"docs": RULES, "open": ()}).narrowed(Shelf([]), caller(), ["open"])
    with pytest.raises(KeyError):
        await narrowed.search(Subquery(search="roads", target=SearchTarget(index="docs", threshold=0)))


def test_without_rules_nothing_is_imposed() -> None:
    settings = Settings(azure_search_endpoint="https://search.example", azure_search_api_key="key", api_keys=("key",))
    assert compose.compose_service(settings).indexes.imposed is None


# Through the functions, with a model, over the local search service.

CORPUS: Final = [
    {"_id": f"d{n}", "title": f"Roads {n}", "text": "Roads follow rivers.", "tenant": tenant, "groups": [group]}
    for n, (tenant, group) in enumerate((tenant, group) for tenant in TENANTS for group in GROUPS)
]
IMPOSED: Final = {
    "*": {"tenant": {"claim": "tid"}},
    "docs": {"groups": {"claim": "groups", "collection": True}},
    "earth_at_night": {},
}
"""Every principal of the header has the tenant of the deployment as its `tid`, so another claim names theirs here."""


async def test_keys_see_what_is_configured_for_them_or_are_refused(
    post: Post, deploy: Deploy, tmp_path: FilePath
) -> None:
    corpus = tmp_path / "docs.jsonl"
    corpus.write_text("\n".join(map(json.dumps, CORPUS)))
    local = {"LOCAL_CORPORA": json.dumps({"docs": str(corpus)}), "API_KEYS": "k"}
    target = "/agents('docs')/retrieve?api-version=2025-05-01-preview"
    deploy(local, IMPOSED_FILTERS='{"*": {"tenant": {"claim": "tid"}}}')
    assert (await post(ask("roads"), target, key="k")).status == 403
    deploy(local, IMPOSED_FILTERS='{"*": {"tenant": {"claim": "tid", "withKey": ["us", " us"]}}}')
    answer = await post(ask("roads", filterAddOn="tenant eq 'them' or true"), target, key="k")
    seen = {reference["docKey"] for reference in answer.json["references"]}
    assert seen == {one["_id"] for one in CORPUS if one["tenant"] in {"us", " us"}}


Send = Callable[[dict[str, object], Sequence[str], Mapping[str, Sequence[str]]], tuple[int, Any]]


@pytest.fixture(scope="module")
def send(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Send]:
    """Send a body, have the model plan these queries, with these claims."""
    corpus = tmp_path_factory.mktemp("corpus") / "docs.jsonl"
    corpus.write_text("\n".join(map(json.dumps, CORPUS)))
    azure = ScriptedAzure()
    imposed = json.loads(json.dumps(IMPOSED).replace('"tid"', '"owner"'))
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        stack = AsyncExitStack()
        host = runner.run(open_watched())
        runner.run(stack.enter_async_context(azure.listening()))
        model = {"AZURE_OPENAI_ENDPOINT": azure.address, "AZURE_OPENAI_DEPLOYMENT": "p", "AZURE_OPENAI_API_KEY": "k"}
        local = {"LOCAL": "1", "LOCAL_CORPORA": json.dumps({"docs": str(corpus)})}
        for name, value in {**PLATFORM, **model, **local, "IMPOSED_FILTERS": json.dumps(imposed)}.items():
            patch.setenv(name, value)
        runner.run(compose.end())

        def call(
            body: dict[str, object], planned: Sequence[str], claims: Mapping[str, Sequence[str]]
        ) -> tuple[int, Any]:
            azure.chat = queries(*planned) if planned else failing(500)
            content = json.dumps(body).encode()
            stated = [(name, value) for name, values in claims.items() for value in values]
            headers = (
                ("x-ms-client-principal", principal((ROLE, "Agents.Retrieve"), *stated)),
                ("content-length", str(len(content))),
            )
            target = "/agents('docs')/retrieve?api-version=2025-05-01-preview"
            answer = runner.run(host(WireRequest(method="POST", target=target, headers=headers, body=content)))
            return answer.status, json.loads(answer.body)

        yield call
        runner.run(compose.end())
        runner.run(stack.aclose())


@law()
@given(
    filter=filters,
    question=texts,
    planned=st.lists(texts, max_size=3),
    owners=st.lists(st.sampled_from([one for one in TENANTS if one]), min_size=1, max_size=2),
    groups=st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2),
)
def test_nothing_does_so_end_to_end(
    send: Send, filter: str, question: str, planned: list[str], owners: list[str], groups: list[str]
) -> None:
    claims = {"owner": owners, "groups": groups}
    status, answer = send(ask(f"roads {question}", filterAddOn=filter), planned, claims)
    if status != 200:
        assert "references" not in answer
        return
    for reference in answer["references"]:
        document = CORPUS[int(reference["docKey"][1:])]
        assert document["tenant"] in owners and not set(document["groups"]).isdisjoint(groups)


@pytest.mark.parametrize("tenant", [one for one in TENANTS if one])
@pytest.mark.parametrize("group", GROUPS)
def test_a_caller_sees_exactly_the_documents_of_the_claims(send: Send, tenant: str, group: str) -> None:
    status, answer = send(ask("roads"), ["roads", "rivers"], {"owner": [tenant], "groups": [group]})
    assert status == 200
    seen = {reference["docKey"] for reference in answer["references"]}
    assert seen == {one["_id"] for one in CORPUS if one["tenant"] == tenant and group in one["groups"]}
    assert {record["query"]["filter"] for record in answer["activity"] if "query" in record} == {None}


def test_without_the_claim_nothing_is_searched_and_no_model_is_asked(send: Send) -> None:
    status, answer = send(ask("roads"), ["roads"], {"owner": ["us"]})
    assert status == 403
    assert answer["error"]["code"] == "Forbidden"


def test_a_bad_filter_is_still_the_callers_fault(send: Send) -> None:
    status, answer = send(ask("roads", filterAddOn="tenant eq"), ["roads"], {"owner": ["us"], "groups": ["staff"]})
    assert (status, answer["error"]["code"]) == (400, "InvalidFilter")


class Refusing:
    """A search service that quotes the whole filter that it was sent, as services do."""

    def __init__(self, code: str | None) -> None:
        self._code = code

    async def search(self, subquery: Subquery) -> Page:
        assert subquery.target.filter is not None
        message = f"Invalid expression: {odata.write(subquery.target.filter)}"
        raise BackendRefused("Azure AI Search", status=400, message=message, code=self._code)


@pytest.mark.parametrize("asked", [None, "name eq 'mine'"])
@pytest.mark.parametrize("code", ["", "InvalidRequestParameter"])
async def test_a_refusal_tells_the_code_and_the_callers_part_and_nothing_that_is_imposed(
    code: str, asked: str | None
) -> None:
    narrowed = ImposedFilters({"docs": RULES}).narrowed(
        Refusing(code), caller(tid=("us",), groups=("staff",)), ["docs"]
    )
    own = None if asked is None else odata.read(asked)
    with pytest.raises(BackendRefused) as refused:
        await narrowed.search(Subquery(search="roads", target=SearchTarget(index="docs", filter=own, threshold=0)))
    told = str(refused.value)
    assert (code or "no code given") in told
    assert asked is None or "name eq 'mine'" in told
    assert not any(secret in told for secret in ("tenant", "groups", "search.in", "'us'", "staff"))
    assert (refused.value.status, refused.value.__cause__) == (400, None)


async def test_where_nothing_is_imposed_a_refusal_is_told_in_the_services_words() -> None:
    target = SearchTarget(index="open", filter=odata.read("name eq 'mine'"), threshold=0)
    narrowed = ImposedFilters({"docs": RULES, "open": ()}).narrowed(Refusing("X"), caller(), ["open"])
    with pytest.raises(BackendRefused, match="Invalid expression: name eq 'mine'"):
        await narrowed.search(Subquery(search="roads", target=target))


def test_over_http_no_answer_to_a_refusal_shows_what_is_imposed(send: Send) -> None:
    claims = {"owner": ["us"], "groups": ["staff"]}
    status, answer = send(ask("roads", filterAddOn="nowhere eq 'x'"), ["roads"], claims)
    assert status == 400
    told = json.dumps(answer)
    assert "nowhere eq 'x'" in told
    assert "tenant" not in told and "search.in" not in told and "staff" not in told
