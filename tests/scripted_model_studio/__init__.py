"""A Model Studio for tests: knowledge bases that answer Retrieve as a test scripts it, on loopback.

    studio = ScriptedModelStudio(chunks(chunk("a", 0.5)))
    async with studio.listening():
        ...                                  # studio.address is an http address
    assert studio.calls[0].parameters["IndexId"] == "index-1"

A script is a `WireService`; those of `tests.scripted_azure` that wait, stall or cut serve here too.
"""

from tests.scripted_model_studio.studio import (
    Asked,
    Chunk,
    ScriptedModelStudio,
    by_query,
    chunk,
    chunks,
    enveloped,
    refusing,
)

__all__ = ["Asked", "Chunk", "ScriptedModelStudio", "by_query", "chunk", "chunks", "enveloped", "refusing"]
