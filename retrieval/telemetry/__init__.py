"""Telemetry of this service: spans, metrics and trace context, through OpenTelemetry's API alone.

    with telemetry.request("retrieve", headers, id=…) as request:     # once for each call
        request.answered(200, contract=…)

`Steps`, an observer of every call, makes a span for each step. After `summarize` all steps are in one attribute
instead. `TracedIndex` and `TracedModel` put a client span around every call of a service behind this one. The backends
call `retried` and `throttled` at each such event, and add the headers of `outgoing` to their calls. Without an SDK in
the process nothing is recorded, and the caller's trace context is passed on. The API is imported with the first call.
`docs/operating/telemetry.md` has every name.

Telemetry never has the text of a search, a document or a message, a key or a token. Errors are named by their class.
The one exception is `db.query.text`, where the setting LOG_CONTENT asks for it.

- `calls`: A client span, a duration and counts for every call of a service behind this one, and counts of documents
- `instruments`: OpenTelemetry's tracer, propagator and instruments: importing this loads its API
- `logs`: The contents of logs: ids, sizes, durations and codes
- `names`: Every name that is emitted
- `outcomes`: The outcomes of the searches of the last minute: whether all of them failed for one cause
- `readiness`: Whether this instance can serve
- `versions`: The unknown versions that callers ask for: a warning for each, a count of all, and a list
- `steps`: An observer that makes a span for each step of a call, and a log line for each step whose model failed
"""

from retrieval.telemetry.calls import CalledService, TracedIndex, TracedModel, documents, limited, retried, throttled
from retrieval.telemetry.names import (
    AGENT,
    AZURE_OPENAI,
    AZURE_SEARCH,
    BY,
    FOUND,
    GATHERED,
    GROUNDED,
    INDEX,
    MCP,
    MODEL_STUDIO,
    QUERIES,
    ROUND,
    SYSTEM,
)
from retrieval.telemetry.outcomes import Outcomes
from retrieval.telemetry.spans import Attributes, Step, described, failed, outgoing, request, step, summarize
from retrieval.telemetry.spans import instruments as load
from retrieval.telemetry.steps import Steps
from retrieval.telemetry.versions import UnknownVersions

__all__ = [
    "AGENT",
    "AZURE_OPENAI",
    "AZURE_SEARCH",
    "BY",
    "FOUND",
    "GATHERED",
    "GROUNDED",
    "INDEX",
    "MCP",
    "MODEL_STUDIO",
    "QUERIES",
    "ROUND",
    "SYSTEM",
    "Attributes",
    "CalledService",
    "Outcomes",
    "Step",
    "Steps",
    "TracedIndex",
    "TracedModel",
    "UnknownVersions",
    "described",
    "documents",
    "failed",
    "limited",
    "load",
    "outgoing",
    "request",
    "retried",
    "step",
    "summarize",
    "throttled",
]
