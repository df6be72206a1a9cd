"""What a process connects to and looks up, as the interpreter's own audit tells it."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from socket import AF_INET, AF_INET6, SOCK_STREAM
from typing import Any, Final

_watching: Final[list[list[tuple[str, str]]]] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        seen = ("connect", f"{arguments[1][0]}:{arguments[1][1]}")
    elif event == "socket.getaddrinfo":
        seen = ("name", str(arguments[0]))
    else:
        return
    for each in _watching:
        each.append(seen)


sys.addaudithook(_hear)


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """Every connection that is tried and every name that is looked up within the block."""
    seen: list[tuple[str, str]] = []
    _watching.append(seen)
    try:
        yield seen
    finally:
        _watching.remove(seen)


class NamingLoop(asyncio.SelectorEventLoop):
    """asyncio's loop, on which names have the addresses that a test gives them: the first list, then the next."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, list[Sequence[str]]] = {}

    def give(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        """Give names their addresses, one list for each time that one is looked up; the last one stays."""
        self.names.update({name: list(lists) for name, lists in names.items()})

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> Any:
        lists = self.names.get(host)
        if lists is None:
            return await super().getaddrinfo(host, port, **options)
        addresses = lists.pop(0) if len(lists) > 1 else lists[0]
        return [
            (
                AF_INET6 if ":" in each else AF_INET,
                SOCK_STREAM,
                6,
                "",
                (each, port, 0, 0) if ":" in each else (each, port),
            )
            for each in addresses
        ]
