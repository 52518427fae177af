"""Reading and embedding on the nodes of a real Ray cluster, one of which dies."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quipu.config import Config, IndexConfig
from quipu.errors import Unavailable
from quipu.memory import Memory

pytest.importorskip("ray")

SERVERS = Path(__file__).parents[1] / "servers" / "ray"
PATIENCE_S = 300
FILES, PARTS = 40, 10
WORDS = "amber birch cedar delta ember fjord grove heath inlet joist kelp larch mossy north".split()


def fill(folder: Path) -> None:
    """Notes of many short passages, more than the cluster is given at once, and a file that nobody
    can read and that makes them worth a cluster."""
    folder.mkdir(parents=True)
    for n in range(FILES):
        said = [f"{WORDS[(n * k) % 14]} {WORDS[(n + k * k) % 14]} {n * k}" for k in range(100)]
        parts = (f"## Part {k}\n\n{' '.join(said[k * k : (k + 1) ** 2])}.\n" for k in range(PARTS))
        (folder / f"note{n:03}.md").write_text(f"# Note {n}\n\n{chr(10).join(parts)}")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"no more" * 220_000)
    for each in folder.iterdir():
        os.utime(each, (1_700_000_000, 1_700_000_000))


@contextmanager
def program(*words: str, folder: Path) -> "Generator[subprocess.Popen[str]]":
    # Ray keeps its state in a folder of a user; a path of its sockets has at most 107 characters.
    environment = {**os.environ, "RAY_TMPDIR": "/tmp", "RAY_USAGE_STATS_ENABLED": "0"}
    process = subprocess.Popen(
        [sys.executable, "-P", *words],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        if process.poll() is None:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


class Nodes:
    """The cluster, as who watches a run sees it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.address = self._line()

    def end_one(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._line() == "ended"

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, self._process.stderr and self._process.stderr.read()[-3000:]
        return line


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with program(
        str(SERVERS / "cluster.py"), "3", folder=tmp_path_factory.mktemp("cluster")
    ) as process:
        yield Nodes(process)


def indexed(folder: Path, engine: str, address: str, seen: Callable[[str], None]) -> str:
    """What a run says of itself; `seen` is told how far it is."""
    with program(str(SERVERS / "index.py"), str(folder), engine, address, folder=folder) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        told = list[str]()
        for line in process.stderr:
            told.append(line)
            seen(line)
        said = process.stdout.read().strip()
        assert process.wait(PATIENCE_S) == 0, "".join(told[-30:])
    return said


@pytest.mark.slow
def test_a_node_that_dies_costs_nothing_and_doubles_nothing(tmp_path: Path, nodes: Nodes) -> None:
    for name in ("plain", "spread"):
        fill(tmp_path / name / "notes")
    told = indexed(tmp_path / "plain", "local", "", lambda _: None)
    ended: list[str] = []

    def end(line: str) -> None:
        stage = line.split()[0]
        if stage in ("read", "embed") and stage not in ended:
            ended.append(stage)
            nodes.end_one()

    spread = indexed(tmp_path / "spread", "ray", nodes.address, end)
    assert ended == ["read", "embed"]
    assert spread == told
    assert told.startswith(f"{FILES} ['notes/broken.pdf']")
    assert exported(tmp_path / "spread") == exported(tmp_path / "plain")


def exported(folder: Path) -> list[str]:
    return (folder / "all.jsonl").read_text("utf-8").splitlines()


def on(address: str) -> Config:
    return Config(index=IndexConfig(engine="ray", address=address))


@pytest.mark.enable_socket
@pytest.mark.parametrize("address", ["nowhere", "host:many", "ray://", "127.0.0.1:1"])
def test_where_nothing_listens_it_is_said_soon(tmp_path: Path, address: str) -> None:
    fill(tmp_path / "notes")
    with Memory.open("memory:", home=tmp_path, config=on(address), embedder=None) as memory:
        with pytest.raises(Unavailable, match="give host:port"):
            memory.index(tmp_path / "notes")
        assert memory.store.counts()["chunk"] == 0
