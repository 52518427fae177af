"""Indexing by processes of this machine, and on 1, 2 and 3 nodes of a Ray cluster, as JSON.

    python -m bench.cluster --passages 20000 --embedded 1000

The same synthetic Markdown into PostgreSQL (a server of its own, its writes forced to the disk),
and a smaller part of it embedded. Each node has one processor; on a machine with fewer they share
them. Nodes are started, connected and warm before the clock starts; `connect_s` is that.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster
from tests.servers.postgres_server import PostgresServer

from bench.corpus import write_corpus
from quipu import Config, Memory
from quipu.config import EmbedConfig, IndexConfig

_ROOM = {"object_store_memory": 200_000_000, "include_dashboard": False}


@contextmanager
def _nodes(count: int) -> Iterator[str]:
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **_ROOM})
    try:
        for _ in range(count):
            cluster.add_node(num_cpus=1, **_ROOM)
        cluster.wait_for_nodes()
        yield cluster.address
    finally:
        ray.shutdown()
        cluster.shutdown()


def _timed(url: str, folder: Path, engine: IndexConfig, *, embed: bool) -> dict[str, Any]:
    config = Config(index=engine, embed=EmbedConfig(model="minilm", cache_mb=0))
    start = time.perf_counter()
    with Memory.open(url, config=config, home=folder) as memory:
        report = memory.index(folder, embed=embed)
    seconds = report.embed_seconds if embed else time.perf_counter() - start
    done = report.embedded if embed else report.chunks
    return {"seconds": round(seconds, 1), "passages_per_s": round(done / seconds, 1)}


def measure(passages: int, embedded: int) -> dict[str, Any]:
    """Passages a second, read and written, and embedded, by each engine."""
    figures: dict[str, Any] = {"passages": passages, "embedded": embedded}
    settings = {"fsync": "on", "shared_buffers": "256MB", "max_wal_size": "4GB"}
    with tempfile.TemporaryDirectory() as place, PostgresServer(**settings) as server:
        whole, part, few = (Path(place) / name for name in ("whole", "part", "few"))
        for folder, size in ((whole, passages), (part, embedded), (few, 4_000)):
            write_corpus(folder, size)

        def both(engine: IndexConfig) -> dict[str, Any]:
            return {
                "read": _timed(server.url(server.new_database()), whole, engine, embed=False),
                "embed": _timed(server.url(server.new_database()), part, engine, embed=True),
            }

        figures["local"] = both(IndexConfig())
        for count in (1, 2, 3):
            with _nodes(count) as address:
                engine = IndexConfig(engine="ray", address=address)
                start = time.perf_counter()
                _timed(server.url(server.new_database()), few, engine, embed=False)
                connect_s = time.perf_counter() - start
                figures[f"ray, {count}"] = {"connect_s": round(connect_s, 1), **both(engine)}
    return figures


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--embedded", type=int, default=1_000)
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.passages, chosen.embedded), indent=2))


if __name__ == "__main__":
    main()
