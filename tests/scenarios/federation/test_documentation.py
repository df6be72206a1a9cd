"""The page about calling Model Studio tells the truth: its settings, its agent and its request work together."""

import json
import re
from pathlib import Path

from tests.conftest import ROOT, Post
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scenarios.failures.answer import searches
from tests.scenarios.federation.conftest import CALLER_KEY, Retrieve
from tests.scripted_azure import ScriptedAzure, document, found
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks

pytestmark = NEEDS_BASES_OF_STUDIO

PAGE = (ROOT / "docs" / "calling" / "model-studio-bases.md").read_text(encoding="utf-8")


async def test_the_examples_work_together(
    azure: ScriptedAzure,
    studio: ScriptedModelStudio,
    retrieve: Retrieve,
    post: Post,
    settings: dict[str, str],
    tmp_path: Path,
) -> None:
    bases, agents, request = (json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)[:3])
    base = {**bases["harbours-cn"], "endpoint": studio.address}
    del base["region"]
    (tmp_path / "documented.json").write_text(json.dumps(agents))
    settings["MODEL_STUDIO_BASES"] = json.dumps({"harbours-cn": base})
    settings["AGENTS_FILE"] = str(tmp_path / "documented.json")
    azure.search, studio.script = found(document("quay", 2.1)), chunks(chunk("kade", 0.4))
    await retrieve(agent="nobody")
    answer = await post(request, "/agents/harbours/retrieve?api-version=2025-05-01-preview", key=CALLER_KEY)
    assert [record["targetIndex"] for record in searches(answer)] == ["harbour-index", "harbours-cn"]
    assert [reference["docKey"] for reference in answer.json["references"]] == ["quay", "kade"]
    assert studio.calls[0].json("SearchFilters") == [{"港口": "Rotterdam"}]
