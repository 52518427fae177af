"""Memories over trees of files, and what a store holds in a form that can be compared."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from quipu.config import Config
from quipu.domain.ids import Kind
from quipu.domain.passage import PassageInput
from quipu.memory import Memory
from quipu.ports import Store
from quipu.testing.fakes import HashEmbedder

INSTANT = "2026-03-01T10:00:00.000Z"
MOMENT = 1_770_000_000
TIMES = {"observed_at", "ingested_at", "updated_at", "created_at", "first_seen", "last_seen"}
KINDS: tuple[Kind, ...] = ("episode", "chunk", "entity", "relation", "fact")

SONGS = (
    ("song", "Hello Love", "Hello Love is a song performed by Hank Snow in the spring."),
    ("singer", "Hank Snow", "Clarence Eugene Snow was an artist who lived in Nashville."),
    ("twin", "Snow", "The record of Hank Snow sold well in many shops."),
    ("city", "Nashville", "Nashville is a city. It is the capital of Tennessee."),
    ("fruit", "Bananas", "Bananas are yellow and grow in warm places."),
)
CODE = 'def peel_banana(fruit):\n    """Take the peel off a banana."""\n    return fruit.inner\n'

Snapshot: TypeAlias = dict[str, Any]
Files: TypeAlias = dict[str, str | bytes]


def _write(root: Path, files: Files) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (MOMENT, MOMENT))


def _records(store: Store, kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    after = ""
    while page := store.scan(kind, after=after):
        for record in page:
            plain = msgspec.to_builtins(record)
            after = plain[record.__struct_fields__[0]]
            yield after, {k: v for k, v in plain.items() if k not in TIMES}


def _snapshot(store: Store) -> Snapshot:
    held: Snapshot = {key: value for kind in KINDS for key, value in _records(store, kind)}
    asserted = [i for i in held if not i.startswith(("ep_", "ch_"))]
    for record_id, rows in store.support(asserted).items():
        live = sorted((r.episode_id, r.chunk_ids) for r in rows if r.known_until is None)
        held[f"support of {record_id}"] = live
    spaces = {space: count for space, count in store.spaces().items() if count}
    return held | {"spaces": spaces, "counts": store.counts()}


def _open(url: str | Path, home: Path, **options: Any) -> Memory:
    given = {"config": Config(), "embedder": HashEmbedder(), "clock": lambda: INSTANT} | options
    return Memory.open(url, home=home, **given)


@pytest.fixture(scope="session")
def write_files() -> Callable[[Path, Files], None]:
    """Puts files into a tree, all with one time, so that only their content tells them apart."""
    return _write


@pytest.fixture(scope="session")
def snapshot() -> Callable[[Store], Snapshot]:
    """All live records by id without their times, what supports them, and the vectors' counts."""
    return _snapshot


@pytest.fixture(scope="session")
def open_memory() -> Callable[..., Memory]:
    """Opens a memory with a fixed clock, a fake model and the default configuration."""
    return _open


@pytest.fixture(scope="session")
def from_scratch() -> Callable[[Path], Snapshot]:
    """What indexing a tree as it stands gives."""

    def index(home: Path) -> Snapshot:
        with _open("memory:", home) as memory:
            memory.index(home)
            return _snapshot(memory.store)

    return index


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory over an empty tree, `memory.home.folder`, on each kind of store."""
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    url = "memory:" if request.param == "memory" else str(home / ".quipu" / "quipu.db")
    with _open(url, home) as opened:
        yield opened


@pytest.fixture
def tree(memory: Memory) -> Callable[[Files], None]:
    """Writes files into the memory's tree."""
    return lambda files: _write(memory.home.folder, files)


@pytest.fixture
def songs() -> Iterator[Memory]:
    """A small memory with titles, names that tie passages to each other, and a piece of code."""
    with Memory.open("memory:", embedder=HashEmbedder()) as opened:
        opened.add_documents(
            [
                PassageInput(source_ref=ref, title=title, text=text, profile="prose")
                for ref, title, text in SONGS
            ]
            + [PassageInput(source_ref="peel.py", text=CODE, profile="code")]
        )
        yield opened
