"""Requests and answers of each route: one entry per route of `access.rights.ROUTES`, or per form of its path."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from retrieval.openapi.answers import ANSWER
from retrieval.openapi.definitions import DEFINITIONS
from retrieval.openapi.description import Description, odata
from retrieval.openapi.monitoring import DOCTOR, HEALTH, OPENAPI, PLAYGROUND, PLAYGROUND_FILE, READY
from retrieval.openapi.retrieve import RETRIEVE, RETRIEVE_FROM_BASE, STUDIO_RETRIEVE
from retrieval.openapi.tools import TOOLS

DESCRIPTIONS: Final[Mapping[str, Description]] = MappingProxyType(
    {
        "POST agents/{name}/retrieve": RETRIEVE,
        "POST agents('{name}')/retrieve": odata(RETRIEVE),
        "POST knowledgebases/{name}/retrieve": RETRIEVE_FROM_BASE,
        "POST knowledgebases('{name}')/retrieve": odata(RETRIEVE_FROM_BASE),
        "POST agents/{name}/answer": ANSWER,
        **TOOLS,
        "POST llm-{workspaceId}/index/retrieve": STUDIO_RETRIEVE,
        "POST ws_{workspaceId}/index/retrieve": replace(
            STUDIO_RETRIEVE,
            id=f"{STUDIO_RETRIEVE.id}Ws",
            summary=f"{STUDIO_RETRIEVE.summary} Older workspace ids.",
        ),
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
