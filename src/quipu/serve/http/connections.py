"""HTTP connections that are not waited for for ever.

uvicorn waits as long as a client likes for a request and for its answer to be taken; it has no
setting for either (https://github.com/Kludex/uvicorn/issues/157).
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["PatientConnection"]

_RECEIVING = {h11.IDLE, h11.SEND_BODY}


class PatientConnection(H11Protocol):
    """A connection that is closed when its client keeps it waiting.

    Counted from when the request could begin, its head must arrive within `head_s` seconds, and
    from there its body within `body_s`, however steadily bytes trickle in; an answer that is not
    taken is dropped after `body_s`. A server holds `most` of them: the next is closed at once.
    """

    head_s: float = 10
    body_s: float = 60
    most: int = 64

    _deadline: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _awaited: type[object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Wait for the head of the first request, if there is room."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._wait()

    def handle_events(self) -> None:
        """Take what has arrived, and wait for what the request still lacks."""
        super().handle_events()
        self._wait()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stuck = self.loop.call_later(self.body_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stuck = _cancelled(self._stuck)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._deadline = _cancelled(self._deadline)
        self._stuck = _cancelled(self._stuck)

    def _wait(self) -> None:
        """One deadline for each state of receiving: what trickles in does not move it."""
        state = self.conn.their_state
        if state is self._awaited:
            return
        self._awaited = state
        self._deadline = _cancelled(self._deadline)
        if state in _RECEIVING and not self.transport.is_closing():
            patience = self.head_s if state is h11.IDLE else self.body_s
            self._deadline = self.loop.call_later(patience, self.transport.abort)


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
