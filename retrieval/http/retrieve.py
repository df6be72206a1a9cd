"""Retrieve: `POST agents('{name}')/retrieve` in the version that the call asks for."""

from typing import Final

from retrieval.contracts import Contract, contract
from retrieval.contracts.rendered import Rendered
from retrieval.http.asking import RETRIEVAL, ask
from retrieval.http.call import Call
from retrieval.http.serving import Admitted, Endpoint


def _contract(call: Call) -> Contract:
    return contract("agents", call.query.get("api-version"))


async def _retrieve(admitted: Admitted, spoken: Contract) -> Rendered:
    return await ask(admitted, admitted.call.route["name"], spoken, RETRIEVAL)


RETRIEVE: Final = Endpoint(operation="retrieve", span="retrieve", speaks=_contract, work=_retrieve)
