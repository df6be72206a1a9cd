"""Retrieve and MCP at the address of a knowledge base. Shapes are the newest version's; earlier ones have less."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from retrieval.contracts import CONTRACTS
from retrieval.contracts.azure.v2026_08_01_preview import request, response
from retrieval.openapi import examples
from retrieval.openapi.definitions import odata
from retrieval.openapi.description import Body, DescribedResponse, Description, Shape
from retrieval.openapi.errors import ASKED, AZURE
from retrieval.openapi.parameters import BASE_NAME, REQUEST_ID, USER_TOKEN, version
from retrieval.openapi.tools import CALL_TOOLS, END_SESSION, LISTEN

FOUND: Final = Body(
    shape=Shape(name="KnowledgeBaseAnswer", type=response.RetrieveResponse, mode="serialization", whole=True),
    examples={"retrieved": examples.RETRIEVED_FROM_BASE},
    media_types=("application/json", "text/event-stream"),
)

RETRIEVE: Final = Description(
    id="retrieveFromBase",
    tag="retrieve",
    summary="Plan sub-queries or take intents, search them all at once, rerank, merge and ground, or write an answer.",
    parameters=(
        BASE_NAME,
        version([version for route, version in CONTRACTS if route == "knowledgebases"]),
        USER_TOKEN,
        REQUEST_ID,
    ),
    request=Body(
        shape=Shape(name="KnowledgeBaseRequest", type=request.RetrieveRequest),
        examples={"intents": examples.INTENTS},
    ),
    answers={
        200: DescribedResponse(
            description="The documents or the answer, references, and a record of every step.", body=FOUND
        ),
        206: DescribedResponse(description="The same; some searches failed, and their records say why.", body=FOUND),
    },
    envelope=AZURE,
    failures=ASKED,
)

TOOLS: Final = {
    method: replace(
        described,
        id=f"{described.id}OfBase",
        parameters=(BASE_NAME, *(one for one in described.parameters if one["name"] != "name")),
    )
    for method, described in {"POST": CALL_TOOLS, "GET": LISTEN, "DELETE": END_SESSION}.items()
}

ROUTES: Final[Mapping[str, Description]] = {
    "POST knowledgebases/{name}/retrieve": RETRIEVE,
    "POST knowledgebases('{name}')/retrieve": odata(RETRIEVE),
    **{f"{method} knowledgebases/{{name}}/mcp": described for method, described in TOOLS.items()},
    **{f"{method} knowledgebases('{{name}}')/mcp": odata(described) for method, described in TOOLS.items()},
}
