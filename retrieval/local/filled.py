"""A corpus as an index of a search service."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from retrieval.errors import NotConfigured
from retrieval.local import corpora, progress
from retrieval.local.corpora import Corpus
from retrieval.local.documents.summary import LeftOut
from retrieval.local.ingested import as_ingested, index_of
from retrieval.local.search_service.definitions import index
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.documents import checked_fields
from retrieval.local.search_service.errors import SearchServiceError
from retrieval.model.definitions import IngestedKind


def fill_missing(
    catalog: Catalog,
    loads: Mapping[str, str],
    *,
    language: str,
    kind: IngestedKind | None = None,
    left_out: LeftOut,
) -> Iterator[str]:
    """An index for each of `loads` (name, path; in `language`) that the catalog does not hold yet, which it may from a
    folder; with a `kind`, in the shape that Azure's ingestion gives it. Gives lines for people: what was read, and what
    was not read again. Notes what the indexes lack of the files. Raises NotConfigured as `fill` does."""
    for name, path in loads.items():
        if index_of(name, kind) in catalog:
            yield f"{name}: as it was kept; {path} was not read again. Delete the index to read it at the next start."
        else:
            corpus = corpora.load(name, Path(path), language=language)
            fill(catalog, corpus if kind is None else as_ingested(corpus, kind, language=language))
            left_out.note(name, corpus.left_out)
            yield from corpus.summary


def fill(catalog: Catalog, corpus: Corpus) -> None:
    """Creates the index with all its documents, and with a vector field where the catalog has a model for it.

    Raises NotConfigured for a document that does not fit, and where the model fails: then there is no index.

    Documents go in past the rule for keys (letters, digits, `_`, `-`, `=`): a corpus keeps the ids it came with.
    """
    dimensions = catalog.models.dimensions
    corpus = corpus if dimensions is None else corpora.with_vectors(corpus, dimensions)
    try:
        parsed = index.parse(corpus.definition)
        rows = ((str(document[parsed.key]), checked_fields(document, parsed)) for document in corpus.documents)
        shown = progress.shown if dimensions is None else progress.embedded
        catalog.create(parsed, shown(corpus.index, rows, len(corpus.documents)))
    except SearchServiceError as error:
        raise NotConfigured([f"The corpus {corpus.index!r} cannot be loaded: {error.message}"]) from None
