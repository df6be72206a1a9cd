"""Loads an unpacked package in the worker code that Azure runs: `in_worker.py PACKAGE LOCAL`, by itself.

Requests come in as JSON lines (method, target, headers, body), answers go out the same way; the first line tells where
modules were loaded from. LOCAL is the folder of the local host, which is no part of the package and only hands the
requests to the worker code; the engine that enters it stands with the host's tests.
"""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any, Final

ENGINE: Final = Path(__file__).resolve().parent.parent / "local" / "host" / "runtime_engine.py"


def borrow(name: str, place: Path) -> Any:
    """Make a module, or the package in a folder, of another place importable under its name."""
    file, inside = (place / "__init__.py", [str(place)]) if place.is_dir() else (place, None)
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


async def main(package: Path, local: Path) -> None:
    sys.path.insert(0, str(package))
    import retrieval

    borrow("retrieval.local", local)
    from retrieval.local.host import open_host
    from retrieval.local.wire import WireRequest

    runtime_engine = borrow("runtime_engine", ENGINE)
    host = await open_host(package, opening=runtime_engine.open_runtime)
    print(json.dumps({"engine": host.engine.title, "retrieval": retrieval.__file__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        request = WireRequest(
            method=asked["method"],
            target=asked["target"],
            headers=tuple((name, value) for name, value in asked["headers"]),
            body=asked["body"].encode(),
        )
        answer = await host(request)
        kind = dict(answer.headers).get("content-type", "")
        print(json.dumps({"status": answer.status, "content_type": kind, "body": answer.body.decode()}), flush=True)
    print(json.dumps({name: str(getattr(module, "__file__", "")) for name, module in sorted(sys.modules.items())}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
