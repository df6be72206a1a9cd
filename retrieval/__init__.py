"""The map of the package `retrieval`.

    bytes ─ function_app ─ http ─ contracts.<x>.parse ─▶ RetrievalRequest ─ retrieve ─▶ Outcome ─ <x>.render ─▶ bytes
                                                                               │
                               plan ─▶ search (all at once) ─▶ merge ─▶ select ─▶ (follow up) ─▶ ground
                                │            │
                             models     sources.search_index, sources.model_studio, sources.mcp_server

- `http`: the code that all routes share, and a short file for each family of routes.
- `contracts`: read requests and write answers, one package or module for each contract.
- `retrieve`: the way of a retrieve: plan, search, merge, select, follow up, ground. `answer`: the answer operation.
- `writing`: the text of an answer, and the check of its claims; `retrieve` and `answer` share it.
- `call`: a running call: its time, its tokens, its questions to a model.
- `sources`: what can be searched, a folder for each kind. `definitions`: the stores of agents and sources.
- `models`: the chat models. `outgoing`: what all calls to other services share.
- `model`, `filters`, `errors`: the shared data classes, the filter tree and the errors. Most other packages use them.
- `text`: one rule about texts per file. `ports`: the interfaces through which a call uses other services.
- `access`: authentication and authorization of callers. `settings`: reads the environment.
- `telemetry`: spans, metrics, logs and readiness.
- `doctor`: checks a deployment for common mistakes, and says how to correct each.
- `playground`: a page in the browser that calls this service like any client, and shows the steps of a call.
- `threads`: work in threads beside the event loop.
- `version`: the version of this service.
- `compose`: the only package that connects the ports with concrete classes.
- `local`: replaces Azure on a developer's machine. It is never deployed, and only `compose` imports it.

Imports go in one direction only; `tests/test_layers.py` has the table of allowed imports. These packages await nothing:
`model`, `filters`, `text`, and the contracts except `mcp`. The same test names the modules of `call`, `retrieve`,
`writing` and `answer` that await.
"""
