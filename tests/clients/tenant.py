"""An Entra ID tenant that signs users and apps in, as far as MCP's clients use it: metadata, authorize and token.

As Entra ID does, it registers no clients, its metadata does not tell how a code is challenged, and it refuses a
`resource` that the scope is not of (AADSTS9010010). Its user consents at once.
"""

import base64
import hashlib
import json
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from retrieval.local.wire import WireRequest, WireResponse
from tests.access.authority import TENANT, Authority
from tests.scripted_azure import answering

CLIENT: Final = "1b1f0f60-0c39-4b6c-8a0e-3f7a5a1d2c44"
SECRET: Final = "secret-of-the-client~8Q"
REDIRECT: Final = "http://localhost:41983/callback"


class Tenant(Authority):
    """`signed_in` holds the grant of each token that was issued. `scopes` are those of the app behind this service."""

    def __init__(self) -> None:
        super().__init__()
        self.scopes: frozenset[str] = frozenset()
        self.signed_in: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    async def __call__(self, request: WireRequest) -> WireResponse:
        url = urlsplit(request.target)
        match url.path.removeprefix(f"/{TENANT}"):
            case "/v2.0/.well-known/openid-configuration":
                return await answering(self._metadata())(request)
            case "/oauth2/v2.0/authorize":
                return await self._authorize(dict(parse_qsl(url.query)), request)
            case "/oauth2/v2.0/token":
                return await self._token(dict(parse_qsl(request.body.decode())), request)
            case "/discovery/v2.0/keys":
                return await super().__call__(request)
        return await answering({"error": "not_found"}, status=404)(request)

    def _metadata(self) -> dict[str, object]:
        endpoints = f"{self.address}/{TENANT}/oauth2/v2.0"
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{endpoints}/authorize",
            "token_endpoint": f"{endpoints}/token",
            "jwks_uri": f"{self.address}/{TENANT}/discovery/v2.0/keys",
            "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
        }

    async def _authorize(self, asked: dict[str, str], request: WireRequest) -> WireResponse:
        fault = self._fault(asked)
        if (asked["client_id"], asked["redirect_uri"], asked["response_type"]) != (CLIENT, REDIRECT, "code"):
            fault = "AADSTS700016: The application was not found in the directory."
        if asked.get("code_challenge_method") != "S256":
            fault = "AADSTS9002325: Proof Key for Code Exchange is required."
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        told = {"error": "invalid_request", "error_description": fault} if fault else {"code": code}
        query = urlencode({**told, "state": asked.get("state", "")})
        return WireResponse(status=302, headers=(("location", f"{REDIRECT}?{query}"),))

    async def _token(self, asked: dict[str, str], request: WireRequest) -> WireResponse:
        fault = self._fault(asked)
        if asked["grant_type"] == "authorization_code":
            begun = self._codes.pop(asked["code"], {})
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if (begun.get("code_challenge"), asked["client_id"]) != (proof, CLIENT):
                fault = "AADSTS501481: The code verifier does not match the code challenge."
            scope = begun.get("scope", "")
        else:
            scope = asked.get("scope", "")
            if _secret(asked, request) != (CLIENT, SECRET):
                fault = "AADSTS7000215: Invalid client secret provided."
            fault = fault or self._scope_fault(scope)
        if fault:
            return await answering({"error": "invalid_request", "error_description": fault}, status=400)(request)
        self.signed_in.append(asked["grant_type"])
        token = self.token(aud=_resource(scope), azp=CLIENT)
        issued = {"token_type": "Bearer", "expires_in": 3599, "scope": scope, "access_token": token}
        return await answering(issued, cache_control="no-store")(request)

    def _fault(self, asked: dict[str, str]) -> str | None:
        """What is wrong with the scope and the resource of a request that names them."""
        scope = asked.get("scope")
        if asked.get("resource") and scope and asked["resource"] != _resource(scope):
            return (
                "AADSTS9010010: The resource parameter provided in the request doesn't match with the requested scopes."
            )
        return self._scope_fault(scope) if asked.get("response_type") else None

    def _scope_fault(self, scope: str | None) -> str | None:
        known = {one for one in (scope or "").split() if one in self.scopes}
        return None if known else f"AADSTS500011: The resource principal of {json.dumps(scope)} was not found."


def _resource(scope: str) -> str:
    """What the scopes are of, beside those of OpenID."""
    return next((one.removesuffix("/.default") for one in scope.split() if one.endswith("/.default")), "")


def _secret(asked: dict[str, str], request: WireRequest) -> tuple[str, str]:
    scheme, _, encoded = (request.header("authorization") or "").partition(" ")
    if scheme.lower() == "basic":
        client, _, secret = base64.b64decode(encoded).decode().partition(":")
        return unquote(client), unquote(secret)
    return asked.get("client_id", ""), asked.get("client_secret", "")
