"""A corpus as an index of a search service."""

from retrieval.errors import NotConfigured
from retrieval.local import progress
from retrieval.local.corpora import Corpus
from retrieval.local.search_service.definitions import index
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.documents import checked_fields
from retrieval.local.search_service.errors import SearchServiceError


def fill(catalog: Catalog, corpus: Corpus) -> None:
    """Creates the index with all its documents. Raises NotConfigured for a document that does not fit.

    Documents go in past the rule for keys (letters, digits, `_`, `-`, `=`): a corpus keeps the ids it came with.
    """
    try:
        parsed = index.parse(corpus.definition)
        rows = ((str(document["id"]), checked_fields(document, parsed)) for document in corpus.documents)
        catalog.create(parsed, progress.shown(corpus.index, rows, len(corpus.documents)))
    except SearchServiceError as error:
        raise NotConfigured([f"The corpus {corpus.index!r} cannot be loaded: {error.message}"]) from None
