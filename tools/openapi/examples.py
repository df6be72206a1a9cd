"""The examples in the document. README.md and docs/ show some of them. Each example is valid under its schema."""

from collections.abc import Mapping
from typing import Any, Final

from retrieval.version import VERSION

JsonObject = Mapping[str, Any]

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

ANSWER_REQUEST: Final[JsonObject] = {
    "messages": QUESTION["messages"],
    "filter": "page_number eq '105'",
    "limits": {"maxChunks": 1, "maxFollowUps": 0},
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

REFUSAL: Final[JsonObject] = {
    "error": {
        "code": "InvalidRequest",
        "message": "The property 'messages' is required.",
        "target": "messages",
    }
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

PARAMETERS: Final[JsonObject] = {
    "IndexId": "earth-at-night",
    "Query": "Phoenix street grid",
    "EnableReranking": True,
    "Rerank": [{"ModelName": "gte-rerank-hybrid"}],
    "RerankTopN": 3,
    "EnableRewrite": True,
    "QueryHistory": [{"role": "user", "content": "Which cities are bright?"}],
    "SearchFilters": [{"page_number": "105"}],
}

NODES: Final[JsonObject] = {
    "Code": "Success",
    "Message": "success",
    "RequestId": "17316EA2-1F4D-55AC-8872-53F6F1529545",
    "Status": "200",
    "Success": True,
    "Data": {
        "Nodes": [
            {
                "Text": "Several reasons explain why …",
                "Score": 0.64,
                "Metadata": {"_id": "earth_at_night_508_page_105_verbalized", "title": "Bright Grid, Dark Interstate"},
            }
        ]
    },
}

REFUSED_PARAMETER: Final[JsonObject] = {
    "Code": "Index.InvalidParameter",
    "Message": (
        "Required parameter(Query) missing or invalid, please check the request parameters. "
        "It is required and must not be empty."
    ),
    "RequestId": "17316EA2-1F4D-55AC-8872-53F6F1529545",
    "Status": "400",
    "Success": False,
}

READY: Final[JsonObject] = {
    "status": "ready",
    "settings": "complete",
    "search": "reachable",
    "model": "notConfigured",
    "agentStore": "reachable",
    "version": VERSION,
}

PROTECTED_RESOURCE: Final[JsonObject] = {
    "resource": "https://retrieval.example.com/agents/handbook/mcp",
    "authorization_servers": ["https://login.microsoftonline.com/8d0f9a14-2f7b-4e0c-9f63-0b8f1a6c7d21/v2.0"],
    "scopes_supported": ["api://retrieval/.default"],
    "bearer_methods_supported": ["header"],
}

EXAMINATION: Final[JsonObject] = {
    "status": "faults",
    "findings": [
        {
            "subject": "index",
            "name": "handbook",
            "state": "fault",
            "said": "There is no such index, and these search it: handbook.",
            "do": "Make it (docs/operating/deploy.md), or correct indexName in AGENTS_FILE or in the agent.",
            "lacking": None,
        }
    ],
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
