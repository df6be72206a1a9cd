"""Retrieve: `POST agents('{name}')/retrieve` and `POST knowledgebases('{name}')/retrieve`, in the caller's API version.
If the version supports events and the header Accept names them, the answer is a stream of events. Otherwise the answer
is JSON. A version without events refuses a caller who takes only events.
"""

from functools import partial
from typing import Final

from retrieval import threads
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.versions import CONTRACTS, Contract, contract, contract_name, events_of, versions_of
from retrieval.errors import NoEvents
from retrieval.http.asking import RETRIEVAL, ask
from retrieval.http.call import API_VERSION, Call
from retrieval.http.routes import both_forms
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.retrieval import Outcome


def _contract(route: str, call: Call) -> Contract[Outcome]:
    """The contract of the call's version. Raises UnsupportedVersion. Raises NoEvents if the caller takes only events
    and the version has none."""
    version = call.query.get(API_VERSION)
    version_contract, events = contract(route, version), events_of(route, version)
    if events is None and not call.takes_json:
        raise NoEvents(version or "")
    return version_contract


async def _retrieve(route: str, admitted: Admitted, contract: Contract[Outcome]) -> Rendered:
    call = admitted.call
    name = call.route["name"]
    events = events_of(route, call.query.get(API_VERSION)) if call.wants_events else None
    if events is None:
        return await ask(admitted, name, contract, RETRIEVAL)
    await threads.imported("retrieval.http.retrieve_events")
    from retrieval.http.retrieve_events import stream

    return await stream(admitted, name, contract, events)


def _endpoint(route: str) -> Endpoint[Contract[Outcome]]:
    return Endpoint(
        operation="retrieve",
        needs="retrieve",
        span="retrieve",
        speaks=partial(_contract, route),
        contract_name=lambda call: contract_name(CONTRACTS, route, call.query.get(API_VERSION)),
        work=partial(_retrieve, route),
        versions=versions_of(route),
    )


RETRIEVE: Final = _endpoint("agents")
RETRIEVE_FROM_BASE: Final = _endpoint("knowledgebases")

ROUTES: Final = (
    *both_forms("POST agents/{name}/retrieve", "agents_retrieve", RETRIEVE, "retrieveFromAgent"),
    *both_forms(
        "POST knowledgebases/{name}/retrieve", "knowledgebases_retrieve", RETRIEVE_FROM_BASE, "retrieveFromBase"
    ),
)
