"""Calls the service through the package that openapi-python-client writes, and prints what it saw as one JSON object.

`generated_client.py ADDRESS QUERY_KEY ADMIN_KEY`, in an environment that has what the package needs; the package is
`service`, beside it.
"""

# mypy: ignore-errors

import json
import sys

from service import AuthenticatedClient, Client
from service.api.agents import delete_agent, get_agent, list_agents, put_agent
from service.api.retrieve import retrieve_from_agent_odata, retrieve_from_workspace
from service.models import (
    Agent20250501Preview as Agent,
)
from service.models import (
    Agent20250501PreviewTargetIndex as AgentTargetIndex,
)
from service.models import (
    Error,
    GetAgentApiVersion,
)
from service.models import (
    RetrieveRequest20250501Preview as RetrieveRequest,
)
from service.models import (
    RetrieveRequest20250501PreviewAgentMessage as RetrieveRequestAgentMessage,
)
from service.models import (
    RetrieveRequest20250501PreviewIndexParams as RetrieveRequestIndexParams,
)
from service.models import (
    RetrieveRequest20250501PreviewMessageContent as RetrieveRequestMessageContent,
)

ADDRESS, QUERY_KEY, ADMIN_KEY = sys.argv[1:]
VERSION = GetAgentApiVersion.VALUE_0
NAME = "generated-py"


def client(key):
    return AuthenticatedClient(
        base_url=ADDRESS, token=key, prefix="", auth_header_name="api-key", raise_on_unexpected_status=True
    )


def code(answer):
    return answer.error.code if isinstance(answer, Error) else "none"


def retrieved(asking, name):
    asked = RetrieveRequest(
        messages=[
            RetrieveRequestAgentMessage(
                role="user",
                content=[
                    RetrieveRequestMessageContent(type_="text", text="Why is the street grid of Phoenix so visible?")
                ],
            )
        ],
        target_index_params=[
            RetrieveRequestIndexParams(index_name="earth_at_night", filter_add_on="page_number eq '105'")
        ],
    )
    response = retrieve_from_agent_odata.sync_detailed(name, client=asking, body=asked, api_version=VERSION)
    found = response.parsed
    searched = isinstance(found, Error)
    return {
        "status": response.status_code,
        "keys": [] if searched else [one.doc_key for one in found.references],
        "searches": 0 if searched else len(found.activity),
        "code": code(found),
    }


def managed(managing):
    agent = Agent(
        name=NAME,
        description="Made through generated types.",
        target_indexes=[AgentTargetIndex(index_name="earth_at_night")],
    )
    common = {"client": managing, "api_version": VERSION}
    created = put_agent.sync_detailed(NAME, body=agent, **common)
    found = get_agent.sync_detailed(NAME, **common)
    again = put_agent.sync_detailed(NAME, body=agent, if_none_match="*", **common)
    deleted = delete_agent.sync_detailed(NAME, **common)
    missing = get_agent.sync_detailed(NAME, **common)
    return {
        "statuses": [one.status_code for one in (created, found, again, deleted, missing)],
        "description": found.parsed.description,
        "tagged": found.parsed.odata_etag == created.parsed.odata_etag,
        "codes": [code(again.parsed), code(missing.parsed)],
    }


def from_workspace(asking):
    response = retrieve_from_workspace.sync_detailed(
        "local", client=asking, index_id="earth-at-night", query="Phoenix", rerank_top_n=2
    )
    return {"status": response.status_code, "nodes": len(response.parsed.data.nodes)}


if __name__ == "__main__":
    asking = client(QUERY_KEY)
    seen = {
        "retrieved": retrieved(asking, "earth-at-night"),
        "missing": retrieved(asking, "nobody"),
        "anonymous": retrieved(Client(base_url=ADDRESS), "earth-at-night"),
        "managed": managed(client(ADMIN_KEY)),
        "workspace": from_workspace(asking),
        "refused": code(list_agents.sync(client=asking, api_version=VERSION)),
    }
    print(json.dumps(seen))
