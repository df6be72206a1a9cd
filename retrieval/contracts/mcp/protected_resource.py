"""The metadata of an MCP endpoint (RFC 9728): the authority that signs callers in, and the scope."""

from pydantic import BaseModel, ConfigDict

from retrieval.contracts.rendered import Rendered


class ProtectedResource(BaseModel):
    """The metadata. `resource` is the address of the MCP endpoint. `authorization_servers` are the issuers of
    tokens."""

    model_config = ConfigDict(defer_build=True)

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]


def render(resource: str, *, issuer: str, scope: str) -> Rendered:
    """Renders the metadata. The answer must not be cached, because it contains the address that the caller used."""
    metadata = ProtectedResource(
        resource=resource,
        authorization_servers=[issuer],
        scopes_supported=[scope],
        bearer_methods_supported=["header"],
    )
    return Rendered(status=200, body=metadata.model_dump_json().encode(), headers={"Cache-Control": "no-store"})
