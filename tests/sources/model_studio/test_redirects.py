"""A redirect is not followed to another host: it would take the signature there."""

import pytest

from retrieval.sources.model_studio.base import ModelStudioBase
from retrieval.sources.model_studio.search import ModelStudioIndex
from tests.outgoing.test_redirects import REDIRECTS, asked_by


async def retrieve(address: str) -> None:
    base = ModelStudioBase(workspace="llm-1", index="index", endpoint=address)
    index = ModelStudioIndex({"base": base}, access_key_id="id", access_key_secret="secret")
    try:
        await index.try_once("base", "roads")
    finally:
        await index.close()


@pytest.mark.parametrize("status", REDIRECTS)
async def test_a_redirect_is_not_followed(status: int) -> None:
    assert await asked_by(retrieve, status) == {"here"}
