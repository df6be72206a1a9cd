"""One connection of the loopback server: a head that does not come ends it, an idle one is uvicorn's to end."""

import asyncio
from dataclasses import replace

from uvicorn.protocols.http.h11_impl import H11Protocol

from retrieval.local.application import Application


class Connection(H11Protocol):
    """Gives the application itself, which says when a request has `begun` and when it was `answered`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._under_way = 0
        assert isinstance(self.app, Application)
        self._patience = self.app.patience.head
        self.app = replace(self.app, connection=self)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if not self._under_way and self._timer is None:
            self._wait()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def begun(self) -> None:
        """The head of a request is there."""
        self._stop()
        self._under_way += 1

    def answered(self, *, whole: bool) -> None:
        """The rest of a request that was not read `whole` has as long to come as a head, and goes nowhere.

        The next head may have begun to come before this answer.
        """
        self._under_way -= 1
        more = not whole or self.conn.trailing_data[0]
        if more and not (self._under_way or self.transport.is_closing()):
            self._wait()

    def abort(self) -> None:
        self.transport.abort()

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self._patience, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
