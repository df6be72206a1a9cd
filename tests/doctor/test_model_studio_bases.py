"""Each fault of a knowledge base of Model Studio, by the codes that Alibaba Cloud documents."""

import json
from collections.abc import AsyncIterator

import pytest

from retrieval.local.wire import WireService
from retrieval.model.finding import Finding
from tests.doctor.conftest import Stage
from tests.rooms import NEEDS_BASES_OF_STUDIO
from tests.scripted_azure import answering, cutting
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing

pytestmark = NEEDS_BASES_OF_STUDIO

SECRET = "studio-secret-8c2e"


@pytest.fixture
async def studio(stage: Stage) -> AsyncIterator[ScriptedModelStudio]:
    """A deployment of which one agent searches a base."""
    studio = ScriptedModelStudio(chunks(chunk("a", 0.5)))
    async with studio.listening():
        base = {"workspace": "llm-1", "index": "index-1", "endpoint": studio.address}
        stage.environ |= {
            "MODEL_STUDIO_BASES": json.dumps({"handbook-cn": base}),
            "MODEL_STUDIO_ACCESS_KEY_ID": "key-id",
            "MODEL_STUDIO_ACCESS_KEY_SECRET": SECRET,
        }
        stage.define([{"name": "handbook", "targetIndexes": [{"indexName": "handbook-cn"}]}])
        yield studio


async def found(stage: Stage) -> Finding:
    [finding] = [one for one in await stage.examine() if one.subject == "model studio"]
    assert SECRET not in finding.said + finding.do
    return finding


async def test_a_base_that_answers_is_well(studio: ScriptedModelStudio, stage: Stage) -> None:
    finding = await found(stage)
    assert (finding.name, finding.state, finding.said) == (
        "handbook-cn",
        "ok",
        "It accepts the signature, and retrieves.",
    )
    assert len(studio.calls) == 1


@pytest.mark.parametrize(
    ("script", "said", "do"),
    [
        (refusing("InvalidAccessKeyId.NotFound", http=404), "no such access key", "MODEL_STUDIO_ACCESS_KEY_ID"),
        (refusing("SignatureDoesNotMatch", http=400), "signature is wrong", "MODEL_STUDIO_ACCESS_KEY_SECRET"),
        (refusing("InvalidTimeStamp.Expired", http=400), "clock is wrong", "Set the clock"),
        (refusing("NoPermission", http=403), "may not retrieve", "sfm:Retrieve"),
        (refusing("NoWorkspacePermissions", http=400), "no part in the workspace", "workspace"),
        (refusing("Index.NotExist", http=400), "no such knowledge base", "index and region"),
        (refusing("Throttling.User", http=429), "throttles", "higher limit"),
        (refusing("InternalError", http=500), "failed", "See the message"),
        (cutting(), "could not be reached", "region or endpoint"),
        (answering(b"<html>"), "cannot be read", "region or endpoint"),
    ],
)
async def test_a_fault_is_found(
    script: WireService, said: str, do: str, studio: ScriptedModelStudio, stage: Stage
) -> None:
    studio.script = script
    finding = await found(stage)
    assert finding.state == ("warning" if said == "throttles" else "fault")
    assert said in finding.said and do in finding.do
