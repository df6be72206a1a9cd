"""What the document says of Model Studio's Retrieve is taken."""

import json
from typing import Any, Final
from urllib.parse import urlencode

from retrieval.contracts.model_studio.description import PARAMETERS
from tests.conftest import Post
from tests.openapi.conforming import read

STUDIO: Final = "/llm-{workspaceId}/index/retrieve"


async def test_what_model_studios_example_says_is_taken(post: Post) -> None:
    """In the body, as the document has it, and in the query string, where what is no scalar is JSON."""
    example: Any = PARAMETERS
    scalars = {parameter["name"] for parameter in parameters() if "schema" in parameter}
    query = {name: value if name in scalars else json.dumps(value) for name, value in example.items()}
    in_body = await post(example, "/llm-local/index/retrieve")
    in_query = await post(b"", f"/llm-local/index/retrieve?{urlencode(query)}")
    assert (in_body.status, in_query.status) == (200, 200)
    assert in_body.json["Data"] == in_query.json["Data"]
    assert len(in_body.json["Data"]["Nodes"]) == 1


def parameters() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read()["paths"][STUDIO]["post"]["parameters"]
    return [parameter for parameter in found if parameter["in"] == "query"]
