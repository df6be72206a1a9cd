"""Telemetry of this service: spans, metrics and trace context. It uses the API of OpenTelemetry, not an SDK.

    with spans.request("retrieve", headers, id=…) as request:     # once for each call
        request.answered(200, contract=…)

`observed` makes a span for each step, and tells the observers of a call. If a `Request` has a list of steps, they are
in one attribute of its span instead. `TracedIndex` and `TracedModel` make a client span for every search and every
model call. The backends call `retried` for each retry and `throttled` for each throttled answer, and add the headers of
`outgoing` to their calls. Without an SDK in the process nothing is recorded, but the caller's trace context is passed
on.

`docs/operating/telemetry.md` lists all names.

Spans and metrics never contain the text of a document or a message, a key or a token. For errors, spans have only the
class. Spans have the search text only if LOG_CONTENT is set: in `db.query.text`, or in the summary of the steps.

- `spans`: The spans of calls and steps, the trace context, what counts, and counts of documents
- `outgoing_calls`: A client span, a duration and counts for every search and model call, and the outcomes of searches
  by source: lines, counts, and whether all of the last minute failed
- `log_contents`: The contents of logs: ids, sizes, durations and codes
- `names`: The names of spans, metrics and attributes, and OpenTelemetry's tracer, propagator and instruments
- `readiness`: Tells whether this instance can serve calls
"""
