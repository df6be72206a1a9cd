"""Why the local host does not start.

HostError
├── BadTemplate        a route template that ASP.NET refuses, or that is not emulated
├── BadFunction        a function that the Functions host would not load
├── BadProjectFile     host.json, the local settings or a host setting of the environment
├── BadApp             function_app.py cannot be imported or indexed; holds the trace
└── NoEngine           another engine is live in this process
"""

from pathlib import Path

from retrieval.errors import RetrievalError


class HostError(RetrievalError):
    """The app cannot be served; the sentence says why."""


class BadTemplate(HostError):
    def __init__(self, template: str, reason: str) -> None:
        super().__init__(f"Route template {template!r}: {reason}.")
        self.template = template
        self.reason = reason


class BadFunction(HostError):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"Function {name!r}: {reason}.")
        self.name = name
        self.reason = reason


class BadProjectFile(HostError):
    def __init__(self, where: Path | str, reason: str) -> None:
        super().__init__(f"{where}: {reason}.")
        self.where = where
        self.reason = reason


class BadApp(HostError):
    """`trace` is the traceback as text, for the log."""

    def __init__(self, reason: str, trace: str) -> None:
        super().__init__(f"The function app cannot be loaded: {reason}")
        self.reason = reason
        self.trace = trace


class NoEngine(HostError):
    def __init__(self, root: Path, reason: str) -> None:
        super().__init__(f"{root}: {reason}.")
        self.root = root
        self.reason = reason
