"""What a request needs of a model, asked for before its turn: meanwhile other requests are answered."""

from collections.abc import Iterator

from retrieval.errors import BadRequest
from retrieval.local.search_service import bodies
from retrieval.local.search_service.api import get_search
from retrieval.local.search_service.definitions import index as definition
from retrieval.local.search_service.engine import vector_fields, writing
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.errors import SearchServiceError
from retrieval.local.search_service.models.ports import ModelFailed
from retrieval.local.search_service.request_line import RequestLine
from retrieval.local.wire import WireRequest


def prepare(wanted: RequestLine, request: WireRequest, catalog: Catalog) -> None:
    """Raises ModelFailed; what else is wrong with a request is said when it is carried out."""
    try:
        match wanted.operation:
            case "search" if vector_fields.vectorized(catalog.target(wanted.names[0]).definition):
                for text in _texts(request):
                    catalog.models.embedder.begin(text)
            case "write_documents":
                index = catalog.target(wanted.names[0])
                body, unsafe = bodies.read_object(request), wanted.has_unsafe_keys
                index.prepare(writing.whole(writing.read_batch(body, index.definition, unsafe=unsafe), index))
            case "put_index" if wanted.names[0] in catalog:
                documents = [fields for _, fields in catalog.get(wanted.names[0]).documents()]
                new = definition.parse(bodies.read_object(request))
                vector_fields.prepare(documents, new, catalog.models.embedder)
    except ModelFailed:
        raise
    except (SearchServiceError, BadRequest):
        return


def _texts(request: WireRequest) -> Iterator[str]:
    """The texts whose vectors a search may need: those of its vector queries, or what is ranked."""
    body = get_search.body(request.target) if request.method == "GET" else bodies.read_object(request)
    queries = body.get("vectorQueries")
    texts = [one.get("text") for one in queries if isinstance(one, dict)] if isinstance(queries, list) else []
    semantic = body.get("queryType") == "semantic" or body.get("semanticQuery")
    if semantic and not any(texts):
        texts = [body.get("semanticQuery") or body.get("search")]
    return (text for text in texts if isinstance(text, str))
