"""What Alibaba's SDK for Python makes of an answer: every error of ours, and forms of answer that we do not send."""

import json
from typing import Any, Final

import pytest

from retrieval import errors
from retrieval.contracts.model_studio import refusals
from retrieval.contracts.model_studio.errors import SIGNATURE_FAULTS, render_error
from retrieval.contracts.model_studio.refusals import BadSignature, NoSuchCall, NoWorkspace
from retrieval.errors import RetrievalError
from tests.contracts.model_studio.clients.test_alibaba_sdk import HERE, run
from tests.third_parties import alibaba_client

REQUEST_ID: Final = "17204B98-7734-4F9A-8464-2446A84821CA"

ERRORS: Final[dict[str, RetrievalError]] = {
    **{f"signature {fault}": BadSignature(fault, "It does not hold.") for fault in SIGNATURE_FAULTS},
    "bad request": errors.BadRequest("It is empty.", target="Query"),
    "bad filter": errors.BadFilter("it is none", target="SearchFilters"),
    "unsupported filter": errors.UnsupportedFilter("null", side="The index"),
    "too large": errors.BodyTooLarge(5),
    "no credential": errors.NotAuthenticated(),
    "wrong credential": errors.NotAuthorized(),
    "no index": errors.NotFound("index", "x"),
    "no workspace": NoWorkspace("llm-x"),
    "no call": NoSuchCall("operation", "x"),
    "another method": errors.MethodNotAllowed("GET", ["POST"]),
    "a body that was lost": errors.BodyLost(),
    "overloaded": errors.Overloaded(64, retry_after=1),
    "not configured": errors.NotConfigured(["X is missing."]),
    "not installed": errors.NotInstalled(["numpy"]),
    "fault": errors.Fault(),
    "bad reply": errors.BadModelReply("it is none"),
    "throttled": errors.RetrievalFailed([errors.BackendThrottled("Azure AI Search", retry_after=2.5)]),
    "throttled without a time": errors.RetrievalFailed([errors.BackendThrottled("Azure AI Search")]),
    "timeout": errors.RetrievalFailed([errors.BackendTimeout("Azure AI Search", seconds=9)]),
    "late": errors.RetrievalFailed([errors.BackendLate("The search in 'atlas'", seconds=1)]),
    "refused": errors.RetrievalFailed([errors.BackendRefused("Azure AI Search", status=400, message="no")]),
    "forbidden": errors.RetrievalFailed([errors.BackendForbidden("Azure AI Search", status=403, hint="A role.")]),
    "unavailable": errors.RetrievalFailed([errors.BackendUnavailable("Azure AI Search", "failed (500).")]),
    "unanswered": errors.RetrievalFailed(
        [errors.BackendUnanswered("Azure AI Search", "could not be reached.", why="cut")]
    ),
    "suspended": errors.RetrievalFailed([errors.BackendSuspended("Azure AI Search", times=5, seconds=9)]),
    "unreadable agent": errors.UnreadableDefinitions("The agent store", ["a"]),
    "missing source": errors.MissingSources("The agent store", [("a", "s")]),
    "changed agent": errors.DifferingDefinitions("The agent store", ["a"]),
    "names that nothing has": errors.UnmatchedNames("The agent store", ["BASE_KEYS names a."]),
    "misconfigured": errors.RetrievalFailed(
        [errors.BackendMisconfigured("Azure AI Search", status=400, lack="ranker", hint="Switch it on.")]
    ),
    "failing": errors.BackendFailing(
        errors.BackendUnavailable("Azure AI Search", "failed (500)."), errors.Place("atlas", "atlas")
    ),
    "asked too often": errors.LimitReached("key", most=5, window="minute", retry_after=9),
    "ranker away": errors.RankerAway("Azure AI Search", cause="x"),
}


def rendered(error: RetrievalError) -> dict[str, Any]:
    answer = render_error(error, request_id=REQUEST_ID)
    return {"status": answer.status, "headers": dict(answer.headers), "body": answer.content.decode()}


def envelope(**members: Any) -> dict[str, Any]:
    usual = {"Code": "Success", "Message": "success", "RequestId": "r", "Status": "200", "Success": True}
    return {"status": 200, "body": json.dumps({**usual, "Data": {"Nodes": []}, **members})}


def nodes(*found: Any) -> dict[str, Any]:
    return envelope(Data={"Nodes": list(found)})


