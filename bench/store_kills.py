"""Kill the writer, then the server, in the middle of writes to databases on servers, as JSON.

    python -m bench store_kills --client 10 --server 3

A process of its own writes a seeded stream: sources of 200 passages with vectors that take the
place of others, and between them small changes of every kind (claims, names, ends, erased sources
and spaces). It says of each change when it begins and when it is done. `kill -9` comes at a random
moment after a change began. After each kill of the writer the store must answer everything as one
that was never disturbed: all that was acknowledged, and of the change under way all or nothing. The
next writer begins with that change again. A server that is killed is started again and the writer
goes on; at the end nothing may be missing or there twice. Where something is, the command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.contract.store_compare import apply, assert_same
from tests.contract.store_sample import (
    WORDS,
    DropSpace,
    Forget,
    Operation,
    chunk,
    embedding,
    episode,
    moment,
    operations,
)

from quipu.errors import Mistake, StoreUnavailable
from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.store import open_store
from quipu.store.inmemory import InMemoryStore, Shelf

KINDS = ("postgres", "neo4j")
_SEED = 15
PASSAGES = 200
_ROOT = Path(__file__).parents[1]


class Server(Protocol):
    """What can be killed and started again."""

    def start(self) -> None:
        """Start it and wait until it answers."""
        ...

    def kill(self) -> None:
        """End it as a power cut does."""
        ...


@dataclass(slots=True)
class Killed:
    """What a trial came to."""

    kills: int = 0
    under_way: int = 0
    """Kills at which a change had begun and was not acknowledged."""

    there_whole: int = 0
    """Killed writers whose change under way was there whole; else nothing of it was."""

    changes: int = 0
    """Changes of the stream that were made and are all there."""

    oracle: InMemoryStore = field(
        default_factory=lambda: InMemoryStore(Shelf(), namespace="default"), repr=False
    )


def stream(count: int, passages: int = PASSAGES) -> list[Operation]:
    """`count` changes, every other one a source of many `passages`."""
    small = operations(_SEED, (count + 1) // 2)
    return [_wide(n, passages) if n % 2 == 0 else small[n // 2] for n in range(count)]


def _wide(n: int, passages: int) -> Batch:
    """A version of one of five sources, of many passages, in place of the one before it."""
    chooser = random.Random(n)
    of = episode(f"docs/wide{n % 5}.md", str(n), at=moment(n))
    texts = dict.fromkeys(
        " ".join([f"n{m}", *chooser.choices(WORDS, k=12)]) for m in range(passages)
    )
    chunks = tuple(chunk(of, m, text) for m, text in enumerate(texts))
    return Batch(
        recorded_at=moment(n),
        episodes=(of,),
        chunks=chunks,
        embeddings=tuple(embedding(c.chunk.chunk_id, "small", m) for m, c in enumerate(chunks)),
        replaces=(of.source_ref,),
    )


def write(url: str, first: int, count: int, passages: int) -> None:
    """The writer: changes `first` to `count - 1` of the stream, each told before and after."""
    changes = stream(count, passages)
    with open_store(url) as store:
        for n in range(first, count):
            print(f"begin {n}", flush=True)
            try:
                _make(store, changes[n])
            except StoreUnavailable as error:
                raise SystemExit(f"change {n} was refused: {error}") from None
            print(f"done {n}", flush=True)


def _make(store: Store, change: Operation) -> None:
    """Make a change; one that no store takes is left out, as `apply` does."""
    try:
        match change:
            case Forget():
                store.forget(change.source_refs)
            case DropSpace():
                store.drop_space(change.space)
            case _:
                store.write(change)
    except Mistake:
        return


class _Writer:
    """A process that writes, and what it has said."""

    def __init__(self, url: str, first: int, count: int, passages: int) -> None:
        given = (url, str(first), str(count), str(passages))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.store_kills", *given],
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )
        self.begun, self.done = first - 1, first
        self._took_s: list[float] = []
        self._news = threading.Condition()
        self._ended = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def under_way(self) -> bool:
        """Whether a change has begun and was not acknowledged."""
        return self.begun >= self.done

    def _listen(self) -> None:
        assert self._process.stdout is not None
        began = 0.0
        with self._process.stdout as said:
            for line in said:
                word, number = line.split()
                with self._news:
                    if word == "begin":
                        self.begun, began = int(number), time.monotonic()
                    else:
                        self.done = int(number) + 1
                        if self.begun % 2 == 0:
                            self._took_s.append(time.monotonic() - began)
                    self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def wait_in(self, number: int, share: float) -> None:
        """Wait until it has begun a change of many passages, and then for a share of what the
        like of it takes."""
        with self._news:
            self._news.wait_for(lambda: self.begun >= number or self._ended, timeout=300)
            assert self.begun >= number, f"the writer ended by itself, or hangs at {self.begun}"
            usual_s = statistics.median(self._took_s) if self._took_s else 0.1
        time.sleep(share * usual_s)

    def kill(self) -> None:
        """End it, and hear what it had said before."""
        self._process.kill()
        self.finish()

    def finish(self) -> int:
        """Hear it out; its exit code."""
        self._listener.join()
        return self._process.wait()


def kill_writers(url: str, kills: int, *, seed: int = 1, passages: int = PASSAGES) -> Killed:
    """Kill `kills` writers in turn, each a few changes after its first; AssertionError where
    something is lost, doubled or half there."""
    found, chooser = Killed(), random.Random(seed)
    changes = stream(kills * 8 + 8, passages)
    for _ in range(kills):
        writer = _Writer(url, found.changes, len(changes), passages)
        at = found.changes + chooser.randint(2, 6)
        writer.wait_in(at + at % 2, chooser.random())
        writer.kill()
        found.kills += 1
        _compare(url, found, writer, changes)
    last = _Writer(url, found.changes, len(changes), passages)
    assert last.finish() == 0, "the writer gave up"
    _apply(found, changes, len(changes))
    _assert_same(url, found)
    return found


def _compare(url: str, found: Killed, writer: _Writer, changes: list[Operation]) -> None:
    """That the store is as after what was acknowledged, or with the change under way as well."""
    _apply(found, changes, writer.done)
    found.under_way += writer.under_way
    with open_store(url) as store:
        if writer.under_way and store.sequence() != found.oracle.sequence():
            # The next writer makes it again, which changes nothing.
            apply(found.oracle, changes[writer.done])
            found.there_whole += 1
    _assert_same(url, found)


def _apply(found: Killed, changes: list[Operation], until: int) -> None:
    for change in changes[found.changes : until]:
        apply(found.oracle, change)
    found.changes = until


def _assert_same(url: str, found: Killed) -> None:
    with open_store(url) as store:
        assert_same(store, found.oracle)


def kill_servers(
    url: str, server: Server, kills: int, *, seed: int = 2, passages: int = PASSAGES
) -> Killed:
    """Kill and start `server` `kills` times under one writer; AssertionError as above."""
    found, chooser = Killed(), random.Random(seed)
    changes = stream(kills * 12 + 12, passages)
    writer = _Writer(url, 0, len(changes), passages)
    for turn in range(kills):
        writer.wait_in(turn * 12 + 8, chooser.random())
        server.kill()
        found.kills += 1
        found.under_way += writer.under_way
        server.start()
    assert writer.finish() == 0, "the writer gave up"
    _apply(found, changes, len(changes))
    _assert_same(url, found)
    return found


@contextmanager
def serving(kind: str, folder: Path) -> Iterator[tuple[Server, Callable[[], str]]]:
    """A server of a kind, its writes forced to the disk, and what gives an empty store on it."""
    if kind == "postgres":
        from tests.servers.postgres_server import PostgresServer

        with PostgresServer(fsync="on") as running:
            yield running, lambda: running.url(running.new_database())
        return
    from tests.servers.neo4j.server import PASSWORD, USER, Neo4jServer

    os.environ |= {"NEO4J_USER": USER, "NEO4J_PASSWORD": PASSWORD}
    server = Neo4jServer(folder / "neo4j")
    server.start()

    def emptied() -> str:
        server.clear()
        return server.url

    try:
        yield server, emptied
    finally:
        server.kill()


def measure(
    kind: str, *, client: int, server: int, passages: int = PASSAGES
) -> dict[str, dict[str, int]]:
    """The kills of a kind of store, counted; AssertionError where one lost or doubled anything."""
    with tempfile.TemporaryDirectory() as folder, serving(kind, Path(folder)) as (running, new):
        writers = kill_writers(new(), client, passages=passages)
        servers = kill_servers(new(), running, server, passages=passages)
    return {"client": _figures(writers), "server": _figures(servers)}


def _figures(found: Killed) -> dict[str, int]:
    return {
        "kills": found.kills,
        "in_mid_write": found.under_way,
        "there_whole": found.there_whole,
        "changes": found.changes,
        "log_entries": found.oracle.sequence(),
    }


def main(arguments: Sequence[str]) -> int:
    """Kill, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench store_kills", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], help="default: all")
    parser.add_argument("--client", type=int, default=10, help="kills of the writer")
    parser.add_argument("--server", type=int, default=3, help="kills of the server")
    chosen = parser.parse_args(arguments)
    for kind in chosen.kinds or KINDS:
        print(json.dumps({kind: measure(kind, client=chosen.client, server=chosen.server)}))
    return 0


if __name__ == "__main__":
    write(sys.argv[1], *map(int, sys.argv[2:]))
