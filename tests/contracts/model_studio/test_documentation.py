"""The page about serving Model Studio's Retrieve tells the truth."""

import json
import re

from retrieval.contracts.model_studio.workspaces import WorkspaceSettings
from retrieval.settings import settings
from tests.conftest import ROOT, Post
from tests.contracts.model_studio.conftest import PATH

PAGE = (ROOT / "docs" / "calling" / "model-studio.md").read_text(encoding="utf-8")


async def test_the_body_form_of_the_page_is_answered(post: Post) -> None:
    body = re.search(r"-d '(\{.*\})'", PAGE)
    assert body is not None
    answer = await post(body[1].encode(), PATH)
    assert [node["Metadata"]["page_number"] for node in answer.json["Data"]["Nodes"]] == ["104"]


def test_the_workspaces_of_the_page_can_be_set() -> None:
    block = re.search(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    read = settings.read({"LOCAL": "1", "WORKSPACES": block[1]}, WorkspaceSettings)
    assert set(read.of(WorkspaceSettings).workspaces["llm-shop", "catalogue"].fields) == set(
        json.loads(block[1])["llm-shop"]["catalogue"]["fields"]
    )
