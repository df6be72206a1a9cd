"""The two ways to run a function, behind one Protocol.

`sdk` needs the `azure.functions` package alone and runs on any Python; `runtime` is the worker code that Azure itself
runs on Python 3.13 and later. `function_app` is one module of one process and `FunctionApp.get_functions()` works
once, so the first engine of a process is the only one: a second `open_engine` for the same app gives the same engine
again.
"""

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Literal, Protocol, TypeAlias

from retrieval.local.host.errors import BadApp, HostError, NoEngine
from retrieval.local.host.exchange import Invocation
from retrieval.local.host.table import Function
from retrieval.local.wire import WireResponse

EngineName: TypeAlias = Literal["sdk", "runtime"]


class Engine(Protocol):
    """Functions that have been imported and indexed.

    `title` names the engine and the versions of its packages, for people.
    """

    @property
    def title(self) -> str: ...

    @property
    def functions(self) -> tuple[Function, ...]: ...

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        """Run one; an exception in it has been logged, with its traceback, and is a 500 with an empty body."""


_live: dict[tuple[EngineName, Path], Engine] = {}


async def open_engine(root: Path, name: EngineName | Literal["auto"]) -> Engine:
    """Import `function_app.py` of an app root and index it; HostError when that fails.

    The import happens inside the running event loop and with the root first on `sys.path`, as in the worker.
    """
    chosen = choose(name)
    key = (chosen, root.resolve())
    if key not in _live:
        if _live:
            raise NoEngine(chosen, "one process runs one engine over one app, and another one is live in this process")
        _live[key] = await _open(key[1], chosen)
    return _live[key]


def choose(name: EngineName | Literal["auto"]) -> EngineName:
    """`auto` takes the runtime where it can be imported."""
    there = sys.version_info >= (3, 13) and importlib.util.find_spec("azure_functions_runtime") is not None
    if name == "runtime" and not there:
        raise NoEngine(name, "needs Python 3.13 or later with the package azure-functions-runtime installed")
    if name == "auto":
        return "runtime" if there else "sdk"
    return name


async def _open(root: Path, name: EngineName) -> Engine:
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    _check_module(root)
    try:
        if name == "runtime":
            from retrieval.local.host.runtime_engine import open_runtime

            return await open_runtime(root)
        from retrieval.local.host.sdk_engine import open_sdk

        return open_sdk(import_app())
    except HostError:
        raise
    except Exception as error:
        raise BadApp(f"{type(error).__name__}: {error}", traceback.format_exc()) from error


def import_app() -> ModuleType:
    return importlib.import_module("function_app")


def _check_module(root: Path) -> None:
    if not (root / "function_app.py").is_file():
        raise BadApp(f"{root} has no function_app.py", "")
    loaded = sys.modules.get("function_app")
    if loaded is not None and Path(loaded.__file__ or "").resolve() != root / "function_app.py":
        raise BadApp(f"another module function_app is loaded in this process, from {loaded.__file__}", "")
