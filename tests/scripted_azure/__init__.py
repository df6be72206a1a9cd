"""An Azure for tests: what our backends call, answering as a test scripts it, on loopback, remembering every request.

    azure = ScriptedAzure(chat=queries("roads", "rivers"))
    azure.search = by_search({"rivers": failing(503)}, otherwise=found(document("a", 3.0)))
    async with azure.listening():
        ...                                  # azure.address is an http address
    assert azure.searches[0].json["top"] == 50

A script is a `WireService`: the functions of `scripts` make the usual ones, and combine them.
"""

from tests.scripted_azure.azure import Recorded, ScriptedAzure
from tests.scripted_azure.scripts import (
    answering,
    by_index,
    by_search,
    cutting,
    definition,
    delayed,
    document,
    failing,
    found,
    held,
    in_turn,
    queries,
    replying,
    stalling,
)
from tests.scripted_azure.streams import cut, event, streaming

__all__ = [
    "Recorded",
    "ScriptedAzure",
    "answering",
    "by_index",
    "by_search",
    "cut",
    "cutting",
    "definition",
    "delayed",
    "document",
    "event",
    "failing",
    "found",
    "held",
    "in_turn",
    "queries",
    "replying",
    "stalling",
    "streaming",
]
