"""The local search service behind a check of the Host of each request (`http.call` has the rule, and why).

Every command imports this module, so what answers a refusal is imported with the first one.
"""

from collections.abc import Collection, Mapping, Sequence

from retrieval.errors import NotAuthorized
from retrieval.http.call import HOST, check_host
from retrieval.local.wire import WireRequest, WireResponse, WireService


def named_hosts(listened: str, environ: Mapping[str, str]) -> Sequence[str]:
    """The hosts that calls may be to: where a server listens, and those of PUBLIC_HOSTS."""
    return [listened, *filter(None, environ.get("PUBLIC_HOSTS", "").split(","))]


def known_hosts(service: WireService, *, named: Collection[str] | None) -> WireService:
    """The service for requests to loopback names and to those that are `named`; to every host where that is None."""

    async def answer(request: WireRequest) -> WireResponse:
        host = request.header(HOST)
        try:
            check_host({} if host is None else {HOST: host}, named=named)
        except NotAuthorized as error:
            from retrieval.local.search_service.api import responses

            return responses.echoing(responses.refusal(403, "Forbidden", str(error)), request)
        return await service(request)

    return answer
