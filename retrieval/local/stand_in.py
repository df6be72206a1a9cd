"""The replacement for Azure when `LOCAL=1`: the local search service with its corpora, and an agent for each."""

import atexit
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Final

from retrieval.errors import NotConfigured, Problem
from retrieval.local import corpora, ingested, progress
from retrieval.local.analyzers import ENGLISH
from retrieval.local.documents.summary import LeftOut
from retrieval.local.filled import fill, fill_missing
from retrieval.local.search_service.api.service import DEVELOPMENT_KEY, SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.store import CannotStore, Store
from retrieval.local.search_service.models.wanted import Wanted, open_models
from retrieval.model.definitions import Agent, IngestedKind, Source
from retrieval.settings.settings import APP_ROOT, Settings

ENDPOINT: Final = "https://local-search.invalid"
NO_MODEL: Final = Wanted()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A search service with everything loaded, how to call it, and the agents over its indexes. `sources` are stored
    for them, and `implied` are the sources that the other indexes imply."""

    service: SearchService
    agents: tuple[Agent, ...]
    sources: tuple[Source, ...] = ()
    implied: tuple[Source, ...] = ()
    summary: tuple[str, ...] = ()
    """What was read of the files that were loaded, and what was skipped, for people."""
    left_out: LeftOut
    endpoint: str = ENDPOINT
    key: str = DEVELOPMENT_KEY


def of_settings(settings: Settings) -> StandIn:
    """The one that a deployment's settings name. Raises NotConfigured."""
    loads = tuple(settings.local_corpora.items())
    return stand_in(
        loads, settings.local_language, models_of(settings), folder=settings.local_data, kind=settings.local_kind
    )


def models_of(settings: Settings) -> Wanted:
    return Wanted(
        model=settings.local_model,
        ranker=settings.local_ranker,
        url=settings.embeddings_url,
        key=settings.embeddings_api_key,
    )


def stand_in(
    loads: tuple[tuple[str, str], ...],
    language: str = ENGLISH,
    models: Wanted = NO_MODEL,
    *,
    folder: str | None = None,
    kind: IngestedKind | None = None,
) -> StandIn:
    """The sample corpus and the files of `loads` (name, path; in `language`), indexed once a process beside what
    `folder` holds, which keeps every change; a terminal shows the progress. With a `kind` each of the files is a
    knowledge source of it, in an index of the shape that Azure's ingestion makes.

    Raises NotConfigured for a file that cannot be read, a document that does not fit its index, a model that cannot be
    had or fails, a folder that cannot be used.
    """
    return _filled(loads, language, models, folder, kind=kind)


def forget() -> None:
    """Index what comes next anew, beside what was indexed before: for another service of this process."""
    _filled.cache_clear()


@cache
def _filled(
    loads: tuple[tuple[str, str], ...],
    language: str,
    models: Wanted,
    folder: str | None,
    *,
    kind: IngestedKind | None,
) -> StandIn:
    """What is opened is closed with the process, or at once where this fails: the next call tries again."""
    progress.opening(models.by_name)
    with ExitStack() as held:
        left_out, catalog, sample = LeftOut(), _catalog(models, folder, held), corpora.sample()
        if sample.index not in catalog:
            fill(catalog, sample)
        summary = tuple(fill_missing(catalog, dict(loads), language=language, kind=kind, left_out=left_out))
        plain = (sample.index, *(name for name, _ in loads if kind is None))
        implied = [corpora.source_of(name, catalog.get(name).definition.fields.keys()) for name in plain]
        atexit.register(held.pop_all().close)
    return StandIn(
        service=SearchService(catalog=catalog),
        agents=(sample.agent, *(ingested.agent_of(name, kind) for name, _ in loads)),
        sources=() if kind is None else tuple(ingested.source_of(name, kind) for name, _ in loads),
        implied=tuple(implied),
        summary=summary,
        left_out=left_out,
    )


def _catalog(models: Wanted, folder: str | None, held: ExitStack) -> Catalog:
    if folder is None:
        return Catalog(models=open_models(models))
    place = APP_ROOT / folder
    try:
        store = Store(place)
        held.callback(store.close)
        opened = open_models(models, place)
        return Catalog(store, progress.shown if opened.dimensions is None else progress.embedded, opened)
    except CannotStore as error:
        raise NotConfigured([Problem("LOCAL_DATA", f"LOCAL_DATA: {error}")]) from None
