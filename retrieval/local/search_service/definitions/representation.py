"""An index definition as Azure gives it back: every attribute with its default, in Azure's order, without secrets.

Recorded of the service by Microsoft's clients for Python and JavaScript. What is given back can be sent again as it is.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from retrieval.local.search_service.definitions.fields import COMPLEX, IndexField

REDACTED: Final = "<redacted>"

Part = dict[str, Any]

_INDEX: Final[Part] = {
    "name": None,
    "defaultScoringProfile": None,
    "fields": [],
    "scoringProfiles": [],
    "corsOptions": None,
    "suggesters": [],
    "analyzers": [],
    "normalizers": [],
    "tokenizers": [],
    "tokenFilters": [],
    "charFilters": [],
    "encryptionKey": None,
    "similarity": None,
    "semantic": None,
    "vectorSearch": None,
}
_SIMILARITY: Final[Part] = {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": None}
_FUNCTION: Final[Part] = {
    "fieldName": None,
    "interpolation": "linear",
    "type": None,
    "boost": None,
    "freshness": None,
    "magnitude": None,
    "distance": None,
    "tag": None,
}
_HNSW: Final[Part] = {"metric": "cosine", "m": 4, "efConstruction": 400, "efSearch": 500}
_VECTORIZER: Final[Part] = {
    "name": None,
    "kind": None,
    "azureOpenAIParameters": None,
    "customWebApiParameters": None,
    "aiServicesVisionParameters": None,
    "amlParameters": None,
}
_OPEN_AI: Final[Part] = {
    "resourceUri": None,
    "deploymentId": None,
    "apiKey": None,
    "modelName": None,
    "authIdentity": None,
}


def represented(
    document: Mapping[str, Any], paths: Mapping[str, IndexField], lexicon: Mapping[str, list[Part]]
) -> Part:
    """`document` has been checked; `paths` are its fields, `lexicon` the parts of its analyzers by section."""
    index = _filled(_INDEX, {name: value for name, value in document.items() if not name.startswith("@odata.")})
    return {
        **index,
        **lexicon,
        "fields": _fields(index["fields"], paths),
        "scoringProfiles": [_profile(one) for one in index["scoringProfiles"]],
        "corsOptions": _with(_cors, index["corsOptions"]),
        "suggesters": [
            _filled({"name": None, "searchMode": "analyzingInfixMatching"}, one) for one in index["suggesters"]
        ],
        "similarity": _filled(_SIMILARITY, index["similarity"]),
        "semantic": _with(_semantic, index["semantic"]),
        "vectorSearch": _with(_vector_search, index["vectorSearch"]),
    }


def _filled(defaults: Part, given: Mapping[str, Any] | None) -> Part:
    """What is null counts as not given."""
    return {**defaults, **{name: value for name, value in (given or {}).items() if value is not None}}


def _with(represent: Callable[[Part], Part], part: Part | None) -> Part | None:
    return None if part is None else represent(part)


def _fields(fields: Iterable[Part], paths: Mapping[str, IndexField], around: str = "") -> list[Part]:
    return [_field(one, paths[f"{around}{one['name']}"], paths) for one in fields]


def _field(wire: Part, field: IndexField, paths: Mapping[str, IndexField]) -> Part:
    if field.type == COMPLEX:
        return {"name": wire["name"], "type": wire["type"], "fields": _fields(wire["fields"], paths, f"{field.name}/")}
    defaults: Part = {
        "name": None,
        "type": None,
        "searchable": field.searchable or field.dimensions is not None,
        "filterable": field.filterable,
        "retrievable": field.retrievable,
        "stored": True,
        "sortable": field.sortable,
        "facetable": field.facetable,
        "key": False,
        "indexAnalyzer": None,
        "searchAnalyzer": None,
        "analyzer": None,
        "normalizer": None,
        "dimensions": None,
        "vectorSearchProfile": None,
        "vectorEncoding": None,
        "synonymMaps": [],
    }
    return _filled(defaults, wire)


def _profile(wire: Part) -> Part:
    aggregation = "sum" if wire.get("functions") else None
    profile = _filled({"name": None, "functionAggregation": aggregation, "text": None, "functions": []}, wire)
    return {**profile, "functions": [_function(one) for one in profile["functions"]]}


def _function(wire: Part) -> Part:
    function = _filled(_FUNCTION, wire)
    magnitude = function["magnitude"]
    return (
        function
        if magnitude is None
        else {**function, "magnitude": _filled({**magnitude, "constantBoostBeyondRange": False}, magnitude)}
    )


def _cors(wire: Part) -> Part:
    return _filled({"allowedOrigins": [], "maxAgeInSeconds": None}, wire)


def _semantic(wire: Part) -> Part:
    semantic = _filled({"defaultConfiguration": None, "configurations": []}, wire)
    return {**semantic, "configurations": [_configuration(one) for one in semantic["configurations"]]}


def _configuration(wire: Part) -> Part:
    defaults = {"name": None, "flightingOptIn": False, "rankingOrder": "BoostedRerankerScore"}
    fields: Part = {"titleField": None, "prioritizedContentFields": [], "prioritizedKeywordsFields": []}
    return {**_filled(defaults, wire), "prioritizedFields": _filled(fields, wire["prioritizedFields"])}


def _vector_search(wire: Part) -> Part:
    search = _filled({"algorithms": [], "profiles": [], "vectorizers": [], "compressions": []}, wire)
    unnamed = {"name": None, "algorithm": None, "vectorizer": None, "compression": None}
    return {
        **search,
        "algorithms": [_algorithm(one) for one in search["algorithms"]],
        "profiles": [_filled(unnamed, one) for one in search["profiles"]],
        "vectorizers": [_vectorizer(one) for one in search["vectorizers"]],
        "compressions": [_compression(one) for one in search["compressions"]],
    }


def _algorithm(wire: Part) -> Part:
    hnsw, exhaustive = wire.get("hnswParameters"), wire.get("exhaustiveKnnParameters")
    return {
        **wire,
        "hnswParameters": _filled(_HNSW, hnsw) if wire["kind"] == "hnsw" else None,
        "exhaustiveKnnParameters": _filled({"metric": "cosine"}, exhaustive) if wire["kind"] != "hnsw" else None,
    }


def _vectorizer(wire: Part) -> Part:
    vectorizer = _filled(_VECTORIZER, wire)
    if isinstance(vectorizer["azureOpenAIParameters"], dict):
        vectorizer["azureOpenAIParameters"] = _filled(_OPEN_AI, vectorizer["azureOpenAIParameters"])
    return {name: _redacted(value) for name, value in vectorizer.items()}


def _redacted(value: Any) -> Any:
    """Parameters without their keys: `apiKey` of Azure OpenAI, `key` of Azure Machine Learning."""
    if not isinstance(value, dict):
        return value
    return {name: REDACTED if name in ("apiKey", "key") and one is not None else one for name, one in value.items()}


def _compression(wire: Part) -> Part:
    older = wire.get("rerankWithOriginalVectors") is not None or wire.get("defaultOversampling") is not None
    rescoring = {"enableRescoring": True, "defaultOversampling": None, "rescoreStorageMethod": "preserveOriginals"}
    compression = _filled({"name": None, "kind": None, "truncationDimension": None}, wire)
    if wire["kind"] == "scalarQuantization":
        parameters = wire.get("scalarQuantizationParameters")
        compression["scalarQuantizationParameters"] = _filled({"quantizedDataType": "int8"}, parameters)
    return (
        compression if older else {**compression, "rescoringOptions": _filled(rescoring, wire.get("rescoringOptions"))}
    )