FAILED: Final = json.dumps({"Code": "X.Y", "Message": "no", "RequestId": "r"})
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    **{name: rendered(error) for name, error in ERRORS.items()},
    "created": {**envelope(), "status": 201},
    "unknown fields": envelope(Extra=1, Data={"Nodes": [], "More": 2}),
    "metadata": nodes(*({"Text": "t", "Score": 0.5, "Metadata": one} for one in ({"a": [1]}, "s", None, [1]))),
    "other types": envelope(Status=200, Success="true", Data={"Nodes": [{"Score": "0.5"}]}),
    "data null": envelope(Data=None),
    "nodes null": envelope(Data={"Nodes": None}),
    "a null node": nodes(None),
    "data of another type": envelope(Data=[1]),
    "lower case": {"status": 200, "body": '{"code":"Success","data":{"nodes":[]}}'},
    "not a success": envelope(Success=False, Code="Index.InvalidParameter", Status="400"),
    "lower case error": {"status": 400, "body": '{"code":"X.Y","message":"no","requestId":"r"}'},
    "server error": {"status": 500, "body": FAILED},
    "throttled with 400": {"status": 400, "headers": {"x-acs-retry-after": "1500"}, "body": FAILED},
    "the usual header": {"status": 429, "headers": {"Retry-After": "2"}, "body": FAILED},
    "empty": {"status": 200, "body": ""},
    "a page": {"status": 200, "body": "<html></html>"},
    "an error page": {"status": 413, "body": "<html></html>"},
}
SEEN: Final[dict[str, dict[str, Any]]] = {
    "created": {"status_code": 201, "nodes": []},
    "unknown fields": {"nodes": []},
    "metadata": {"nodes": [["t", 0.5, {"a": [1]}], ["t", 0.5, "s"], ["t", 0.5, None], ["t", 0.5, [1]]]},
    "other types": {"status": 200, "success": "true", "nodes": [[None, "0.5", None]]},
    "data null": {"data": False, "nodes": None},
    "nodes null": {"data": True, "nodes": []},
    "a null node": {"nodes": [[None, None, None]]},
    "data of another type": {"body": None},
    "lower case": {"code": None, "data": False},
    "not a success": {"success": False, "code": "Index.InvalidParameter"},
    "lower case error": {"class": "ClientException", "code": "X.Y", "request_id": "r"},
    "server error": {"class": "ServerException", "code": "X.Y", "status": 500},
    "throttled with 400": {"class": "ThrottlingException", "code": "X.Y", "retry_after": 1500},
    "the usual header": {"class": "ClientException", "code": "X.Y", "retry_after": None},
    "empty": {"class": "UnretryableException"},
    "a page": {"class": "UnretryableException"},
    "an error page": {"class": "UnretryableException"},
}


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    return run([alibaba_client("2.14.5"), HERE / "bailian.py", "answers"], given=json.dumps(ANSWERS))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("name", ERRORS)
def test_each_of_our_errors_is_an_exception_with_code_and_request_id(
    seen: dict[str, dict[str, Any]], way: str, name: str
) -> None:
    sent, failure = ANSWERS[name], seen[way][name]
    body = json.loads(sent["body"])
    assert (failure["code"], failure["status"]) == (body["Code"], sent["status"])
    assert failure["request_id"] == REQUEST_ID
    assert failure["message"] == f"code: {sent['status']}, {body['Message']} request id: {REQUEST_ID}"
    throttled = sent["headers"].get("x-acs-retry-after")
    usual = "ServerException" if sent["status"] >= 500 else "ClientException"
    assert failure["class"] == ("ThrottlingException" if throttled else usual)
    assert failure["retry_after"] == (int(throttled) if throttled else None)
    assert bool(throttled) is (sent["status"] == 429)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("name", SEEN)
def test_the_sdk_makes_of_an_answer_what_is_known_of_it(seen: dict[str, dict[str, Any]], way: str, name: str) -> None:
    found = seen[way][name]
    assert {member: found.get(member) for member in SEEN[name]} == SEEN[name]


def test_every_error_that_a_caller_can_get_is_asked_about() -> None:
    kinds = {type(error) for error in ERRORS.values()}
    classes = (*vars(errors).values(), *vars(refusals).values())
    known = {one for one in classes if isinstance(one, type) and issubclass(one, RetrievalError)}
    abstract = {RetrievalError, errors.AccessError, errors.BackendError}
    of_versions = {errors.UnsupportedVersion, errors.NoEvents, errors.OtherVersion}
    inner = {type(one) for error in ERRORS.values() for one in getattr(error, "errors", ())}
    of_agents = {
        errors.AlreadyExists,
        errors.InUse,
        errors.NoSuchSource,
        errors.PreconditionFailed,
        errors.NothingIsKept,
        errors.BackendMissing,
    }
    assert known - abstract - of_versions - of_agents <= kinds | inner
