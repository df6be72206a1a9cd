"""What this service says of itself: that it is alive, whether it can serve, what is wrong with the deployment, and
where its callers sign in (RFC 9728).

The shapes are ours, without versions.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.contracts.rendered import Rendered
from retrieval.model import finding
from retrieval.model.finding import Finding
from retrieval.telemetry.readiness import Report, State
from retrieval.version import VERSION

NOT_KEPT = {"Cache-Control": "no-store"}


class Health(BaseModel):
    """This process answers, and runs this version."""

    status: Literal["alive"] = "alive"
    version: str = VERSION


class Readiness(BaseModel):
    """The states of this instance's dependencies, at most five seconds old."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    status: Literal["ready", "notReady"]
    settings: Literal["complete", "incomplete"]
    search: State
    model: State
    agent_store: State
    version: str = VERSION


def render_health() -> Rendered:
    """Always 200."""
    return Rendered(status=200, body=Health().model_dump_json().encode(), headers=NOT_KEPT)


def render_readiness(report: Report) -> Rendered:
    """200 when calls can be served, otherwise 503."""
    body = Readiness(
        status="ready" if report.ready else "notReady",
        settings="complete" if report.configured else "incomplete",
        search=report.states["search"],
        model=report.states["model"],
        agent_store=report.states["agentStore"],
    )
    status = 200 if report.ready else 503
    return Rendered(status=status, body=body.model_dump_json(by_alias=True).encode(), headers=NOT_KEPT)


class LackingRole(BaseModel):
    """A role that the identity lacks: `scope` is a command that prints the id of the resource."""

    role: str
    scope: str
    principal: str
    kind: str


class Found(BaseModel):
    """One sentence about one thing, and what to do about it, line by line."""

    subject: str
    name: str
    state: finding.State
    said: str
    do: str
    lacking: LackingRole | None


class Examination(BaseModel):
    """All findings, in the order of the checks."""

    status: Literal["well", "faults"]
    findings: list[Found]


def render_examination(findings: Sequence[Finding]) -> Rendered:
    """Always 200: that something is wrong is the answer."""
    faults = any(found.state == "fault" for found in findings)
    items = [Found.model_validate(found, from_attributes=True) for found in findings]
    body = Examination(status="faults" if faults else "well", findings=items)
    return Rendered(status=200, body=body.model_dump_json().encode(), headers={"Cache-Control": "no-store"})


class ProtectedResource(BaseModel):
    """`resource` is the address of MCP; an authorization server is named by its issuer."""

    model_config = ConfigDict(defer_build=True)

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]


def render(resource: str, *, issuer: str, scope: str) -> Rendered:
    """Not to be kept: the address is the one that was asked."""
    metadata = ProtectedResource(
        resource=resource,
        authorization_servers=[issuer],
        scopes_supported=[scope],
        bearer_methods_supported=["header"],
    )
    return Rendered(status=200, body=metadata.model_dump_json().encode(), headers={"Cache-Control": "no-store"})
