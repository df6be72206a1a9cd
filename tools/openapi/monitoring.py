"""The routes about this service itself, which everybody may call."""

from dataclasses import replace
from typing import Any, Final

from retrieval.contracts.described import (
    AZURE,
    EVERY_ROUTE,
    PAGE,
    Body,
    DescribedResponse,
    Description,
    Shape,
    answer_shape,
    answered,
)
from retrieval.contracts.health import Health, Readiness
from retrieval.version import VERSION
from tools.openapi import examples
from tools.openapi.parameters import FILE

HEALTH: Final = Description(
    id="getHealth",
    tag="monitoring",
    summary="Report that the process is alive. Nothing else is checked.",
    answers=answered("Alive.", answer_shape("Health", Health), alive={"status": "alive", "version": VERSION}),
    envelope=AZURE,
    failures=EVERY_ROUTE,
)

READINESS: Final = answer_shape("Readiness", Readiness)

READY: Final = Description(
    id="getReadiness",
    tag="monitoring",
    summary="Report whether calls can be served. The answer is at most five seconds old.",
    answers={
        200: DescribedResponse(description="Ready.", body=Body(shape=READINESS, examples={"ready": examples.READY})),
        503: DescribedResponse(
            description="Not ready.", body=Body(shape=READINESS, examples={"notReady": examples.NOT_READY})
        ),
    },
    envelope=AZURE,
    failures=EVERY_ROUTE,
)

OPENAPI: Final = Description(
    id="getDocument",
    tag="monitoring",
    summary="Get this document.",
    answers=answered("OpenAPI 3.1.", Shape(name="OpenApi", type=dict[str, Any])),
    envelope=AZURE,
    failures=EVERY_ROUTE,
)

PLAYGROUND: Final = Description(
    id="getPage",
    tag="monitoring",
    summary="Get the playground, a page that calls this service as any client does.",
    answers={
        200: DescribedResponse(
            description="HTML.", body=Body(shape=Shape(name="Page", type=str), media_types=("text/html",))
        ),
        308: DescribedResponse(description="The address without a slash at its end.", headers=("Location",)),
    },
    envelope=AZURE,
    failures=PAGE,
)

PLAYGROUND_FILE: Final = replace(
    PLAYGROUND,
    id="getPageFile",
    summary="Get a file of that page.",
    parameters=(FILE,),
    answers={
        200: DescribedResponse(
            description="The file.",
            body=Body(
                shape=Shape(name="Page", type=str),
                media_types=("text/html", "text/javascript", "text/css", "application/json", "image/svg+xml"),
            ),
        )
    },
)
