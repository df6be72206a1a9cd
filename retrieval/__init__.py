"""The map of the package `retrieval`.

    bytes ─ function_app ─ http ─ contracts.<x>.parse ─▶ RetrievalRequest ─ call ─▶ Outcome ─ <x>.render ─▶ bytes
                                                                               │
                               plan ─▶ search (all at once) ─▶ merge ─▶ judge ─▶ (follow up) ─▶ ground
                                │            │
                       backends.azure_openai   backends.azure_search, backends.model_studio

- `http`: the code that all routes share, and a short file for each family of routes.
- `contracts`: read requests and write answers, one package or module for each contract. `backends`: call other
  services, and store definitions.
- `call`: runs one call: plan, search, merge, judge, follow up, ground, and write an answer if the request wants one.
- `steps`: the steps that a model does, each with its prompt and the reader of the reply. `rules`: the same steps
  without a model.
- `citations`: check which claims of an answer stay, and write its Markdown.
- `model`, `filters`, `errors`: the shared data classes, the filter tree and the errors. Most other packages use them.
- `text`: one rule about texts per file. `ports`: the interfaces through which a call uses other services.
- `access`: authentication and authorization of callers. `settings`: reads the environment.
- `telemetry`: spans, metrics, logs and readiness.
- `doctor`: checks a deployment for common mistakes, and says how to correct each.
- `playground`: a page in the browser that calls this service like any client, and shows the steps of a call.
- `threads`: work in threads beside the event loop. `pauses`: the pauses before a call to a service is repeated.
- `version`: the version of this service.
- `compose`: the only package that connects the ports with concrete classes.
- `local`: replaces Azure on a developer's machine. It is never deployed, and only `compose` imports it.

Imports go in one direction only; `tests/test_layers.py` has the table of allowed imports. These packages await nothing:
`model`, `filters`, `text`, `steps`, `rules`, `citations`, and the contracts except `mcp`.
"""
