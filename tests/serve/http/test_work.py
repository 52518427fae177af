"""Long work: started, followed, stopped; and a folder without a memory gets one."""

import json
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.serve.http.memories import Memories

pytestmark = pytest.mark.enable_socket


def _followed(server: Any, path: str) -> list[Any]:
    with server.client.stream("GET", path) as events:
        lines = list(events.iter_lines())
    return [json.loads(line.removeprefix("data:")) for line in lines if line.startswith("data:")]


def test_a_run_is_started_and_followed_to_its_end(server: Any, home: Path) -> None:
    (home / "docs" / "new.md").write_text("# New\n\nThe lighthouse is white.\n", "utf-8")
    started = server.post("/api/v1/runs", {"kind": "index"})
    assert started.status_code == 202
    path = started.headers["location"]
    last = _followed(server, f"{path}/events")[-1]
    assert last["status"] == "done"
    assert last["result"]["added"] == ["docs/new.md"]
    assert server.client.get(path).json() == last
    assert server.client.get("/api/v1/runs").json()["runs"][0] == last


@pytest.mark.parametrize("path", ["..", "/etc", "nothing", "docs/\x00", "../../etc/passwd"])
def test_a_run_stays_in_its_folder(server: Any, path: str) -> None:
    assert server.post("/api/v1/runs", {"kind": "index", "paths": [path]}).status_code == 400
    assert server.post("/api/v1/runs", {"kind": "golden", "file": path}).status_code == 400


def test_a_run_can_be_stopped(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, memory = threading.Event(), server.memories.first

    def index(_paths: Any, *, progress: Callable[[str, int, int], None]) -> None:
        begun.set()
        for done in range(10_000):
            progress("read", done, 10_000)
            time.sleep(0.01)

    monkeypatch.setattr(memory, "index", index)
    run = server.post("/api/v1/runs", {"kind": "index"}).json()
    waiting = server.post("/api/v1/runs", {"kind": "index"}).json()
    assert begun.wait(10)
    assert server.client.delete(f"/api/v1/runs/{waiting['run_id']}").json()["status"] == "stopped"
    server.client.delete(f"/api/v1/runs/{run['run_id']}")
    last = _followed(server, f"/api/v1/runs/{run['run_id']}/events")[-1]
    assert last["status"] == "stopped"
    assert server.client.get("/api/v1/runs/run_0").status_code == 404


def test_a_folder_without_a_memory_gets_one(
    tmp_path: Path, serve: Callable[..., Any], open_home: Callable[..., Memory]
) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe harbour master is Olga Berg.\n", "utf-8")

    def make() -> None:
        (tmp_path / ".quipu").mkdir()

    opened = partial(open_home, tmp_path)
    with Memories(opened, folder=tmp_path, make=make) as memories, serve(memories) as server:
        assert server.client.get("/api/v1/setup").json()["memory"] is False
        assert server.client.get("/health").status_code == 200
        assert server.client.get("/health/ready").status_code == 503
        refused = server.post("/api/v1/ask", {"question": "Who is it?"})
        assert refused.status_code == 503
        assert "quipu init" in refused.json()["detail"]
        run = server.client.post("/api/v1/setup").json()
        assert _followed(server, f"/api/v1/runs/{run['run_id']}/events")[-1]["status"] == "done"
        assert server.client.get("/api/v1/setup").json()["memory"] is True
        reply = server.post("/api/v1/ask", {"question": "Who is the harbour master?"}).json()
        assert "Olga Berg" in reply["contract"]["answer"]
