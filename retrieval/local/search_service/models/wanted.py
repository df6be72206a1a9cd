"""Which models a search service has: those that a command or the settings name, or none."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from retrieval.errors import NotConfigured, Problem
from retrieval.local.search_service.models.hashed_embeddings import HashedEmbeddings
from retrieval.local.search_service.models.lexical_ranker import LexicalRanker
from retrieval.local.search_service.models.ports import Embedder, ModelFailed, Ranker

TRIES: Final = 4
"""How often a busy endpoint is asked again."""

VECTORS: Final = Path(".local")
"""Where vectors are kept of documents that are nowhere else on disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What makes vectors and what ranks. With a model, `is_slow`: it is asked beside the event loop."""

    embedder: Embedder = field(default_factory=HashedEmbeddings)
    ranker: Ranker = field(default_factory=LexicalRanker)
    is_slow: bool = False

    @property
    def dimensions(self) -> int | None:
        """Of the vectors of an embedding model; None without one."""
        return self.embedder.dimensions


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The names of models: of fastembed's, folders, or with `url` one of that endpoint's, whose `key` it asks for."""

    model: str | None = None
    ranker: str | None = None
    url: str | None = None
    key: str | None = field(default=None, repr=False)

    @property
    def told(self) -> tuple[str, ...]:
        """A line for each model, for people."""
        place = f" at {self.url}" if self.url else ""
        lines = {f"embedding model {self.model}{place}": self.model, f"ranking model {self.ranker}": self.ranker}
        return tuple(line for line, named in lines.items() if named)

    @property
    def by_name(self) -> tuple[str, ...]:
        """The models that are named and are no folder here: what is not here of them yet is fetched."""
        named = (self.ranker, None if self.url else self.model)
        return tuple(one for one in named if one and not Path(one).is_dir())


def open_models(wanted: Wanted, folder: Path = VECTORS, *, retries: int = TRIES) -> Models:
    """The models, with vectors kept in `folder`. Raises NotConfigured where one cannot be had."""
    if wanted.url is not None and wanted.model is None:
        sentence = "EMBEDDINGS_URL needs the name of its model: --model NAME, or LOCAL_MODEL."
        raise NotConfigured([Problem("EMBEDDINGS_URL", sentence)])
    if wanted.model is None and wanted.ranker is None:
        return Models()
    try:
        embedder = _embedder(wanted, folder, retries)
        return Models(embedder=embedder, ranker=_ranker(wanted), is_slow=True)
    except ModelFailed as error:
        raise NotConfigured([error.message]) from error


def _embedder(wanted: Wanted, folder: Path, retries: int) -> Embedder:
    if wanted.model is None:
        return HashedEmbeddings()
    from retrieval.local.search_service.models.remembered import Remembered

    if wanted.url is not None:
        from retrieval.local.search_service.models.endpoint_embeddings import EndpointEmbeddings

        return Remembered(EndpointEmbeddings(wanted.url, wanted.model, wanted.key, retries=retries), folder)
    from retrieval.local.search_service.models.fastembed_models import FastembedEmbeddings

    return Remembered(FastembedEmbeddings(wanted.model), folder)


def _ranker(wanted: Wanted) -> Ranker:
    if wanted.ranker is not None:
        from retrieval.local.search_service.models.fastembed_models import CrossEncoder

        return CrossEncoder(wanted.ranker)
    from retrieval.local.search_service.models.mixed_ranker import MixedRanker

    return MixedRanker(Path(wanted.model or "").name)
