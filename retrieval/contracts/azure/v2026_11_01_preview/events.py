"""A retrieval as server-sent events, api-version 2026-11-01-preview. The events have the same order as in
2026-10-01."""

from typing import Final

from retrieval.contracts.azure.retrieve.events import Events
from retrieval.contracts.azure.retrieve.timed_shapes import PreviewActivity
from retrieval.contracts.azure.v2026_11_01_preview.retrieve import TYPES, RetrieveResponse, render

EVENTS: Final = Events(
    types=TYPES, activity=PreviewActivity, response=RetrieveResponse, render=render, answer_first=True
)
