"""No secret of a definition is kept, whatever form it has, and what is none stays as it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contracts.azure.kinds.indexes import REDACTED, without_secrets

SECRET = "s3cr3t-5ec2e7"
NAMES = ("apiKey", "api_key", "APIKEY", "key", "authenticationKey", "password", "clientSecret", "accessToken")
STRINGS = (
    f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={SECRET};EndpointSuffix=core.windows.net",
    f"BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sv=2024&sig={SECRET}",
    f"ContainerSharedAccessUri=https://a.blob.core.windows.net/c?sv=1&sig={SECRET}",
    f"Server=tcp:a;Database=d;User ID=u;Password={SECRET};",
    f'Server=tcp:a;Password="a;Database={SECRET}";',
    f"Server='a;Password={SECRET}'",
    f"SharePointOnlineEndpoint=https://a.sharepoint.com;ApplicationId=b;ApplicationSecret={SECRET};TenantId=c",
    f"ResourceId=/subscriptions/a;{SECRET}",
    SECRET,
)
OPEN = (
    "ResourceId=/subscriptions/a/resourceGroups/b/providers/Microsoft.Storage/storageAccounts/c;",
    "Database=d;ResourceId=/subscriptions/a;Connection Timeout=30;",
    "SharePointOnlineEndpoint=https://a.sharepoint.com;ApplicationId=b;FederatedCredentialObjectId=d;TenantId=c",
)

plain = st.none() | st.booleans() | st.integers() | st.sampled_from(["minimal", "docs/2026", "https://a.example.com/b"])
values = st.recursive(
    plain | st.builds(lambda name: {name: SECRET}, st.sampled_from(NAMES)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "uri"]), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["identity", "embeddingModel", "x"]), values))
def test_a_secret_is_found_however_deep_it_is(members: dict[str, Any]) -> None:
    opened = without_secrets(members)
    assert SECRET not in str(opened)
    assert without_secrets(opened) == opened


@given(st.dictionaries(st.sampled_from(["identity", "embeddingModel", "x"]), plain))
def test_what_is_no_secret_stays(members: dict[str, Any]) -> None:
    assert without_secrets(members) == members


@pytest.mark.parametrize("name", ["connection_string", "connectionString", "ConnectionString"])
@pytest.mark.parametrize("text", STRINGS)
def test_a_connection_string_with_a_secret_is_not_kept(name: str, text: str) -> None:
    assert without_secrets({"asset_store": {name: text}}) == {"asset_store": {name: REDACTED}}


@pytest.mark.parametrize("text", OPEN)
def test_a_connection_string_without_one_is(text: str) -> None:
    assert without_secrets({"connection_string": text}) == {"connection_string": text}


@pytest.mark.parametrize(
    "text", [f"https://a.example.com/b?sv=1&sig={SECRET}", f"https://f.example.com/x?code={SECRET}"]
)
def test_an_address_that_carries_a_secret_is_not_kept(text: str) -> None:
    assert without_secrets({"uri": text}) == {"uri": REDACTED}
