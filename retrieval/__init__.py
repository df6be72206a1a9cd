"""The map of this house.

    bytes ─ function_app ─ http ─ contracts.<x>.parse ─▶ RetrievalRequest ─ call ─▶ Outcome ─ <x>.render ─▶ bytes
                                                                               │
                               plan ─▶ search (all at once) ─▶ merge ─▶ judge ─▶ (follow up) ─▶ ground
                                │            │
                       backends.azure_openai   backends.azure_search, backends.model_studio

- `http`: the skeleton that every route goes through, and a short file for each family of routes.
- `contracts`: the edge in, one package a version, in a table. `backends`: the edge out, one folder a service.
- `call`: one call, awaited: plan, search, merge, judge, follow up, ground, and the answer where one is asked for.
- `steps`: what a model does, prompt and reader together. `rules`: the same without a model.
- `citations`: what an answer may keep, and its Markdown.
- `model`, `filters`, `errors`: the hub, its filter tree and its errors; everything else speaks these.
- `text`: one rule about texts per file. `ports`: what the engine needs from outside, one verb each.
- `access`: who calls, and what they may. `settings`: the environment, read once.
- `telemetry`: spans, metrics, logs and readiness. `openapi`: all routes, described.
- `doctor`: what people get wrong in a deployment, checked one by one, each with what to do.
- `playground`: a page in the browser that asks as any client does, and shows what happened.
- `threads`: work beside the event loop. `pauses`: those before a call is repeated.
- `version`: of this service, as it says it of itself.
- `compose`: the one place that knows concrete classes.
- `local`: replaces Azure on a developer's machine; never deployed, never imported by the rest.

Imports run one way; `tests/test_layers.py` has the table. These await nothing: `model`, `filters`, `text`, `steps`,
`rules`, `citations`, and the contracts except `mcp`.
"""
