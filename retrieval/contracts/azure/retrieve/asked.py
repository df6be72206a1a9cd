"""A request with the members of every version, into the hub: what a version lacks is unsaid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.contracts.azure.parts import Wire, conversation, refuse_control_characters
from retrieval.contracts.azure.retrieve.request_shapes import AnyReasoningEffort, Intent, Message
from retrieval.contracts.azure.retrieve.source_params import PARAMS, SourceParams, search_targets
from retrieval.contracts.azure.stored_source import said
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, Effort, OutputMode
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.clipped import ends

DEFAULT_OUTPUT_TOKENS: Final = 5_000

NOTHING_ASKED: Final = "Nothing is asked. Send 'messages' (a conversation) or 'intents' (what to search for)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Where neither the caller nor the agent says something. `runtime` is in seconds.

    `nothing_asked` is what a caller reads whose body has no input. `most_queries` bounds the plan, by effort, where the
    version does.
    """

    effort: Effort = "low"
    runtime: float = 60.0
    nothing_asked: str = NOTHING_ASKED
    most_queries: Mapping[Effort, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a body says; None is unsaid."""

    messages: Sequence[Message] = ()
    intents: Sequence[Intent] = ()
    knowledge_source_params: Sequence[SourceParams] = ()
    max_runtime_in_seconds: int | None = None
    max_output_size: int | None = None
    max_output_size_in_tokens: int | None = None
    max_output_documents: int | None = None
    retrieval_reasoning_effort: AnyReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None


def asked(wire: Wire) -> Asked:
    """What the shape of a version, once read, says."""
    members = {name: value for name, value in wire if value is not None}
    params = [
        SourceParams(place=f"{PARAMS}[{i}]", **dict(one))
        for i, one in enumerate(members.pop("knowledge_source_params", ()))
    ]
    return Asked(**members, knowledge_source_params=params)


def request_of(wire: Wire, agent: Agent, defaults: Defaults, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the agent and then from the version. Raises BadRequest."""
    said_here = asked(wire)
    refuse_control_characters(user_token or "", target="x-ms-query-source-authorization")
    effort, mode = _effort(said_here, agent, defaults), said(said_here.output_mode, agent.output_mode)
    if effort == "minimal":
        _check_minimal(said_here, mode)
    if not said_here.messages and not said_here.intents:
        raise BadRequest(defaults.nothing_asked, target="intents")
    return RetrievalRequest(
        messages=conversation(said_here.messages) if said_here.messages else (),
        queries=tuple(_search(intent, f"intents[{i}].search") for i, intent in enumerate(said_here.intents)),
        targets=search_targets(agent, said_here.knowledge_source_params),
        effort=effort,
        limits=Limits(
            queries=defaults.most_queries.get(effort),
            output_tokens=_output_tokens(said_here, agent),
            runtime=said(said_here.max_runtime_in_seconds, said(agent.max_runtime, defaults.runtime)),
            documents=said(said_here.max_output_documents, agent.max_documents),
        ),
        output="synthesis" if mode == "answerSynthesis" else "documents",
        instructions=agent.retrieval_instructions,
        answer_instructions=agent.answer_instructions,
        include_activity=said(said_here.include_activity, said(agent.include_activity, True)),
        user_token=user_token,
    )


def _effort(said_here: Asked, agent: Agent, defaults: Defaults) -> Effort:
    stated = said_here.retrieval_reasoning_effort
    return stated.kind if stated else agent.effort or defaults.effort


def _output_tokens(said_here: Asked, agent: Agent) -> int:
    """The member that names tokens wins, where a version has both."""
    stated = said(said_here.max_output_size_in_tokens, said_here.max_output_size)
    return said(stated, said(agent.max_output_tokens, DEFAULT_OUTPUT_TOKENS))


def _check_minimal(said_here: Asked, mode: OutputMode | None) -> None:
    """Azure's own sentence about messages."""
    if said_here.messages:
        reason = "Messages input not supported when 'minimal' reasoning effort is requested. Use intents input instead."
        raise BadRequest(reason, target="messages")
    if mode == "answerSynthesis":
        reason = "The output mode 'answerSynthesis' needs a reasoning effort above 'minimal'."
        raise BadRequest(reason, target="outputMode")


def _search(intent: Intent, place: str) -> str:
    """Searched as it stands; of one that is longer than a search may be, both ends."""
    refuse_control_characters(intent.search, target=place)
    if not intent.search.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return ends(intent.search, LONGEST_SEARCH)
