"""`quipu reindex --model-version` killed half-way: the old space serves, the next run completes."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.servers.model_server import ModelServer

from quipu.config import Config, EmbedConfig
from quipu.memory import Memory
from quipu.records.passage import PassageInput

pytestmark = [pytest.mark.enable_socket, pytest.mark.filterwarnings("error")]

COUNT, ENOUGH, WAIT_S = 700, 600, 60
OLD, NEW = "compatible:older/32", "compatible:newer/32"
QUESTION = "Which passage is number 123?"


class _Gate:
    """Lets the new model embed so many texts, then keeps it waiting."""

    def __init__(self, server: ModelServer) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self._count, self._lock, self._answer = 0, threading.Lock(), server.answer
        server.answer = self.answer  # type: ignore[method-assign]

    def answer(self, request: Any) -> Any:
        if request.body["model"] == "newer":
            with self._lock:
                self._count += len(request.body["input"])
                full = self._count > ENOUGH
            if full and not self.open.is_set():
                self.reached.set()
                self.open.wait(WAIT_S)
        return self._answer(request)


def write_settings(home: Path, server: ModelServer, model: str) -> None:
    (home / "quipu.toml").write_text(
        f'[embed]\nmodel = "compatible:{model}"\ndimension = 32\nretries = 0\n'
        f'base_url = "{server.base_url}"\ncache_mb = 0\n',
        "utf-8",
    )


def opened(home: Path, server: ModelServer, model: str) -> Memory:
    config = EmbedConfig(
        model=f"compatible:{model}", dimension=32, retries=0, base_url=server.base_url
    )
    return Memory.open(home / ".quipu" / "quipu.db", config=Config(embed=config))


def reindex(home: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "quipu.serve.cli", "reindex", "--config", "quipu.toml"]
    command += ["--model-version", "newer"]
    return subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def test_the_old_space_serves_until_a_later_run_completes_the_new_one(
    tmp_path: Path, server: ModelServer
) -> None:
    (tmp_path / ".quipu").mkdir()
    with opened(tmp_path, server, "older") as memory:
        memory.add_documents(
            PassageInput(source_ref=f"p{n}", text=f"Passage number {n}.") for n in range(COUNT)
        )
        before = memory.search(QUESTION).hits
    write_settings(tmp_path, server, "newer")
    gate = _Gate(server)
    process = reindex(tmp_path)
    try:
        assert gate.reached.wait(WAIT_S)
        process.kill()
    finally:
        process.communicate()
        gate.open.set()
    with opened(tmp_path, server, "newer") as memory:
        held = memory.store.spaces()
        assert held[OLD] == COUNT
        assert 0 < held[NEW] < COUNT
        found = memory.search(QUESTION)
        assert found.plan.space == OLD
        assert found.hits == before
        assert "quipu reindex" in " ".join(found.notes)
        assert "older" in {r.body["model"] for r in server.requests[-1:]}
    again = reindex(tmp_path)
    _, said = again.communicate(timeout=WAIT_S)
    assert again.returncode == 0, said
    with opened(tmp_path, server, "newer") as memory:
        assert memory.store.spaces() == {NEW: COUNT}
        assert memory.search(QUESTION).plan.space == NEW
        assert not [n for n in memory.search(QUESTION).notes if "reindex" in n]
    texts = [t for r in server.requests if r.body["model"] == "newer" for t in r.body["input"]]
    assert len(texts) < 2 * COUNT  # what was kept was not embedded again
