"""Laws of definitions, of what stores keep, and of preconditions."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from retrieval.access.allowed_models import AllowedModels
from retrieval.contracts.azure.precondition_headers import precondition, quote_etag
from retrieval.contracts.served_versions import DEFINITION_CONTRACTS, definition_contract
from retrieval.definitions.stored_json import AGENTS as KIND
from retrieval.model.definitions import Agent, ModelDeployment, Source, Stored, Target
from retrieval.model.precondition import ABSENT, ANY, UNCONDITIONAL, Precondition
from tests.definitions.definitions import MODELS, NAMES, TEXT, WHOLE_AGENTS, WHOLE_SOURCES
from tests.rooms import NEEDS_BASES_OF_STUDIO

TARGETS = st.builds(
    Target,
    index=TEXT,
    reranker_threshold=st.none() | st.floats(0, 4),
    include_source_data=st.none() | st.booleans(),
    max_documents=st.none() | st.integers(1, 200),
)
AGENTS = st.builds(
    Agent,
    name=NAMES,
    targets=st.tuples(TARGETS),
    model=st.none() | MODELS,
    max_runtime=st.none() | st.integers(10, 600),
    max_output_tokens=st.none() | st.integers(1, 2**31 - 1),
    description=st.none() | TEXT,
)
OF_AGENTS = st.sampled_from([at for at in DEFINITION_CONTRACTS if not at[0].startswith("knowledgesources")])
"""Routes and versions of agents and knowledge bases."""

SOURCE_VERSIONS = [version for route, version in DEFINITION_CONTRACTS if route == "knowledgesources"]
ETAGS = st.from_regex(r"0x[0-9A-F]{1,16}", fullmatch=True)
PRECONDITIONS = st.builds(
    Precondition,
    match=st.none() | st.frozensets(ETAGS | st.just(ANY), max_size=3),
    none_match=st.frozensets(ETAGS | st.just(ANY), max_size=3),
)


@given(AGENTS, ETAGS, st.booleans())
def test_what_is_rendered_parses_to_the_same_agent(agent: Agent, etag: str, has_key: bool) -> None:
    contract, stored = definition_contract("agents", "2025-05-01-preview"), Stored(value=agent, etag=etag)
    rendered = contract.render(stored, status=200, has_key=lambda model: has_key)
    assert contract.parse(rendered.content, name=agent.name, has_key=lambda model: has_key)(None) == agent


def keyless(model: ModelDeployment) -> bool:
    return False


@given(WHOLE_AGENTS, OF_AGENTS, TEXT)
def test_what_is_got_in_one_version_and_put_back_changed_keeps_all_that_it_cannot_say(
    agent: Agent, at: tuple[str, str], description: str
) -> None:
    contract = definition_contract(*at)
    body = json.loads(contract.render(Stored(value=agent, etag="0x1"), status=200, has_key=keyless).content)
    for changed in (agent.description, description):
        sent = json.dumps({**body, "description": changed}).encode()
        put = contract.parse(sent, name=agent.name, has_key=keyless)(agent)
        assert put == replace(agent, description=changed)


@NEEDS_BASES_OF_STUDIO
@given(WHOLE_SOURCES, st.sampled_from(SOURCE_VERSIONS), TEXT)
def test_so_it_is_with_sources(source: Source, version: str, description: str) -> None:
    contract = definition_contract("knowledgesources", version)
    body = json.loads(contract.render(Stored(value=source, etag="0x1"), status=200, has_key=keyless).content)
    for changed in (source.description, description):
        sent = json.dumps({**body, "description": changed}).encode()
        put = contract.parse(sent, name=source.name, has_key=keyless)(source)
        assert put == replace(source, description=changed)


@given(WHOLE_AGENTS, OF_AGENTS, OF_AGENTS)
def test_what_one_version_stored_and_another_put_back_comes_back_whole(
    agent: Agent, first: tuple[str, str], second: tuple[str, str]
) -> None:
    one, other = definition_contract(*first), definition_contract(*second)
    shown = one.render(Stored(value=agent, etag="0x1"), status=200, has_key=keyless).content
    got = other.render(Stored(value=agent, etag="0x1"), status=200, has_key=keyless).content
    put = other.parse(got, name=agent.name, has_key=keyless)(agent)
    assert one.render(Stored(value=put, etag="0x1"), status=200, has_key=keyless).content == shown


@given(AGENTS, ETAGS, TEXT)
def test_what_a_store_writes_reads_as_the_same_agent_without_a_key(agent: Agent, etag: str, key: str) -> None:
    with_key = agent if agent.model is None else replace(agent, model=replace(agent.model, api_key=f"SECRET{key}"))
    text = KIND.write(Stored(value=with_key, etag=etag))
    assert "SECRET" not in text
    assert KIND.read(text, name=agent.name, etag=etag) == Stored(value=agent, etag=etag)


@given(PRECONDITIONS, st.none() | ETAGS)
def test_a_precondition_holds_when_both_of_its_halves_do(when: Precondition, etag: str | None) -> None:
    match_alone, none_match_alone = Precondition(match=when.match), Precondition(none_match=when.none_match)
    assert when.holds(etag) is (match_alone.holds(etag) and none_match_alone.holds(etag))
    assert UNCONDITIONAL.holds(etag)
    assert ABSENT.holds(etag) is (etag is None)
    assert Precondition(match=frozenset({ANY})).holds(etag) is not ABSENT.holds(etag)


@given(st.frozensets(ETAGS, min_size=1, max_size=4), st.none() | ETAGS)
def test_one_of_matching_and_not_matching_a_list_holds_but_where_nothing_is_stored(
    etags: frozenset[str], stored: str | None
) -> None:
    matching, not_matching = Precondition(match=etags).holds(stored), Precondition(none_match=etags).holds(stored)
    assert matching is not not_matching
    assert matching is (stored in etags)


@given(st.frozensets(ETAGS, min_size=1, max_size=4), st.sampled_from([", ", ",", " , ", ",,\t"]), st.booleans())
def test_headers_read_as_the_etags_that_were_written(etags: frozenset[str], between: str, plain: bool) -> None:
    text = between.join(sorted(etags) if plain else map(quote_etag, sorted(etags)))
    assert precondition({"if-match": text}) == Precondition(match=etags)
    assert precondition({"if-none-match": text}) == Precondition(none_match=etags)


@given(st.lists(MODELS, max_size=4), MODELS)
def test_only_a_model_of_the_configuration_is_ever_called_and_as_it_stands_there(
    configured: list[ModelDeployment], asked: ModelDeployment
) -> None:
    allowed = AllowedModels.of(*configured)
    for model in (asked, *configured, *(replace(one, endpoint=f"{one.endpoint.upper()}/") for one in configured)):
        found = allowed.configured(model)
        assert found is None or found in configured
    assert all(allowed.configured(model) is not None for model in configured)
    if asked.deployment not in {model.deployment for model in configured}:
        assert allowed.configured(asked) is None


@given(st.text(max_size=60))
def test_any_address_whatever_is_either_configured_or_refused(endpoint: str) -> None:
    allowed = AllowedModels.of(ModelDeployment(endpoint="https://mine.openai.azure.com", deployment="d"))
    found = allowed.configured(ModelDeployment(endpoint=endpoint, deployment="d"))
    assert found is None or endpoint.lower().rstrip("/") == "https://mine.openai.azure.com"
