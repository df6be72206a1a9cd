"""The local search service behind a check of the Host of each request (`access.hosts` has the rule, and why)."""

from collections.abc import Collection

from retrieval.access.hosts import HOST, check_host
from retrieval.errors import NotAuthorized
from retrieval.local.search_service.api import responses
from retrieval.local.wire import WireRequest, WireResponse, WireService


def known_hosts(service: WireService, *, named: Collection[str] | None) -> WireService:
    """The service for requests to loopback names and to those that are `named`; to every host where that is None."""

    async def answer(request: WireRequest) -> WireResponse:
        host = request.header(HOST)
        try:
            check_host({} if host is None else {HOST: host}, named=named)
        except NotAuthorized as error:
            return responses.echoing(responses.refusal(403, "Forbidden", str(error)), request)
        return await service(request)

    return answer
