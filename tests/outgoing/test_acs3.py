"""Alibaba's signature: the test vector."""

from typing import Final

from retrieval.outgoing.acs3 import signature

EMPTY: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
VECTOR: Final = f"""POST
/llm-ws/index/retrieve
IndexId=i&Query=q
accept:application/json
host:127.0.0.1:32863
user-agent:AlibabaCloud (Linux; x86_64) Python/3.11.7 Core/0.4.3 TeaDSL/2
x-acs-action:Retrieve
x-acs-content-sha256:{EMPTY}
x-acs-credentials-provider:static_ak
x-acs-date:2026-11-20T16:42:11Z
x-acs-signature-nonce:e01850def5a5b3781d3fa63b0b8f03aa
x-acs-version:2023-12-29

accept;host;user-agent;x-acs-action;x-acs-content-sha256;x-acs-credentials-provider;x-acs-date;x-acs-signature-nonce;\
x-acs-version
{EMPTY}"""


def test_the_test_vector() -> None:
    assert signature(VECTOR, "testsecret") == "18fdddee03ed71d6b4bac7395a3e8803dd2d0056e22e8fd6ca636bb83cbc045c"
