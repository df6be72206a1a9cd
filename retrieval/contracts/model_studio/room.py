"""Model Studio's Retrieve: `POST {workspaceId}/index/retrieve`. Callers sign the call, or send a credential of this
service.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from retrieval import threads
from retrieval.access.credentials import ACS_HEADER, GRANTED
from retrieval.contracts.model_studio.workspaces import PublishedIndex, Workspaces, WorkspaceSettings, compose
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NoSuchCall, NotFound, NoWorkspace, RetrievalError
from retrieval.http.call import Call, body_of
from retrieval.http.doors import Door
from retrieval.http.retrieve import RETRIEVAL, ask
from retrieval.http.routes import route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.caller import Caller
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest

if TYPE_CHECKING:
    from retrieval.contracts.model_studio.parameters import Parameters

LONGEST_PATH: Final = 200
"""The most characters of a path in a refusal."""
_WORKSPACE: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")

LATER: Final = tuple(f"{__package__}.{name}" for name in ("address", "errors", "parameters", "request", "response"))
"""The modules that the first call loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contract:
    """The contract for a call whose parameters have already been read. They are read first because they name the index,
    and the index determines the agent. Therefore `parse` does not read the body."""

    parameters: "Parameters"
    published: PublishedIndex
    request_id: str

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        from retrieval.contracts.model_studio.request import parse

        return parse(self.parameters, self.published, agent, user_token=user_token)

    def render(self, outcome: Outcome) -> Rendered:
        from retrieval.contracts.model_studio.response import render

        return render(outcome, self.published, request_id=self.request_id)


async def _retrieve(admitted: Admitted, contract: None) -> Rendered:
    """The answer to a call. The contract is made here, after the parameters have been read. The body is passed to
    `ask`, so that `ask` does not refuse an empty body that `_admit` has accepted.
    """
    from retrieval.contracts.model_studio.parameters import read

    call = admitted.call
    reading = partial(read, call.raw_query, call.headers.get("content-type", ""), call.body)
    parameters = await threads.read(call.said, reading)
    published_index = _published_index(admitted.service, call.route["workspaceId"], parameters.index_id)
    index_contract = _Contract(parameters=parameters, published=published_index, request_id=_request_id(call))
    return await ask(admitted, published_index.agent, index_contract, RETRIEVAL, body=call.body)


def workspace_refusal(call: Call, error: RetrievalError) -> Rendered:
    """An error answer in Model Studio's format."""
    from retrieval.contracts.model_studio.errors import render_error

    return render_error(error, request_id=_request_id(call))


def _resembling(call: Call, path: str) -> Rendered | None:
    """The refusal of a path that is probably meant for this contract."""
    from retrieval.contracts.model_studio.address import resembles

    if not resembles(path):
        return None
    return workspace_refusal(call, NoSuchCall("operation", f"{call.method} {path[:LONGEST_PATH]}"))


def _request_id(call: Call) -> str:
    return call.request_id.upper()


async def _admit(service: Service, call: Call) -> Caller:
    """The caller. A caller signs the call, sends a key in the header `x-acs-bearer-token`, or sends any credential of
    the other routes. Raises AccessError, BackendError, and NoSuchCall for another action or version. Also raises the
    errors of `body_of`, because the signature covers the body. The rights of a signed call or of a key are not checked,
    because every key may retrieve.
    """
    await threads.imported(*LATER)
    from retrieval.contracts.model_studio import address
    from retrieval.contracts.model_studio.signatures import SignedCall

    is_meant_empty = not call.body and address.is_meant_empty(call.headers, call.raw_query)
    body = b"" if is_meant_empty else body_of(call)
    address.check_action(call.headers)
    authorization = call.headers.get("authorization", "")
    if authorization and not authorization.lower().startswith("bearer"):
        signed_call = SignedCall(
            method=call.method,
            paths=address.paths(call.route["workspaceId"]),
            query=call.raw_query,
            headers=call.headers,
            body=body,
        )
        service.room(Workspaces).signatures.admit(signed_call, now=service.process.clock())
        return Caller(kind="key", id="access key", rights=GRANTED["query key"])
    address.check_body_hash(call.headers, body)
    access = service.callers.access
    key = call.headers.get(ACS_HEADER)
    return access.keys.caller(key) if key else await access.admit(call.headers, "retrieve")


def _published_index(service: Service, workspace: str, id: str) -> PublishedIndex:
    indexes = service.room(Workspaces).published
    index = indexes.get((workspace, id))
    if index is not None:
        return index
    if any(known_workspace == workspace for known_workspace, _ in indexes):
        raise NotFound("index", id[:128])
    raise NoWorkspace(workspace[:128])


def _subject(words: str, call: Call, caller: Caller | None) -> str:
    """The subject of a call in the log: its workspace. An invalid name is replaced by `-`."""
    name = call.route.get("workspaceId", "")
    return f"{words} workspace={name if _WORKSPACE.fullmatch(name) else '-'}"


RETRIEVE_FROM_WORKSPACE: Final = Endpoint(
    operation="retrieve",
    needs="retrieve",
    span="retrieve",
    admit=_admit,
    speaks=lambda call: None,
    contract_name=lambda call: "model_studio 2023-12-29",
    work=_retrieve,
    refuse=workspace_refusal,
    subject=_subject,
)

DOOR: Final = Door(
    routes=route(
        "POST {workspaceId:regex(^(llm|ws)[-_])}/index/retrieve",
        "model_studio_retrieve",
        RETRIEVE_FROM_WORKSPACE,
        "retrieveFromWorkspace",
    ),
    compose=compose,
    resembling=_resembling,
    settings=WorkspaceSettings,
)
