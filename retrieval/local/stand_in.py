"""The replacement for Azure when `LOCAL=1`: the local search service with its corpora, and an agent for each."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.local import corpora, progress
from retrieval.local.analyzers import ENGLISH
from retrieval.local.filled import fill
from retrieval.local.search_service.api.service import DEVELOPMENT_KEY, SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.model.definitions import Agent
from retrieval.settings.settings import Settings

ENDPOINT: Final = "https://local-search.invalid"
NO_MODEL: Final = Wanted()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A search service with everything loaded, how to call it, and the agents over its indexes."""

    service: SearchService
    agents: tuple[Agent, ...]
    summary: tuple[str, ...] = ()
    """What was read of the files that were loaded, and what was skipped, for people."""
    endpoint: str = ENDPOINT
    key: str = DEVELOPMENT_KEY


def of_settings(settings: Settings) -> StandIn:
    """The one that a deployment's settings name. Raises NotConfigured."""
    return stand_in(tuple(settings.local_corpora.items()), settings.local_language, models_of(settings))


def models_of(settings: Settings) -> Wanted:
    return Wanted(
        model=settings.local_model,
        ranker=settings.local_ranker,
        url=settings.embeddings_url,
        key=settings.embeddings_api_key,
    )


def stand_in(loads: tuple[tuple[str, str], ...], language: str = ENGLISH, models: Wanted = NO_MODEL) -> StandIn:
    """The sample corpus and the files of `loads` (name, path; in `language`), indexed once a process; a terminal shows
    the progress.

    Raises NotConfigured for a file that cannot be read, a document that does not fit its index, a model that cannot be
    had or fails.
    """
    return _filled(loads, language, models)


@cache
def _filled(loads: tuple[tuple[str, str], ...], language: str, models: Wanted) -> StandIn:
    progress.opening(models.by_name)
    service = SearchService(catalog=Catalog(models=open_models(models)))
    loaded = [corpora.sample(), *(corpora.load(name, Path(path), language=language) for name, path in loads)]
    for corpus in loaded:
        fill(service.catalog, corpus)
    return StandIn(
        service=service,
        agents=tuple(corpus.agent for corpus in loaded),
        summary=tuple(line for corpus in loaded for line in corpus.summary),
    )
