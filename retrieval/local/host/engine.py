"""What runs the functions of an app, behind one Protocol, and how one is opened.

`function_app` is one module of one process and `FunctionApp.get_functions()` works once, so the first engine of a
process is the only one: a second `open_engine` for the same app gives the same engine again.
"""

import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from retrieval.local.host.errors import BadApp, HostError, NoEngine
from retrieval.local.host.exchange import Invocation
from retrieval.local.host.table import Function
from retrieval.local.wire import WireResponse


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


OpenEngine: TypeAlias = Callable[[Path], Awaitable[Engine]]
"""Imports `function_app.py` of an app root, which is first on `sys.path`, and indexes it."""

_live: dict[tuple[OpenEngine, Path], Engine] = {}


async def open_engine(root: Path, opening: OpenEngine) -> Engine:
    """The engine over the app of a root; HostError when it cannot be imported or indexed.

    The import happens inside the running event loop and with the root first on `sys.path`, as in the worker.
    """
    key = (opening, root.resolve())
    if key not in _live:
        if _live:
            raise NoEngine(root, "one process runs one engine over one app, and another one is live in this process")
        _live[key] = await _open(key[1], opening)
    return _live[key]


async def _open(root: Path, opening: OpenEngine) -> Engine:
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    _check_module(root)
    try:
        return await opening(root)
    except HostError:
        raise
    except Exception as error:
        raise BadApp(f"{type(error).__name__}: {error}", traceback.format_exc()) from error


def _check_module(root: Path) -> None:
    if not (root / "function_app.py").is_file():
        raise BadApp(f"{root} has no function_app.py", "")
    loaded = sys.modules.get("function_app")
    if loaded is not None and Path(loaded.__file__ or "").resolve() != root / "function_app.py":
        raise BadApp(f"another module function_app is loaded in this process, from {loaded.__file__}", "")
