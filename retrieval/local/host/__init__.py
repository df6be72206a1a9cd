"""Runs the functions of an app root's `function_app.py` over HTTP as the Azure Functions host would.

    host = await open_host(Path("."))
    response = await host(WireRequest(method="POST", target="/agents('a')/retrieve", headers=…, body=…))

`Host` is a `WireService`: `server.serve` puts it on a port, `transport.connect` hands it to an Azure SDK in this
process.

What is an emulation of the .NET host, written from its source: the routes (`table`, with the templates of
`retrieval.http`), the paths (`paths`), what happens to requests and answers on their way (`exchange`), limits and
files (`front`, `project`), calling a function (`engine`, `sdk_engine`). What is Microsoft's own code: the decorators,
`HttpRequest`, `HttpResponse` and their converters.

Not emulated: authorization levels (as in `func start`, every function is open), the admin API and the home page (`/`
is a 404 unless a route takes it), the host's own CORS list, proxies, any trigger but HTTP, streaming through
azurefunctions-extensions-http-fastapi. More lenient than the real host in two things: a body that comes in chunks, see
`exchange`; and events of an answer, which `server` sends as they happen (docs/calling/streaming.md).

- `bindings`: The bindings of a function, as function.json has them
- `errors`: Why the local host does not start
"""

from retrieval.local.host.engine import Engine, OpenEngine
from retrieval.local.host.errors import HostError
from retrieval.local.host.front import Host, host_over, open_host

__all__ = ["Engine", "Host", "HostError", "OpenEngine", "host_over", "open_host"]
