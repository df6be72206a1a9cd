"""What stands in for Azure when `LOCAL=1`: the local search service with its corpora, and an agent for each."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured
from retrieval.local import corpora
from retrieval.local.corpora import Corpus, JsonObject
from retrieval.local.search_service import definition
from retrieval.local.search_service.documents import checked_fields
from retrieval.local.search_service.errors import SearchServiceError
from retrieval.local.search_service.service import DEVELOPMENT_KEY, SearchService
from retrieval.model import Agent

ENDPOINT: Final = "https://local-search.invalid"
PROGRESS_STEP: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A search service with everything loaded, how to call it, and the agents over its indexes."""

    service: SearchService
    agents: tuple[Agent, ...]
    endpoint: str = ENDPOINT
    key: str = DEVELOPMENT_KEY


@cache
def stand_in(loads: tuple[tuple[str, str], ...]) -> StandIn:
    """The sample corpus and the files of `loads` (name, path), indexed; on a terminal the progress is shown.

    Raises NotConfigured for a file that cannot be read or a document that does not fit its index.
    """
    service = SearchService()
    loaded = [corpora.sample(), *(corpora.load(name, Path(path)) for name, path in loads)]
    for corpus in loaded:
        _fill(service, corpus)
    return StandIn(service=service, agents=tuple(corpus.agent for corpus in loaded))


def _fill(service: SearchService, corpus: Corpus) -> None:
    """Documents go in past the rule for keys (letters, digits, `_`, `-`, `=`): a corpus keeps the ids it came with."""
    try:
        index = service.catalog.create(definition.parse(corpus.definition))
        for document in _with_progress(corpus.index, corpus.documents):
            index.put(str(document["id"]), checked_fields(document, index.definition))
    except SearchServiceError as error:
        raise NotConfigured([f"The corpus {corpus.index!r} cannot be loaded: {error.message}"]) from None


def _with_progress(name: str, documents: Sequence[JsonObject]) -> Iterator[JsonObject]:
    shown = sys.stderr.isatty()
    for number, document in enumerate(documents, 1):
        yield document
        if shown and (number % PROGRESS_STEP == 0 or number == len(documents)):
            end = "\n" if number == len(documents) else ""
            print(f"\rloading {name}: {number:,} of {len(documents):,} documents", end=end, file=sys.stderr, flush=True)
