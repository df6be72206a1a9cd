"""The replacement for Azure when `LOCAL=1`: the local search service with its corpora, and an agent for each."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.local import corpora
from retrieval.local.analyzers import ENGLISH
from retrieval.local.filled import fill
from retrieval.local.search_service.api.service import DEVELOPMENT_KEY, SearchService
from retrieval.model.definitions import Agent

ENDPOINT: Final = "https://local-search.invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A search service with everything loaded, how to call it, and the agents over its indexes."""

    service: SearchService
    agents: tuple[Agent, ...]
    summary: tuple[str, ...] = ()
    """What was read of the files that were loaded, and what was skipped, for people."""
    endpoint: str = ENDPOINT
    key: str = DEVELOPMENT_KEY


def stand_in(loads: tuple[tuple[str, str], ...], language: str = ENGLISH) -> StandIn:
    """The sample corpus and the files of `loads` (name, path; in `language`), indexed; a terminal shows the progress.

    One a process. Raises NotConfigured for a file that cannot be read or a document that does not fit its index.
    """
    return _made(loads, language)


@cache
def _made(loads: tuple[tuple[str, str], ...], language: str) -> StandIn:
    service = SearchService()
    loaded = [corpora.sample(), *(corpora.load(name, Path(path), language=language) for name, path in loads)]
    for corpus in loaded:
        fill(service.catalog, corpus)
    return StandIn(
        service=service,
        agents=tuple(corpus.agent for corpus in loaded),
        summary=tuple(line for corpus in loaded for line in corpus.summary),
    )
