"""The answer of `GET doctor`: the findings about the deployment. This project defines the shape, which has no
versions."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from retrieval.contracts.rendered import Rendered
from retrieval.doctor.report import has_faults
from retrieval.model.finding import Finding, State


class LackingRole(BaseModel):
    """A role that an identity may lack. `principal` is the object id of the identity, or empty. `scope` is a command
    that prints the id of the resource."""

    role: str
    scope: str
    principal: str
    kind: str


class Found(BaseModel):
    """A finding. `said` is a sentence about the thing that was checked. `do` has the steps to take, one on each
    line."""

    subject: str
    name: str
    state: State
    said: str
    do: str
    lacking: LackingRole | None


class Examination(BaseModel):
    """All findings, in the order of the checks."""

    status: Literal["well", "faults"]
    findings: list[Found]


def render_examination(findings: Sequence[Finding]) -> Rendered:
    """Renders the findings. The status is always 200, even if there are faults."""
    items = [Found.model_validate(finding, from_attributes=True) for finding in findings]
    body = Examination(status="faults" if has_faults(findings) else "well", findings=items)
    return Rendered(status=200, body=body.model_dump_json().encode(), headers={"Cache-Control": "no-store"})
