"""The metadata of an address of MCP: which authority signs its callers in, and for which scope (RFC 9728)."""

from pydantic import BaseModel, ConfigDict

from retrieval.contracts.rendered import Rendered


class ProtectedResource(BaseModel):
    """`resource` is the address of MCP; an authorization server is named by its issuer."""

    model_config = ConfigDict(defer_build=True)

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]


def render(resource: str, *, issuer: str, scope: str) -> Rendered:
    """The answer, which must not be cached, since it has the address of the call."""
    metadata = ProtectedResource(
        resource=resource,
        authorization_servers=[issuer],
        scopes_supported=[scope],
        bearer_methods_supported=["header"],
    )
    return Rendered(status=200, body=metadata.model_dump_json().encode(), headers={"Cache-Control": "no-store"})
