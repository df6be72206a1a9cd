"""The map of this house.

    bytes ─ function_app ─ contracts.<x>.parse ─▶ RetrievalRequest ─ pipeline.retrieve ─▶ Outcome ─ <x>.render ─▶ bytes
                                                         │
                             plan ─▶ search (all at once) ─▶ merge ─▶ ground ─▶ account
                              │            │
                         backends.azure_openai   backends.azure_search, backends.model_studio

- `model`, `errors`, `filters`: the hub, its errors and its filter tree; everything else speaks these.
- `knowledge_base`: a base of Model Studio as a deployment names it.
- `ports`: what the pipeline needs from outside, one verb each.
- `plan`, `carry_over`, `merge`, `ground`, `account`: the steps. Pure: they await nothing, read no clock, import no SDK.
- `sources`: the name of a source and what it says. `near_duplicates`: texts that say the same. One rule each, pure too.
- `pipeline`: where the awaiting happens. One deadline a request; a sub-query that fails is data.
- `answer`: the hub of answers. `steps`: theirs, each with its prompt, its reader and the rules without a model.
- `workflow`: an answer from route to citations, over `rounds` of retrieval and `model_calls` with their budget.
- `contracts`: the edge in, one module a version, in a table. `backends`: the edge out, one file a service.
- `telemetry`: spans, metrics and trace context, through OpenTelemetry's API.
- `access`: who calls, and what they may. `logs`: what logs may hold.
- `settings`: the environment, read once; `environment` reads each kind of value.
- `stored`: an agent as a store keeps it, and preconditions of writes.
- `readiness`: what this instance depends on, asked seldom.
- `endpoints`, `answering`, `tool_calls`, `management`, `monitoring`: one coroutine a route.
- `openapi`: all routes, described. `compose`: the one place that knows concrete classes.
- `local`: what stands in for Azure on a developer's machine; never deployed, never imported by the rest.
"""
