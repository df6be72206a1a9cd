"""The answer workflow: `POST agents/{name}/answer`; `?detail=workflow` asks for the six payloads.

The workflow and its contract are loaded with the first call.
"""

from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from retrieval.contracts.rendered import Rendered
from retrieval.http.asking import Run, ask
from retrieval.http.call import Call
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.definitions import Agent

if TYPE_CHECKING:
    from retrieval.contracts.answer import Detail
    from retrieval.model.answer import Answer, AnswerRequest

RENDERING: Final = 200
"""Characters of a document that cost as much to go over as a citation to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    """The contract, in the detail that is asked for."""

    detail: "Detail"

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> "AnswerRequest":
        from retrieval.contracts import answer

        return answer.parse(body, agent, user_token=user_token, nonce=token_hex(16), detail=self.detail)

    def render(self, found: "Answer") -> Rendered:
        from retrieval.contracts import answer

        return answer.render(found, detail=self.detail)


def _speaks(call: Call) -> _Spoken:
    from retrieval.contracts import answer

    return _Spoken(detail=answer.detail(call.query))


async def _run(admitted: Admitted, agent: Agent, request: "AnswerRequest") -> "Answer":
    from retrieval.call import workflow

    service = admitted.service
    admitted.check_time(request.limits.runtime)
    return await workflow.answer(
        replace(request, calibration=service.indexes.calibration_of(request.targets)),
        index=admitted.index(request.targets),
        schemas=service.indexes.schemas,
        facets=service.indexes.facets,
        values_shown=not service.indexes.imposed.in_force,
        model=service.models.of(agent),
        clock=service.process.clock,
        pace=service.indexes.pace,
        start=admitted.start,
    )


def _extent(found: "Answer") -> int:
    written = found.written
    return RENDERING * sum(map(len, (written.citations, written.removed, written.unquoted, written.unfounded)))


def _content(found: "Answer") -> str:
    searches = [result.query.query for result in found.results]
    keys = [] if found.judgement is None else [one.chunk.reference.hit.key for one in found.judgement.selected]
    return f"queries={searches!r} selected={keys!r} answer={found.written.markdown!r}"


def load_workflow() -> None:
    """The workflow with all its steps, and its contract, at the first call."""
    from retrieval.call import (
        chunks,  # noqa: F401
        places,  # noqa: F401
        workflow,  # noqa: F401
    )
    from retrieval.contracts import answer  # noqa: F401
    from retrieval.steps import plan_filter  # noqa: F401


async def _answer(admitted: Admitted, spoken: _Spoken) -> Rendered:
    return await ask(admitted, admitted.call.route["name"], spoken, WORKFLOW)


WORKFLOW: Final = Run(run=_run, extent=_extent, content=_content)


def _named(call: Call) -> str:
    return "answer"


ANSWER: Final = Endpoint(
    operation="answer", span="answer", load=load_workflow, speaks=_speaks, contract=_named, work=_answer
)
