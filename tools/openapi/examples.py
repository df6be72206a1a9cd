"""The examples in the document. README.md and docs/ show some of them. Each example is valid under its schema."""

from typing import Final

from retrieval.contracts.described import JsonObject
from retrieval.version import VERSION

_TEXT: Final = (
    '[{"ref_id":0,"title":"Bright Grid, Dark Interstate","terms":"Phoenix street grid","content":"Several …"}]'
)

QUESTION: Final[JsonObject] = {
    "messages": [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Why is the street grid of Phoenix so sharply visible from space?"}],
        }
    ],
    "targetIndexParams": [
        {"indexName": "earth_at_night", "filterAddOn": "page_number eq '105'", "rerankerThreshold": 2.5}
    ],
}

RETRIEVE_RESPONSE: Final[JsonObject] = {
    "response": [{"role": "assistant", "content": [{"type": "text", "text": _TEXT}]}],
    "activity": [
        {"type": "ModelQueryPlanning", "id": 0, "inputTokens": 1261, "outputTokens": 91, "elapsedMs": 612},
        {
            "type": "AzureSearchQuery",
            "id": 1,
            "targetIndex": "earth_at_night",
            "query": {"search": "Phoenix street grid visible from space", "filter": "page_number eq '105'"},
            "queryTime": "2026-11-20T19:17:17.459Z",
            "count": 1,
            "elapsedMs": 178,
            "dropped": {},
        },
        {
            "type": "AzureSearchQuery",
            "id": 2,
            "targetIndex": "earth_at_night",
            "query": {"search": "street lighting Phoenix", "filter": "page_number eq '105'"},
            "queryTime": "2026-11-20T19:17:17.459Z",
            "count": 0,
            "elapsedMs": 201,
            "dropped": {},
            "error": {
                "code": "BackendThrottled",
                "message": "Azure AI Search is throttling this service (429 Too Many Requests).",
            },
        },
        {"type": "AzureSearchSemanticRanker", "id": 3, "inputTokens": 254, "elapsedMs": 201},
    ],
    "references": [
        {
            "type": "AzureSearchDoc",
            "id": "0",
            "activitySource": 1,
            "docKey": "earth_at_night_508_page_105_verbalized",
            "sourceData": None,
        }
    ],
}

AGENT: Final[JsonObject] = {
    "name": "handbook",
    "description": "Answers from the handbook.",
    "models": [
        {
            "kind": "azureOpenAI",
            "azureOpenAIParameters": {
                "resourceUri": "https://example.openai.azure.com",
                "deploymentId": "gpt-4.1-mini",
                "modelName": "gpt-4.1-mini",
            },
        }
    ],
    "targetIndexes": [
        {"indexName": "handbook-index", "defaultRerankerThreshold": 2.5, "defaultMaxDocsForReranker": 100}
    ],
    "requestLimits": {"maxRuntimeInSeconds": 60, "maxOutputSize": 5000},
}


SOURCE: Final[JsonObject] = {
    "name": "handbook-source",
    "kind": "searchIndex",
    "description": "The handbook, page by page.",
    "searchIndexParameters": {
        "searchIndexName": "handbook-index",
        "sourceDataFields": [{"name": "title"}, {"name": "page"}],
        "semanticConfigurationName": "default",
    },
}

BASE: Final[JsonObject] = {
    "name": "handbook",
    "description": "Answers from the handbook.",
    "models": AGENT["models"],
    "knowledgeSources": [{"name": "handbook-source"}],
    "retrievalReasoningEffort": {"kind": "low"},
    "outputMode": "extractiveData",
}

STATUS: Final[JsonObject] = {
    "synchronizationStatus": "active",
    "synchronizationInterval": None,
    "currentSynchronizationState": None,
    "lastSynchronizationState": None,
    "statistics": None,
    "kind": "searchIndex",
}

READY: Final[JsonObject] = {
    "status": "ready",
    "settings": "complete",
    "search": "reachable",
    "model": "notConfigured",
    "agentStore": "reachable",
    "version": VERSION,
}

NOT_READY: Final[JsonObject] = {**READY, "status": "notReady", "search": "forbidden"}

INTENTS: Final[JsonObject] = {
    "intents": [{"type": "semantic", "search": "Why is the street grid of Phoenix so sharply visible from space?"}],
    "knowledgeSourceParams": [
        {"knowledgeSourceName": "earth_at_night", "kind": "searchIndex", "filterAddOn": "page_number eq '105'"}
    ],
}

BASE_RESPONSE: Final[JsonObject] = {
    "response": [{"content": [{"type": "text", "text": "[]"}]}],
    "activity": [],
    "references": [],
}
