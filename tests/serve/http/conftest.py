"""A real server at a free port, over real memories."""

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.http import Options
from quipu.serve.http.app import build_app
from quipu.serve.http.memories import Memories
from quipu.testing.fakes import HashEmbedder

FILES = {
    "docs/payments.md": (
        "# Payments\n\nThe payment service is owned by Ada Lovelace. It is written in Go.\n\n"
        "## Retry policy\n\nThe retry policy of the payment service is five attempts in a minute.\n"
    ),
    "docs/history.md": (
        "# Who leads\n\nGrace Hopper led the payment service from 2019-01-01 to 2021-06-30.\n\n"
        "Ada Lovelace has led the payment service since 2021-07-01. See [payments](payments.md).\n"
    ),
    "docs/hostile.md": (
        "# <script>document.title='pwned'</script> Trouble\n\n"
        "The hostile widget is <img src=x onerror=\"document.title='pwned'\"> painted blue.\n"
    ),
    "src/retry.py": 'def retry_payment(times):\n    """Try a payment again."""\n    return times\n',
}


@dataclass
class Running:
    """A server that runs: its address, what it serves, a client without a key."""

    url: str
    memories: Memories
    client: httpx.Client

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        """A JSON body to a path."""
        return self.client.post(path, json=body, **options)


@pytest.fixture(name="free_port")
def _free_port() -> Callable[[], int]:  # pyright: ignore[reportUnusedFunction]
    """Gives a port that nobody listens at."""
    return free_port


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(memories: Memories, **options: Any) -> Iterator[Running]:
    """A server over `memories`, in a thread, until the block ends."""
    port = free_port()
    chosen = Options(port=port, **options)
    app: Any = build_app(memories, chosen)
    server = uvicorn.Server(
        uvicorn.Config(app, port=port, ws="none", log_config=None, lifespan="on")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    try:
        while not server.started:
            assert thread.is_alive(), "the server ended"
            time.sleep(0.01)
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            yield Running(url, memories, client)
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def indexed_home(
    tmp_path_factory: pytest.TempPathFactory, write_files: Callable[..., None]
) -> Path:
    """A folder whose files are indexed."""
    home = tmp_path_factory.mktemp("indexed")
    write_files(home, FILES)
    (home / ".quipu").mkdir()
    with _open(home) as memory:
        memory.index()
    return home


@pytest.fixture
def home(indexed_home: Path, tmp_path: Path) -> Path:
    """A copy of that folder that a test may change."""
    return Path(shutil.copytree(indexed_home, tmp_path / "home"))


@pytest.fixture
def memories(home: Path) -> Iterator[Memories]:
    """The memories of that folder."""
    with Memories(lambda namespace: _open(home, namespace), folder=home) as opened:
        yield opened


@pytest.fixture
def server(memories: Memories) -> Iterator[Running]:
    """A server over them."""
    with running(memories) as started:
        yield started


@pytest.fixture
def serve() -> Callable[..., Any]:
    """`running`."""
    return running


@pytest.fixture(scope="session")
def serve_module() -> Callable[..., Any]:
    """`running`, for a server of several tests."""
    return running


@pytest.fixture(scope="session")
def open_home() -> Callable[..., Memory]:
    """Opens the memory of a folder."""
    return _open


def _open(home: Path, namespace: str | None = None) -> Memory:
    return Memory.open(
        home / ".quipu" / "quipu.db",
        namespace=namespace,
        config=Config(),
        embedder=HashEmbedder(),
        home=home,
    )
