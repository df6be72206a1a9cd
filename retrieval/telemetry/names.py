"""The names of spans, metrics and attributes. A name without the prefix `retrieval` comes from OpenTelemetry's semantic
conventions: https://opentelemetry.io/docs/specs/semconv/database/ and
https://github.com/open-telemetry/semantic-conventions-genai.

Azure Monitor's exporter converts `db.*`, `http.*`, `server.*` and `error.type` of a span into its own columns, or drops
them. Therefore an attribute that queries need also has a name with the prefix `retrieval`.
"""

from typing import Final

SCOPE: Final = "retrieval"
"""The instrumentation scope of spans and metrics."""

# The services that this one calls, beside those of a kind of source. The conventions have none for the search service.
AZURE_SEARCH: Final = "azure.ai.search"
AZURE_OPENAI: Final = "azure.ai.openai"

# Attributes of any span
ERROR_TYPE: Final = "error.type"
ERROR: Final = "retrieval.error"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"

# Attributes of the span or the duration of a call
OPERATION: Final = "retrieval.operation"
CONTRACT: Final = "retrieval.contract"
REQUEST_ID: Final = "retrieval.request_id"
CLIENT_ID: Final = "retrieval.client_request_id"
CALLER: Final = "retrieval.caller"
INPUT_TOKENS: Final = "retrieval.tokens.input"
OUTPUT_TOKENS: Final = "retrieval.tokens.output"
STATUS: Final = "retrieval.status"
AGENT: Final = "retrieval.agent"
STEPS: Final = "retrieval.steps"
SUBQUERIES: Final = "retrieval.subqueries"
FOUND: Final = "retrieval.documents.found"
RETURNED: Final = "retrieval.documents.returned"
DROPPED: Final = "retrieval.documents.dropped"

# Attributes of steps
BY: Final = "retrieval.by"
ROUND: Final = "retrieval.round"
GATHERED: Final = "retrieval.documents.gathered"
QUERIES: Final = "retrieval.queries"
GROUNDED: Final = "retrieval.documents.grounded"

# Attributes of calls of other services
SYSTEM: Final = "retrieval.system"
INDEX: Final = "retrieval.index"
KIND: Final = "retrieval.source.kind"
UNRANKED: Final = "retrieval.unranked"
RETRIES: Final = "retrieval.retries"
THROTTLES: Final = "retrieval.throttles"
PROMPT: Final = "retrieval.prompt"
DB_SYSTEM: Final = "db.system.name"
DB_OPERATION: Final = "db.operation.name"
DB_COLLECTION: Final = "db.collection.name"
DB_ROWS: Final = "db.response.returned_rows"
DB_QUERY_TEXT: Final = "db.query.text"
GEN_AI_OPERATION: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER: Final = "gen_ai.provider.name"
GEN_AI_SYSTEM: Final = "gen_ai.system"
"""The conventions replaced this attribute by `gen_ai.provider.name`. Azure Monitor's exporter still needs it to
recognise a model call."""
GEN_AI_MODEL: Final = "gen_ai.request.model"
GEN_AI_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"

# Metrics, and attributes that only metrics have
REQUEST_DURATION: Final = "retrieval.request.duration"
DB_DURATION: Final = "db.client.operation.duration"
GEN_AI_DURATION: Final = "gen_ai.client.operation.duration"
GEN_AI_TOKENS: Final = "gen_ai.client.token.usage"
GEN_AI_TOKEN_TYPE: Final = "gen_ai.token.type"
REASON: Final = "retrieval.reason"
SEARCHES: Final = "retrieval.searches"
SOURCE: Final = "retrieval.source"
CAUSE: Final = "retrieval.cause"
SLOW: Final = "retrieval.slow"
SEARCHED: Final = "retrieval.searched"
RESULT: Final = "retrieval.result"
BREAKER: Final = "retrieval.breaker"
TARGET: Final = "retrieval.target"
CHANGE: Final = "retrieval.change"
MODEL_STEPS: Final = "retrieval.model_steps"
STEP: Final = "retrieval.step"
LIMITED: Final = "retrieval.limited"
LIMIT: Final = "retrieval.limit"
HEARTBEAT: Final = "retrieval.heartbeat"
UNKNOWN_VERSIONS: Final = "retrieval.unknown_versions"
SERVED_AS: Final = "retrieval.served_as"
