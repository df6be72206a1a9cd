"""Turns a request with the members of every version into the hub: a member that a version lacks is None."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.contracts.azure.parts import Wire, conversation, refuse_control_characters
from retrieval.contracts.azure.retrieve.request_shapes import AnyReasoningEffort, Intent, Message
from retrieval.contracts.azure.retrieve.source_params import PARAMS, SourceParams, search_targets
from retrieval.contracts.azure.stored_source import check_kinds, value_or
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, Effort, OutputMode, SourceKind
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text.clipped import ends

DEFAULT_OUTPUT_TOKENS: Final = 5_000

NO_INPUT: Final = "Nothing is asked. Send 'messages' (a conversation) or 'intents' (what to search for)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The values where neither the caller nor the agent states one. `runtime` is in seconds.

    `kinds` are those of knowledge sources that the version has. `no_input` is the sentence for a caller whose body has
    no input. `most_queries` bounds the plan, by effort, where the version does.
    """

    kinds: tuple[SourceKind, ...]
    effort: Effort = "low"
    runtime: float = 60.0
    no_input: str = NO_INPUT
    most_queries: Mapping[Effort, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMembers:
    """The members of a body; None where the caller did not state one."""

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


def members_of(wire: Wire) -> RequestMembers:
    """The members in the shape of a version, once it is read."""
    members = {name: value for name, value in wire if value is not None}
    params = [
        SourceParams(place=f"{PARAMS}[{i}]", **dict(source))
        for i, source in enumerate(members.pop("knowledge_source_params", ()))
    ]
    return RequestMembers(**members, knowledge_source_params=params)


def request_of(wire: Wire, agent: Agent, defaults: Defaults, *, user_token: str | None) -> RetrievalRequest:
    """The request; members that it leaves out come from the agent, and then from the version. Raises BadRequest."""
    check_kinds(agent, defaults.kinds)
    members = members_of(wire)
    refuse_control_characters(user_token or "", target="x-ms-query-source-authorization")
    effort, mode = _effort(members, agent, defaults), value_or(members.output_mode, agent.output_mode)
    if effort == "minimal":
        _check_minimal(members, mode)
    if not members.messages and not members.intents:
        raise BadRequest(defaults.no_input, target="intents")
    return RetrievalRequest(
        messages=conversation(members.messages) if members.messages else (),
        queries=tuple(_search(intent, f"intents[{i}].search") for i, intent in enumerate(members.intents)),
        targets=search_targets(agent, members.knowledge_source_params),
        effort=effort,
        limits=Limits(
            queries=defaults.most_queries.get(effort),
            output_tokens=_output_tokens(members, agent),
            runtime=value_or(members.max_runtime_in_seconds, value_or(agent.max_runtime, defaults.runtime)),
            documents=value_or(members.max_output_documents, agent.max_documents),
        ),
        output="synthesis" if mode == "answerSynthesis" else "documents",
        instructions=agent.retrieval_instructions,
        answer_instructions=agent.answer_instructions,
        include_activity=value_or(members.include_activity, value_or(agent.include_activity, True)),
        user_token=user_token,
    )


def _effort(members: RequestMembers, agent: Agent, defaults: Defaults) -> Effort:
    effort = members.retrieval_reasoning_effort
    return effort.kind if effort else agent.effort or defaults.effort


def _output_tokens(members: RequestMembers, agent: Agent) -> int:
    """The member that names tokens wins, where a version has both."""
    size = value_or(members.max_output_size_in_tokens, members.max_output_size)
    return value_or(size, value_or(agent.max_output_tokens, DEFAULT_OUTPUT_TOKENS))


def _check_minimal(members: RequestMembers, mode: OutputMode | None) -> None:
    """Refuses messages and an answer at minimal effort, with Azure's own sentence about messages."""
    if members.messages:
        reason = "Messages input not supported when 'minimal' reasoning effort is requested. Use intents input instead."
        raise BadRequest(reason, target="messages")
    if mode == "answerSynthesis":
        reason = "The output mode 'answerSynthesis' needs a reasoning effort above 'minimal'."
        raise BadRequest(reason, target="outputMode")


def _search(intent: Intent, place: str) -> str:
    """The text of an intent as it stands; of one that is longer than a search may be, both ends."""
    refuse_control_characters(intent.search, target=place)
    if not intent.search.strip():
        raise BadRequest(f"{place} is blank.", target=place)
    return ends(intent.search, LONGEST_SEARCH)
