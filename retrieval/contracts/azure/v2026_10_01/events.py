"""A retrieval as server-sent events, api-version 2026-10-01."""

from typing import Final

from retrieval.contracts.azure.retrieve.events import Events
from retrieval.contracts.azure.v2026_10_01.retrieve import TYPES, Activity, RetrieveResponse, render

EVENTS: Final = Events(types=TYPES, activity=Activity, response=RetrieveResponse, render=render, answer_first=True)
