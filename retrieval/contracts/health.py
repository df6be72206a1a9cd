"""The answers for monitors: whether the process is alive, and whether it can serve calls. This project defines the
shapes, which have no versions."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

from retrieval.contracts.azure.errors import is_none
from retrieval.contracts.rendered import Rendered
from retrieval.telemetry.readiness import Report, State
from retrieval.version import VERSION, running

NOT_KEPT = {"Cache-Control": "no-store"}


class Health(BaseModel):
    """The answer that the process is alive, with the version of this service."""

    status: Literal["alive"] = "alive"
    version: str = VERSION


class Readiness(BaseModel):
    """The states of the services that this instance depends on, from a round of probes that ended at most five seconds
    ago."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    status: Literal["ready", "notReady"]
    settings: Literal["complete", "incomplete"]
    search: State
    model: State
    agent_store: State
    failing: tuple[str, ...] | SkipJsonSchema[None] = Field(
        default=None,
        exclude_if=is_none,
        description="The knowledge sources in which at least half of the searches of the last minute failed, if any.",
    )
    warnings: tuple[str, ...] | SkipJsonSchema[None] = Field(
        default=None,
        exclude_if=is_none,
        description="What was left out of the files that the local search service loaded, if anything.",
    )
    version: str = VERSION


def render_health() -> Rendered:
    """The answer. The status is always 200."""
    return Rendered(status=200, body=Health(version=running()).model_dump_json().encode(), headers=NOT_KEPT)


def render_readiness(report: Report) -> Rendered:
    """The answer. The status is 200 if calls can be served, and 503 otherwise."""
    members: dict[Any, object] = {
        "status": "ready" if report.ready else "notReady",
        "settings": "complete" if report.configured else "incomplete",
        **report.states,
        "failing": report.failing or None,
        "warnings": report.warnings or None,
        "version": running(),
    }
    body = Readiness.model_validate(members).model_dump_json(by_alias=True)
    return Rendered(status=200 if report.ready else 503, body=body.encode(), headers=NOT_KEPT)
