"""A retrieval as server-sent events, api-version 2026-08-01-preview."""

from typing import Final

from retrieval.contracts.azure.retrieve.events import Events
from retrieval.contracts.azure.retrieve.timed_shapes import PreviewActivity
from retrieval.contracts.azure.v2026_08_01_preview.retrieve import TYPES, RetrieveResponse, render

EVENTS: Final = Events(
    types=TYPES, activity=PreviewActivity, response=RetrieveResponse, render=render, answer_first=False
)
