"""What this service tells of its work: spans, metrics and trace context, through OpenTelemetry's API alone.

    with telemetry.request("retrieve", headers, id=…) as request:     # function_app: one a call
        await retrieve(…, observers=[telemetry.Steps()])              # pipeline: a span around each step
        request.answered(200)

`TracedIndex` and `TracedModel` put a client span around every call of a service behind this one; the backends say
`retried` and `throttled` as it happens and send `outgoing` along. Without an SDK in the process nothing is recorded,
and the caller's trace context is passed on. The API is imported with the first call. `docs/telemetry.md` has every
name.

No text of a search, a document or a message stands in any of it, and no key or token: errors are named by their class.
The one exception is `db.query.text`, where the setting LOG_CONTENT asks for it.

- `calls`: A client span, a duration and counts for every call of a service behind this one
- `documents`: What became of the documents of a retrieval, counted
- `instruments`: The tracer, the propagator and the instruments, OpenTelemetry's own: whoever imports this loads its
  API
- `logs`: What logs may hold: ids, sizes, durations and codes
- `names`: Every name that is emitted
- `readiness`: Whether this instance can serve: what it depends on, asked at most once in five seconds however many
  want to know
- `steps`: An observer of a call that makes a span of each of its steps, and a line in the log of each that a model
  failed at
"""

from retrieval.telemetry.calls import CalledService, TracedIndex, TracedModel, retried, throttled
from retrieval.telemetry.documents import counted, documents
from retrieval.telemetry.names import (
    AGENT,
    AZURE_OPENAI,
    AZURE_SEARCH,
    BY,
    FOUND,
    GATHERED,
    GROUNDED,
    INDEX,
    MODEL_STUDIO,
    QUERIES,
    ROUND,
    SYSTEM,
)
from retrieval.telemetry.spans import Attributes, Step, described, failed, outgoing, request, step
from retrieval.telemetry.steps import Steps

__all__ = [
    "AGENT",
    "AZURE_OPENAI",
    "AZURE_SEARCH",
    "BY",
    "FOUND",
    "GATHERED",
    "GROUNDED",
    "INDEX",
    "MODEL_STUDIO",
    "QUERIES",
    "ROUND",
    "SYSTEM",
    "Attributes",
    "CalledService",
    "Step",
    "Steps",
    "TracedIndex",
    "TracedModel",
    "counted",
    "described",
    "documents",
    "failed",
    "outgoing",
    "request",
    "retried",
    "step",
    "throttled",
]
