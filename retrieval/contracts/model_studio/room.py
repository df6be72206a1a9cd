"""Model Studio's Retrieve: `POST {workspaceId}/index/retrieve`. Callers sign the call, or send a credential of this
service.
"""

import re
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Final

from retrieval import threads
from retrieval.access.credentials import GRANTED
from retrieval.contracts.model_studio.refusals import NoSuchCall, NoWorkspace
from retrieval.contracts.model_studio.workspaces import PublishedIndex, Workspaces, WorkspaceSettings, compose
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BadRequest, NotFound, RetrievalError
from retrieval.http.call import Call, body_of
from retrieval.http.retrieve import RETRIEVAL, ask
from retrieval.http.rooms import Door
from retrieval.http.routes import route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.caller import Caller

LONGEST_PATH: Final = 200
"""The most characters of a path in a refusal."""
KEY_HEADER: Final = "x-acs-bearer-token"
"""The header in which Alibaba's SDKs send an API key."""
BODY_HASH: Final = "x-acs-content-sha256"

_WORKSPACE: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_RESEMBLING: Final = re.compile(r"(?:.*/)?index/retrieve/?", re.IGNORECASE | re.DOTALL)
_UNSIGNED: Final = "unsigned-payload"
_HASH_OF_NOTHING: Final = sha256(b"").hexdigest()
_EXPECTED: Final = {"x-acs-action": "Retrieve", "x-acs-version": "2023-12-29"}

LATER: Final = tuple(f"{__package__}.{name}" for name in ("contract", "errors", "parameters"))
"""The modules that the first call loads."""


async def _retrieve(admitted: Admitted, contract: None) -> Rendered:
    """The answer to a call. The contract is made here, after the parameters have been read. The body is passed to
    `ask`, so that `ask` does not refuse an empty body that `_admit` has accepted.
    """
    from retrieval.contracts.model_studio.contract import Contract
    from retrieval.contracts.model_studio.parameters import read

    call = admitted.call
    reading = partial(read, call.raw_query, call.headers.get("content-type", ""), call.body)
    parameters = await threads.read(call.said, reading)
    published_index = _published_index(admitted.service, call.route["workspaceId"], parameters.index_id)
    index_contract = Contract(parameters=parameters, published=published_index, request_id=_request_id(call))
    return await ask(admitted, published_index.agent, index_contract, RETRIEVAL, body=call.body)


def workspace_refusal(call: Call, error: RetrievalError) -> Rendered:
    """An error answer in Model Studio's format."""
    from retrieval.contracts.model_studio.errors import render_error

    return render_error(error, request_id=_request_id(call))


def _resembling(call: Call, path: str) -> Rendered | None:
    """The refusal of a path that is probably meant for this contract."""
    if _RESEMBLING.fullmatch(path) is None:
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
    from retrieval.contracts.model_studio.signatures import SignedCall, paths

    body = b"" if _is_meant_empty(call) else body_of(call)
    _check_action(call.headers)
    authorization = call.headers.get("authorization", "")
    if authorization and not authorization.lower().startswith("bearer"):
        signed_call = SignedCall(
            method=call.method,
            paths=paths(call.route["workspaceId"]),
            query=call.raw_query,
            headers=call.headers,
            body=body,
        )
        service.room(Workspaces).signatures.admit(signed_call, now=service.process.clock())
        return Caller(kind="key", id="access key", rights=GRANTED["query key"])
    _check_body_hash(call.headers, body)
    access = service.callers.access
    key = call.headers.get(KEY_HEADER)
    return access.keys.caller(key) if key else await access.admit(call.headers, "retrieve")


def _is_meant_empty(call: Call) -> bool:
    """Whether the client sent an empty body on purpose. The SDK for Java sends an empty body with chunked encoding.

    The body is empty on purpose if there is a query string, and the hash header is missing or is the hash of zero
    bytes.
    """
    stated = call.headers.get(BODY_HASH, _HASH_OF_NOTHING).strip().lower()
    return not call.body and bool(call.raw_query) and stated == _HASH_OF_NOTHING


def _check_body_hash(headers: Mapping[str, str], body: bytes) -> None:
    """Raises BadRequest if the hash header has the hash of another body. A call without the header is accepted."""
    stated = headers.get(BODY_HASH, "").strip().lower()
    if stated not in ("", _UNSIGNED, sha256(body).hexdigest()):
        raise BadRequest("The body is not the one whose hash this header has.", target=BODY_HASH)


def _check_action(headers: Mapping[str, str]) -> None:
    """Raises NoSuchCall for a call that names another action or version. A call without these headers is accepted."""
    for name, expected in _EXPECTED.items():
        header = headers.get(name, expected)
        if header != expected:
            raise NoSuchCall(name.removeprefix("x-acs-"), header[:100])


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
    key_headers=(KEY_HEADER,),
    exposed_headers=("x-acs-request-id", "x-acs-retry-after"),
)
