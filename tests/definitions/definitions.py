"""Any definitions that a store may keep, for laws."""

from typing import Final

from hypothesis import strategies as st

from retrieval.model.definitions import Agent, ModelDeployment, Source, Target

TEXT: Final = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
NAMES: Final = st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
HOSTS: Final = st.from_regex(r"[a-z]{1,8}\.openai\.azure\.com", fullmatch=True)
SWITCH: Final = st.none() | st.booleans()
COUNT: Final = st.integers(1, 2**31 - 1)

MODELS: Final = st.builds(
    ModelDeployment,
    endpoint=HOSTS.map(lambda host: f"https://{host}"),
    deployment=TEXT,
    model_name=st.none() | TEXT,
)
WHOLE_TARGETS: Final = st.builds(
    Target,
    index=st.sampled_from(["atlas", "waters"]),
    source=NAMES,
    reranker_threshold=st.none() | st.floats(0, 4),
    include_source_data=SWITCH,
    max_documents=st.none() | st.integers(1, 200),
    include_references=SWITCH,
    always_query=SWITCH,
    max_subqueries=st.none() | st.integers(2, 40),
    image_serving=SWITCH,
    freshness=SWITCH,
)
CORS: Final = st.fixed_dictionaries(
    {"allowedOrigins": st.lists(TEXT, min_size=1, max_size=3)}, optional={"maxAgeInSeconds": st.integers(0, 9)}
)
WHOLE_AGENTS: Final = st.builds(
    Agent,
    name=NAMES,
    targets=st.lists(WHOLE_TARGETS, min_size=1, max_size=4, unique_by=lambda target: target.source_name).map(tuple),
    model=st.none() | MODELS,
    max_runtime=st.none() | st.integers(10, 600),
    max_output_tokens=st.none() | COUNT,
    max_documents=st.none() | COUNT,
    description=st.none() | TEXT,
    effort=st.sampled_from([None, "minimal", "low", "medium", "auto"]),
    output_mode=st.sampled_from([None, "extractiveData", "answerSynthesis"]),
    retrieval_instructions=st.none() | TEXT,
    answer_instructions=st.none() | TEXT,
    include_activity=SWITCH,
    ground_everything=SWITCH,
    fast_path=SWITCH,
    tags=st.dictionaries(TEXT, TEXT, max_size=3),
    cors=st.none() | CORS,
)
FIELDS: Final = st.lists(NAMES, max_size=3, unique=True).map(tuple)
HINTS: Final = st.fixed_dictionaries(
    {},
    optional={
        "filters": st.lists(
            st.fixed_dictionaries(
                {"field": NAMES, "fieldValues": st.lists(TEXT, max_size=2)}, optional={"filterInstructions": TEXT}
            ),
            max_size=2,
            unique_by=lambda hint: hint["field"],
        ),
        "boosts": st.lists(
            st.fixed_dictionaries(
                {"kind": st.just("multiWordExpression"), "boost": st.floats(0.1, 9).filter(lambda one: one != 1)}
            ),
            max_size=2,
        ),
    },
)
OF_INDEXES: Final = st.builds(
    Source,
    name=NAMES,
    index=TEXT,
    description=st.none() | TEXT,
    source_fields=FIELDS,
    search_fields=FIELDS,
    semantic_configuration=st.none() | NAMES,
    base_filter=st.sampled_from([None, "page eq '1'"]),
    query_hints=st.none() | HINTS.filter(bool),
    results_processing=st.sampled_from([None, "rerank", "none"]),
)
OF_BASES: Final = st.builds(
    Source, name=NAMES, index=TEXT, kind=st.just("modelStudioBase"), description=st.none() | TEXT
)
WHOLE_SOURCES: Final = OF_INDEXES | OF_BASES
