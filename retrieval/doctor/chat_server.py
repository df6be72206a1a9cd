"""Checks the chat server of CHAT_URL: whether it lists the model, and whether the model keeps to a JSON schema.

The check requests one short completion, for which the server may have to load the model first.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from retrieval.doctor.models import MOST_TOKENS, PROMPT
from retrieval.doctor.services import member, read
from retrieval.errors import BackendError, BackendForbidden, BackendMisconfigured, BackendTimeout
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.finding import About, Finding
from retrieval.outgoing.connections import HttpAnswer
from retrieval.text.clipped import plain

LIST_SECONDS: Final = 8.0
REPLY_SECONDS: Final = 20.0

_START: Final = (
    "Start it, or correct CHAT_URL: http://localhost:11434/v1 is Ollama's, http://localhost:1234/v1 LM Studio's."
)
_SLOW: Final = "Ask again once it has loaded the model; a smaller model answers sooner."
_FORM: Final = "A newer server keeps replies to a JSON schema; so does a larger model."


class ChatClient(Protocol):
    """The client of the server."""

    async def reach(self) -> None:
        """Raises BackendError, and BackendMisconfigured where the server does not list the model."""

    async def complete(self, prompt: Prompt) -> Reply:
        """The reply. Raises BackendError."""

    @property
    def differences(self) -> Sequence[tuple[str, str]]:
        """What the server does not take or read, each with its remedy."""


async def examine(server: ChatClient, model: str) -> Sequence[Finding]:
    """The findings about the server and its model."""
    about, clock = About("model", model), asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(LIST_SECONDS):
            await server.reach()
    except (TimeoutError, BackendError) as error:
        return [_fault(about, error, seconds=LIST_SECONDS)]
    start = clock()
    try:
        async with asyncio.timeout(REPLY_SECONDS):
            reply = await server.complete(PROMPT)
    except (TimeoutError, BackendError) as error:
        return [about.ok("The server of CHAT_URL lists it."), _fault(about, error, seconds=REPLY_SECONDS)]
    warnings = [about.warning(f"Its server {difference}.", remedy) for difference, remedy in server.differences]
    return [_reply(about, reply, seconds=clock() - start), *warnings]


def _reply(about: About, reply: Reply, *, seconds: float) -> Finding:
    if reply.ended_by == "length":
        return about.warning(
            f"It used more than {MOST_TOKENS} tokens for one query: it reasons long, or repeats itself.",
            "Choose a model that does not reason: CHAT_MODEL",
        )
    queries = member(read(HttpAnswer(status=200, content=reply.text.encode("utf-8", "replace"))), "queries")
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        return about.warning("Its reply is not of the JSON schema that was asked for.", _FORM)
    return about.ok(f"The server of CHAT_URL lists it, and it answered in {seconds:.1f} s.")


def _fault(about: About, error: TimeoutError | BackendError, *, seconds: float) -> Finding:
    if isinstance(error, TimeoutError | BackendTimeout):
        return about.warning(f"The server of CHAT_URL did not answer within {seconds:.0f} s.", _SLOW)
    if isinstance(error, BackendMisconfigured | BackendForbidden):
        return about.fault("The server of CHAT_URL cannot answer with it.", plain(error.hint))
    return about.fault(plain(str(error)), _START)
