"""What a start says to whoever watches it: what was loaded, the agents, the page, the key, a call to try.

Keys of the deployment's own are not printed; the development key is known to everybody.
"""

import asyncio
import json
import os
from collections.abc import Iterator

from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.stand_in import models_of, of_settings
from retrieval.model.definitions import Agent, Source, readable_values
from retrieval.settings.missing_definitions import unknown_names
from retrieval.settings.settings import LOCAL_ADMIN_KEY, LOCAL_KEY, Settings, gather
from retrieval.text.counted_noun import how_many

SAMPLE_QUESTION = "Why is the street grid of Phoenix so sharply visible from space?"
QUESTION = "Your question?"


def greeting(address: str) -> list[str]:
    """The lines for the app of this project; the page's comes last, where it is seen."""
    settings, _ = gather(os.environ)
    local = _of_stand_in(settings, address) if settings.uses_local_search else []
    lines = [*local, *_of_chat(settings)]
    return [*lines, f"Open {_in_a_browser(address)} in a browser."] if settings.shows_playground else lines


def _of_chat(settings: Settings) -> list[str]:
    """The chat model, where there is one of your own."""
    return [] if settings.chat_url is None else [f"chat model {settings.chat_model} at {settings.chat_url}"]


def _of_stand_in(settings: Settings, address: str) -> list[str]:
    """What was loaded, and how it is asked, where the local search service is searched."""
    local = of_settings(settings)
    agents, sources = _kept(settings, local.agents)
    loaded = next(iter(settings.local_corpora), None)
    name = loaded or local.agents[0].name
    key = LOCAL_KEY if LOCAL_KEY in settings.query_keys else "KEY"
    return [
        *models_of(settings).told,
        *local.summary,
        "agents:",
        *(f"  {line}" for line in _counted(agents, local.service.catalog)),
        *(unknown.sentence for unknown in unknown_names(settings, agents, sources) if not _is_elsewhere(settings)),
        _keeping(settings),
        f"key {key if key == LOCAL_KEY else '(one of API_KEYS)'}",
        f"key that may manage, and calls the doctor: {_admin_key(settings)}",
        f"try {_call(address, name, QUESTION if loaded else SAMPLE_QUESTION, key=key)}",
    ]


def _admin_key(settings: Settings) -> str:
    if LOCAL_ADMIN_KEY in settings.admin_keys:
        return LOCAL_ADMIN_KEY
    return "one of ADMIN_API_KEYS" if settings.admin_keys else "none, ADMIN_API_KEYS is empty"


def _in_a_browser(address: str) -> str:
    """A service that listens on every address of this machine is opened at its own."""
    return f"{address}/".replace("//0.0.0.0:", "//localhost:").replace("//[::]:", "//localhost:")


def _keeping(settings: Settings) -> str:
    """What becomes of what callers make."""
    if settings.local_data is not None:
        return f"What you make is kept in {settings.local_data}."
    if settings.store == "memory":
        return "What you make ends with this process; DATA=folder (--data) keeps indexes and definitions."
    return f"Definitions are kept ({settings.store}), and indexes end with this process; DATA=folder keeps both."


def _kept(settings: Settings, configured: tuple[Agent, ...]) -> tuple[list[Agent], list[Source]]:
    """The agents of the configuration and those that are kept from earlier starts, by name; and the sources."""
    agents = {agent.name: agent for agent in configured}
    if _is_elsewhere(settings):
        return list(agents.values()), []
    from retrieval.compose import service

    store = service().agents
    agents |= {agent.name: agent for agent in readable_values(asyncio.run(store.store.list()))}
    return [agents[name] for name in sorted(agents)], readable_values(asyncio.run(store.sources.list()))


def _is_elsewhere(settings: Settings) -> bool:
    """Whether a service keeps the definitions, which a start does not wait for."""
    return "://" in (settings.store or "")


def _counted(agents: list[Agent], catalog: Catalog) -> Iterator[str]:
    for agent in agents:
        counts = {one.index: len(catalog.get(one.index)) if one.index in catalog else None for one in agent.targets}
        said = [
            f"there is no index {index!r}: make it, or delete the agent"
            if count is None
            else how_many(count, "document")
            for index, count in counts.items()
        ]
        yield f"{agent.name}: {', '.join(said) or 'no index'}"


def _call(address: str, agent: str, question: str, *, key: str) -> str:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": question}]}]}
    headers = f"-H 'api-key: {key}' -H 'Content-Type: application/json'"
    return f"curl -s {address}/agents/{agent}/answer {headers} -d '{json.dumps(body)}'"
