"""Checks the model deployments and the chat server of CHAT_URL. Each model must exist, be usable with these
credentials, have quota, and accept a strict JSON schema.

The check requests one short completion from each model, which costs a few tokens.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from retrieval.doctor.sentences import finding_of
from retrieval.doctor.services import Backend, BackendCaller, error_of, member, quoted, read
from retrieval.errors import BackendError, BackendForbidden, BackendMisconfigured, BackendTimeout
from retrieval.model.conversation import Prompt
from retrieval.model.finding import About, Finding
from retrieval.model.json_value import JsonValue
from retrieval.models.chat_completions import body, completions_path
from retrieval.models.local_completions import LocalChatModel
from retrieval.outgoing.connections import HttpAnswer
from retrieval.text.length import quotation

LIST_SECONDS: Final = 8.0
REPLY_SECONDS: Final = 20.0
MOST_TOKENS: Final = 400
"""The most tokens of the reply. They are enough for a model that reasons little."""
_SCHEMA: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
PROMPT: Final = Prompt(
    name="plan",
    instructions="Write one search query for the question.",
    data="How many days of holiday are there in a year?",
    schema=_SCHEMA,
    most_tokens=MOST_TOKENS,
)
"""A prompt in the same form as for planning."""


async def examine(caller: BackendCaller, service: Backend, deployment: str) -> Sequence[Finding]:
    """The findings about one deployment of a resource."""
    about = About("model", f"{deployment} at {service.resource}" if "<" not in service.resource else deployment)
    path = completions_path(service.endpoint, deployment)
    if isinstance(answer := await caller.answer(service, about, "POST", path, body(deployment, PROMPT)), Finding):
        return [answer]
    if answer.status == 200:
        return [_completion(answer, about)]
    return [
        finding_of(
            about,
            "completion-refused",
            when=answer.status,
            text=" ".join(error_of(answer)),
            service=service,
            deployment=deployment,
            why=quoted(answer),
        )
    ]


def _completion(answer: HttpAnswer, about: About) -> Finding:
    """Checks that a completion is complete, and that its text is JSON that fits the schema."""
    choices = member(read(answer.content), "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if choice is None:
        return finding_of(about, "no-chat-model")
    fits = _fits_schema(member(choice, "message", "content"))
    return finding_of(about, "completion", when=member(choice, "finish_reason"), fits=fits, most=MOST_TOKENS)


def _fits_schema(text: Any) -> bool:
    queries = member(read(text.encode("utf-8", "replace")), "queries") if isinstance(text, str) else None
    return isinstance(queries, list) and all(isinstance(query, str) for query in queries)


async def examine_chat(server: LocalChatModel, model: str) -> Sequence[Finding]:
    """The findings about the server of CHAT_URL and its model. The server must list the model, and may have to load it
    first."""
    about, clock = About("model", model), asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(LIST_SECONDS):
            await server.reach()
    except (TimeoutError, BackendError) as error:
        return [_chat_fault(about, error, seconds=LIST_SECONDS)]
    start = clock()
    try:
        async with asyncio.timeout(REPLY_SECONDS):
            reply = await server.complete(PROMPT)
    except (TimeoutError, BackendError) as error:
        return [finding_of(about, "chat-listed"), _chat_fault(about, error, seconds=REPLY_SECONDS)]
    seconds, fits = clock() - start, _fits_schema(reply.text)
    return [
        finding_of(about, "chat-reply", when=reply.ended_by, fits=fits, most=MOST_TOKENS, seconds=seconds),
        *(
            finding_of(about, "chat-difference", difference=words, remedy=remedy)
            for words, remedy in server.differences
        ),
    ]


def _chat_fault(about: About, error: TimeoutError | BackendError, *, seconds: float) -> Finding:
    if isinstance(error, TimeoutError | BackendTimeout):
        return finding_of(about, "chat-away", when="timed out", seconds=seconds)
    if isinstance(error, BackendMisconfigured | BackendForbidden):
        return finding_of(about, "chat-away", when="refused", hint=quotation(error.hint))
    return finding_of(about, "chat-away", sentence=quotation(str(error)))
