"""Where a server listens."""

import socket

import pytest

from quipu.serve.http.listening import listening


@pytest.mark.enable_socket
def test_what_is_accepted_sends_at_once() -> None:
    [held] = listening("127.0.0.1", ["127.0.0.1"], 0)
    with held, socket.create_connection(held.getsockname()), held.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
