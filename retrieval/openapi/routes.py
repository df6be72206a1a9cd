"""Requests and answers of each route: one entry per route of `access.rights.ROUTES`, or per form of its path."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from retrieval.contracts.azure.v2025_05_01_preview import definitions as agents
from retrieval.contracts.azure.v2025_05_01_preview import request, response
from retrieval.contracts.azure.v2025_08_01_preview import request as later
from retrieval.contracts.azure.v2025_08_01_preview import response as later_response
from retrieval.contracts.azure.v2025_08_01_preview.definitions import AgentDefinition
from retrieval.contracts.doctor import Examination
from retrieval.contracts.health import Health, Readiness
from retrieval.contracts.model_studio import parameters as studio_parameters
from retrieval.contracts.model_studio import response as studio_response
from retrieval.openapi import bases, examples
from retrieval.openapi.answers import ANSWER
from retrieval.openapi.definitions import DEFINITIONS, odata
from retrieval.openapi.description import Body, DescribedResponse, Description, Shape
from retrieval.openapi.errors import (
    ASKED,
    AZURE,
    CREATED,
    DELETED,
    EXAMINED,
    LISTED,
    MODEL_STUDIO,
    READ,
    SHOWN,
    SIGNED,
    TOLD,
    WRITTEN,
)
from retrieval.openapi.parameters import (
    AGENTS_VERSION,
    FILE,
    IF_MATCH,
    IF_NONE_MATCH,
    NAME,
    PREFER,
    REQUEST_ID,
    RETRIEVE_VERSION,
    USER_TOKEN,
    WORKSPACE,
)
from retrieval.openapi.tools import CALL_TOOLS, END_SESSION, LISTEN

FORM: Final = "application/x-www-form-urlencoded"


def _of_agents(name: str, earlier: Any, later: Any, **members: Any) -> Shape:
    """What agents have in either of their versions."""
    versions = {"2025_05_01_preview": earlier, "2025_08_01_preview": later}
    variants = tuple(Shape(name=f"{name}_{version}", type=type, **members) for version, type in versions.items())
    return Shape(name=name, variants=variants)


AGENT: Final = _of_agents("Agent", agents.AgentDefinition, AgentDefinition)
STORED: Final = Body(shape=AGENT, examples={"agent": examples.STORED_AGENT})

RETRIEVE: Final = Description(
    id="retrieve",
    tag="retrieve",
    summary="Plan sub-queries for a conversation, search them all at once, rerank, merge and ground.",
    parameters=(NAME, RETRIEVE_VERSION, USER_TOKEN, REQUEST_ID),
    request=Body(
        shape=_of_agents("RetrieveRequest", request.RetrieveRequest, later.RetrieveRequest),
        examples={"question": examples.QUESTION},
    ),
    answers={
        200: DescribedResponse(
            description="Grounding text, references, and a record of every step; also when a sub-query failed.",
            body=Body(
                shape=_of_agents(
                    "RetrieveResponse",
                    response.RetrieveResponse,
                    later_response.RetrieveResponse,
                    mode="serialization",
                    whole=True,
                ),
                examples={"retrieved": examples.RETRIEVED},
            ),
        )
    },
    envelope=AZURE,
    failures=ASKED,
)

GET_AGENT: Final = Description(
    id="getAgent",
    tag="agents",
    summary="Get an agent as it is stored now.",
    parameters=(NAME, AGENTS_VERSION, REQUEST_ID),
    answers={200: DescribedResponse(description="The agent.", body=STORED, headers=("ETag",))},
    envelope=AZURE,
    failures=READ,
)

PUT_AGENT: Final = Description(
    id="putAgent",
    tag="agents",
    summary="Create an agent, or replace it.",
    parameters=(NAME, AGENTS_VERSION, IF_MATCH, IF_NONE_MATCH, PREFER, REQUEST_ID),
    request=Body(shape=AGENT, examples={"agent": examples.AGENT}),
    answers={
        200: DescribedResponse(description="Replaced.", body=STORED, headers=("ETag",)),
        201: DescribedResponse(description="Created.", body=STORED, headers=("ETag",)),
        204: DescribedResponse(description="Written; the caller asked for no body.", headers=("ETag",)),
    },
    envelope=AZURE,
    failures=WRITTEN,
)

DELETE_AGENT: Final = Description(
    id="deleteAgent",
    tag="agents",
    summary="Delete an agent.",
    parameters=(NAME, AGENTS_VERSION, IF_MATCH, IF_NONE_MATCH, REQUEST_ID),
    answers={204: DescribedResponse(description="Deleted.")},
    envelope=AZURE,
    failures=DELETED,
)

LIST_AGENTS: Final = Description(
    id="listAgents",
    tag="agents",
    summary="List all agents, by name.",
    parameters=(AGENTS_VERSION, REQUEST_ID),
    answers={
        200: DescribedResponse(
            description="The agents.",
            body=Body(
                shape=Shape(name="Agents", type=agents.AgentDefinitions),
                examples={"agents": {"value": [examples.STORED_AGENT]}},
            ),
        )
    },
    envelope=AZURE,
    failures=LISTED,
)

CREATE_AGENT: Final = Description(
    id="createAgent",
    tag="agents",
    summary="Create an agent; 409 if an agent of that name exists.",
    parameters=(AGENTS_VERSION, REQUEST_ID),
    request=Body(shape=AGENT, examples={"agent": examples.AGENT}),
    answers={201: DescribedResponse(description="Created.", body=STORED, headers=("ETag",))},
    envelope=AZURE,
    failures=CREATED,
)

STUDIO_RETRIEVE: Final = Description(
    id="modelStudioRetrieve",
    tag="retrieve",
    summary="Retrieve of Alibaba Cloud Model Studio, 2023-12-29. Parameters are in the query string or the body.",
    parameters=(WORKSPACE,),
    request=Body(
        shape=Shape(name="ModelStudioRetrieve", type=studio_parameters.Parameters, mode="serialization"),
        examples={"question": examples.PARAMETERS},
        media_types=("application/json", FORM),
        query=True,
    ),
    answers={
        200: DescribedResponse(
            description="Chunks, the best first; none where nothing was found.",
            body=Body(
                shape=Shape(
                    name="ModelStudioResponse",
                    type=studio_response.RetrieveResponse,
                    mode="serialization",
                    whole=True,
                ),
                examples={"nodes": examples.NODES},
            ),
        )
    },
    envelope=MODEL_STUDIO,
    failures=SIGNED,
    signed=True,
)

HEALTH: Final = Description(
    id="health",
    tag="monitoring",
    summary="Report that the process is alive. Nothing else is checked.",
    answers={
        200: DescribedResponse(
            description="Alive.",
            body=Body(
                shape=Shape(name="Health", type=Health, mode="serialization", whole=True),
                examples={"alive": {"status": "alive"}},
            ),
        )
    },
    envelope=AZURE,
    failures=TOLD,
)

READINESS: Final = Shape(name="Readiness", type=Readiness, mode="serialization", whole=True)

READY: Final = Description(
    id="ready",
    tag="monitoring",
    summary="Report whether calls can be served. The answer is at most five seconds old.",
    answers={
        200: DescribedResponse(description="Ready.", body=Body(shape=READINESS, examples={"ready": examples.READY})),
        503: DescribedResponse(
            description="Not ready.", body=Body(shape=READINESS, examples={"notReady": examples.NOT_READY})
        ),
    },
    envelope=AZURE,
    failures=TOLD,
)

DOCTOR: Final = Description(
    id="doctor",
    tag="monitoring",
    summary="Examine the deployment: what is wrong with it, and what to do. It asks every service behind this one.",
    parameters=(REQUEST_ID,),
    answers={
        200: DescribedResponse(
            description="The findings, whether or not there are faults.",
            body=Body(
                shape=Shape(name="Examination", type=Examination, mode="serialization", whole=True),
                examples={"faults": examples.EXAMINATION},
            ),
        )
    },
    envelope=AZURE,
    failures=EXAMINED,
)

OPENAPI: Final = Description(
    id="openapi",
    tag="monitoring",
    summary="Get this document.",
    answers={
        200: DescribedResponse(
            description="OpenAPI 3.1.",
            body=Body(shape=Shape(name="OpenApi", type=dict[str, Any])),
        )
    },
    envelope=AZURE,
    failures=TOLD,
)

PLAYGROUND: Final = Description(
    id="playground",
    tag="monitoring",
    summary="Get a page that asks as any client does, and shows what happened.",
    answers={
        200: DescribedResponse(
            description="HTML.", body=Body(shape=Shape(name="Page", type=str), media_types=("text/html",))
        )
    },
    envelope=AZURE,
    failures=SHOWN,
)

PLAYGROUND_FILE: Final = replace(
    PLAYGROUND,
    id="playgroundFile",
    summary="Get a file of that page.",
    parameters=(FILE,),
    answers={
        200: DescribedResponse(
            description="The file.",
            body=Body(shape=Shape(name="Page", type=str), media_types=("text/javascript", "text/css", "image/svg+xml")),
        )
    },
)

DESCRIPTIONS: Final[Mapping[str, Description]] = MappingProxyType(
    {
        "POST agents/{name}/retrieve": RETRIEVE,
        "POST agents('{name}')/retrieve": odata(RETRIEVE),
        "POST agents/{name}/answer": ANSWER,
        "POST agents/{name}/mcp": CALL_TOOLS,
        "GET agents/{name}/mcp": LISTEN,
        "DELETE agents/{name}/mcp": END_SESSION,
        "POST llm-{workspaceId}/index/retrieve": STUDIO_RETRIEVE,
        "POST ws_{workspaceId}/index/retrieve": replace(
            STUDIO_RETRIEVE,
            id="modelStudioRetrieveWs",
            summary=f"{STUDIO_RETRIEVE.summary} Older workspace ids.",
        ),
        "GET agents": LIST_AGENTS,
        "POST agents": CREATE_AGENT,
        "GET agents/{name}": GET_AGENT,
        "GET agents('{name}')": odata(GET_AGENT),
        "PUT agents/{name}": PUT_AGENT,
        "PUT agents('{name}')": odata(PUT_AGENT),
        "DELETE agents/{name}": DELETE_AGENT,
        "DELETE agents('{name}')": odata(DELETE_AGENT),
        **bases.ROUTES,
        **DEFINITIONS,
        "GET doctor": DOCTOR,
        "GET health": HEALTH,
        "GET ready": READY,
        "GET openapi.json": OPENAPI,
        "GET playground": PLAYGROUND,
        "GET playground/{name}": PLAYGROUND_FILE,
    }
)

STANDS_FOR: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"POST {prefix}{{workspaceId}}/index/retrieve": "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve"
        for prefix in ("llm-", "ws_")
    }
)
"""The route behind a path that is written in another way here. OpenAPI has no route constraints, so for it
`agents/{name}/retrieve` and `{workspaceId}/index/retrieve` would be ambiguous without the first letters of the id."""
