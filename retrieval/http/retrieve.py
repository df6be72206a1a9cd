"""Retrieve: `POST agents('{name}')/retrieve` and `POST knowledgebases('{name}')/retrieve`, in the version asked for.

A version that can answer with events does so where the caller's Accept names them; any other answers with JSON, and
refuses a caller who takes events alone. Accept is read as RFC 9110, section 12.5.1, has it.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final

from retrieval import threads
from retrieval.contracts import CONTRACTS, Contract, contract, contract_name, events_of, versions_of
from retrieval.contracts.rendered import Rendered
from retrieval.errors import NoEvents
from retrieval.http.asking import RETRIEVAL, ask
from retrieval.http.call import API_VERSION, Call
from retrieval.http.serving import Admitted, Endpoint

EVENTS: Final = "text/event-stream"
JSON: Final = frozenset({"application/json", "application/*", "*/*"})
LONGEST: Final = 4_096


def _contract(route: str, call: Call) -> Contract:
    """The contract of the call's version. Raises UnsupportedVersion, and NoEvents where the caller takes events alone
    and this version has none."""
    version = call.query.get(API_VERSION)
    version_contract, events = contract(route, version), events_of(route, version)
    if events is None and not takes_json(call.headers):
        raise NoEvents(version or "")
    return version_contract


def _contract_name(route: str, call: Call) -> str:
    return contract_name(CONTRACTS, route, call.query.get(API_VERSION))


async def _retrieve(route: str, admitted: Admitted, contract: Contract) -> Rendered:
    call = admitted.call
    name = call.route["name"]
    events = events_of(route, call.query.get(API_VERSION)) if wants_events(call.headers) else None
    if events is None:
        return await ask(admitted, name, contract, RETRIEVAL)
    await threads.once(_load_streaming)
    from retrieval.http.streaming import stream

    return await stream(admitted, name, contract, events)


def _load_streaming() -> None:
    from retrieval.http import streaming  # noqa: F401


def _endpoint(route: str) -> Endpoint[Contract]:
    return Endpoint(
        operation="retrieve",
        span="retrieve",
        speaks=partial(_contract, route),
        contract=partial(_contract_name, route),
        work=partial(_retrieve, route),
        versions=versions_of(route),
    )


RETRIEVE: Final = _endpoint("agents")
RETRIEVE_FROM_BASE: Final = _endpoint("knowledgebases")


def wants_events(headers: Mapping[str, str]) -> bool:
    """Whether `text/event-stream` is named with a weight above zero; `*/*` and `text/*` do not name it."""
    return EVENTS in _ranges(headers)


def takes_json(headers: Mapping[str, str]) -> bool:
    """Whether JSON will do: it is named, or nothing is, or not events alone."""
    return not JSON.isdisjoint(_ranges(headers)) or not wants_events(headers)


def _ranges(headers: Mapping[str, str]) -> frozenset[str]:
    return _kinds(headers.get("accept", "")[:LONGEST])


@lru_cache(maxsize=32)
def _kinds(accept: str) -> frozenset[str]:
    """The media ranges with a weight above zero."""
    ranges = [[part.strip() for part in range.split(";")] for range in accept.lower().split(",")]
    return frozenset(kind for kind, *parameters in ranges if not any(map(_is_zero, parameters)))


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and not value.strip().strip("0.")
